#include "transformer/formats/torchscript/torchscript.h"

#include <torch/csrc/jit/serialization/export.h>
#include <torch/script.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/config/yaml.h"
#include "transformer/data/blocks.h"
#include "transformer/data/prepared.h"
#include "transformer/formats/continuation.h"
#include "transformer/formats/plain_tokenizers.h"
#include "transformer/formats/torchscript/torchscript_module.h"
#include "transformer/models/kinds.h"
#include "transformer/runtime/device.h"

namespace transformer::formats {
namespace {

/// A model of its own with the same weights, which never want gradients, on the CPU: a file then names no
/// other device, wherever it is written.
models::AnyModel without_gradients(const models::AnyModel& model) {
  auto copy = models::make(model->options(), model->vocabulary());
  copy->to(model->parameters().front().scalar_type());
  copy->eval();
  const torch::NoGradGuard no_gradients;
  const auto weights = model->named_parameters();
  for (auto& parameter : copy->named_parameters()) {
    parameter.value().copy_(weights[parameter.key()]);
    parameter.value().set_requires_grad(false);
  }
  return copy;
}

/// Step by step along the targets, as a search would: (B, T) → (B, T, V)
torch::Tensor logits(const torch::jit::Module& module, const torch::Tensor& source,
                     const torch::Tensor& target) {
  const auto encode = module.find_method("encode");
  auto cache = encode ? module.get_method("start")((*encode)({source}).toTuple()->elements().vec())
                      : module.get_method("start")({source});
  std::vector<torch::Tensor> all;
  for (std::int64_t t = 0; t < target.size(1); ++t) {
    const auto step = module.get_method("decode_step")({target.slice(1, t, t + 1), cache}).toTuple();
    all.push_back(step->elements()[0].toTensor());
    cache = step->elements()[1];
  }
  return torch::cat(all, 1);
}

std::vector<search::Hypothesis> search(const torch::jit::Module& module, const torch::Tensor& source,
                                       const search::DecodeOptions& options) {
  const auto lengths = source.ne(kPad).sum(1);
  const auto results =
      module.get_method("translate")({source, lengths, options.beam, options.alpha, 0}).toTuple();
  const auto ids = results->elements()[0].toTensor().to(torch::kCPU, torch::kInt).contiguous();
  const auto scores = results->elements()[1].toTensor().cpu();
  std::vector<search::Hypothesis> hypotheses(static_cast<std::size_t>(source.size(0)));
  for (std::int64_t row = 0; row < ids.size(0); ++row) {
    const auto* first = ids.data_ptr<std::int32_t>() + row * ids.size(1);
    auto& hypothesis = hypotheses[static_cast<std::size_t>(row)];
    hypothesis.ids.assign(first, std::find(first, first + ids.size(1), kPad));
    hypothesis.score = scores[row].item<double>();
  }
  return hypotheses;
}

/// What LibTorch writes to. It ends the process when a write fails, so a failure is kept for close() to tell.
class Output {
 public:
  explicit Output(const std::filesystem::path& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr) throw_file_error(path_, "opening", errno);
  }
  ~Output() {
    if (file_ != nullptr) std::fclose(file_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  std::size_t write(const void* data, std::size_t bytes) {
    if (error_ == 0 && std::fwrite(data, 1, bytes, file_) != bytes) error_ = errno;
    return bytes;
  }

  void close() {
    if (std::fclose(std::exchange(file_, nullptr)) != 0 && error_ == 0) error_ = errno;
    if (error_ != 0) throw_file_error(path_, "writing", error_);
  }

 private:
  std::filesystem::path path_;
  std::FILE* file_;
  int error_ = 0;
};

}  // namespace

void write_torchscript(const checkpoints::LoadedModel& loaded, const std::filesystem::path& file) {
  check_can_be_traced(loaded.model);
  const auto model = without_gradients(loaded.model);
  auto module = torchscript_module(model, loaded.experiment.decode);
  if (is_language_model(model))
    module.register_attribute("first", c10::IntType::get(),
                              std::int64_t{data::begin_of_texts(loaded.experiment.data)});
  torch::jit::ExtraFilesMap extra{{checkpoints::kConfigFile, config::to_yaml(loaded.experiment)}};
  for (const auto& [name, content] : plain_tokenizer_files(loaded.tokenizers)) extra.emplace(name, content);
  Output output(file);
  torch::jit::ExportModule(
      module, [&](const void* data, std::size_t bytes) { return output.write(data, bytes); }, extra);
  output.close();
}

namespace {

Candidate language_candidate(const torch::jit::Module& module) {
  Candidate candidate;
  candidate.logits = [module](const torch::Tensor& text, const torch::Tensor& continuation) {
    const auto whole = torch::cat({text, continuation.slice(1, 1)}, 1);
    return module.get_method("logits")({whole}).toTensor().slice(1, text.size(1) - 1);
  };
  candidate.search = [module](const torch::Tensor& text, const search::DecodeOptions& options) {
    const auto found = module.get_method("generate")({text, options.length_offset}).toTensor();
    const auto ids = found.to(torch::kCPU, torch::kInt).contiguous();
    const auto* first = ids.const_data_ptr<std::int32_t>();
    return std::vector<search::Hypothesis>{{.ids = {first, first + ids.size(1)}}};
  };
  return candidate;
}

}  // namespace

Candidate read_torchscript(const std::filesystem::path& file, const torch::Device& device) {
  const data::PreparedPaths paths{std::filesystem::path()};
  const auto one = paths.source_tokenizer(true).string(), source = paths.source_tokenizer(false).string();
  torch::jit::ExtraFilesMap extra{{one, ""}, {source, ""}};
  const auto module = torch::jit::load(file.string(), torch::kCPU, extra);
  for (const auto& parameter : module.parameters()) runtime::move_to(parameter, device);
  auto candidate =
      module.find_method("generate")
          ? language_candidate(module)
          : Candidate{
                .logits = [module](const torch::Tensor& source,
                                   const torch::Tensor& target) { return logits(module, source, target); },
                .search =
                    [module](const torch::Tensor& source, const search::DecodeOptions& options) {
                      return search(module, source, options);
                    }};
  if (const auto& content = extra[extra[one].empty() ? source : one]; !content.empty()) {
    const auto tokenizer = data::Tokenizer::of_content(content, file);
    candidate.encode = [tokenizer](const std::string& text) { return tokenizer.encode(text); };
  }
  return candidate;
}

}  // namespace transformer::formats
