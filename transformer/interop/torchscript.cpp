#include "transformer/interop/torchscript.h"

#include <torch/script.h>

#include "transformer/base/special_tokens.h"
#include "transformer/base/text_file.h"
#include "transformer/config/yaml.h"
#include "transformer/interop/torchscript_module.h"

namespace transformer::interop {
namespace {

/// A model of its own with the same weights, which never want gradients.
models::EncoderDecoder without_gradients(const models::EncoderDecoder& model) {
  models::EncoderDecoder copy(model->options(), model->vocabulary());
  copy->to(model->device(), model->output_weight().scalar_type());
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
torch::Tensor logits(torch::jit::Module module, const torch::Tensor& source, const torch::Tensor& target) {
  const auto encoded = module.get_method("encode")({source}).toTuple();
  auto cache = module.get_method("start")({encoded->elements()[0], encoded->elements()[1]});
  std::vector<torch::Tensor> all;
  for (std::int64_t t = 0; t < target.size(1); ++t) {
    const auto step = module.get_method("decode_step")({target.slice(1, t, t + 1), cache}).toTuple();
    all.push_back(step->elements()[0].toTensor());
    cache = step->elements()[1];
  }
  return torch::cat(all, 1);
}

std::vector<decode::Hypothesis> search(torch::jit::Module module, const torch::Tensor& source,
                                       const decode::DecodeOptions& options) {
  const auto lengths = source.ne(kPad).sum(1);
  const auto results =
      module.get_method("translate")({source, lengths, options.beam, options.alpha, 0}).toTuple();
  const auto ids = results->elements()[0].toTensor().to(torch::kCPU, torch::kInt).contiguous();
  const auto scores = results->elements()[1].toTensor().cpu();
  std::vector<decode::Hypothesis> hypotheses(static_cast<std::size_t>(source.size(0)));
  for (std::int64_t row = 0; row < ids.size(0); ++row) {
    const auto* first = ids.data_ptr<std::int32_t>() + row * ids.size(1);
    auto& hypothesis = hypotheses[static_cast<std::size_t>(row)];
    hypothesis.ids.assign(first, std::find(first, first + ids.size(1), kPad));
    hypothesis.score = scores[row].item<double>();
  }
  return hypotheses;
}

}  // namespace

void write_torchscript(const store::LoadedModel& loaded, const std::filesystem::path& file) {
  auto model = without_gradients(loaded.model);
  const auto module = torchscript_module(model, loaded.experiment.decode);
  torch::jit::ExtraFilesMap extra{{store::kConfigFile, config::to_yaml(loaded.experiment)}};
  for (const auto& tokenizer : store::tokenizer_files(loaded.directory)) {
    extra.emplace(tokenizer.filename().string(), read_file(tokenizer));
    const auto vocabulary = data::vocabulary_file(tokenizer);
    if (exists(vocabulary)) extra.emplace(vocabulary.filename().string(), read_file(vocabulary));
  }
  module.save(file.string(), extra);
}

Candidate read_torchscript(const std::filesystem::path& file, const torch::Device& device) {
  const auto module = torch::jit::load(file.string(), device);
  return {
      .logits = [module](const torch::Tensor& source,
                         const torch::Tensor& target) { return logits(module, source, target); },
      .search = [module](const torch::Tensor& source,
                         const decode::DecodeOptions& options) { return search(module, source, options); }};
}

}  // namespace transformer::interop
