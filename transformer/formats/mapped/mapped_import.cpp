#include "transformer/formats/mapped/mapped_import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/base/temporary.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/formats/imported_experiment.h"
#include "transformer/formats/mapped/mapped_vocabulary.h"
#include "transformer/formats/mapped/tensor_rules.h"
#include "transformer/formats/pytorch/pytorch_checkpoint.h"
#include "transformer/formats/weights.h"
#include "transformer/models/tensors.h"

namespace transformer::formats {
namespace mapping {
namespace {

namespace fs = std::filesystem;
using torch::Tensor;

std::map<std::string, Tensor> load_tensors(const fs::path& file, const std::string& state) {
  if (is_pytorch_checkpoint(file)) return load_pytorch_checkpoint(file, state);
  if (!state.empty())
    throw InputError(
        fmt::format("{}: expected a checkpoint of PyTorch's, which has the key '{}' (state), "
                    "found another file",
                    file.string(), printable(state)));
  return checkpoints::load_safetensors(file);
}

class Importer {
 public:
  Importer(const fs::path& model, const fs::path& mapping)
      : file_(model),
        mapping_(read_mapping(mapping)),
        vocabularies_(read_mapped_vocabularies(mapping_, parent_folder(model))) {
    check_no_variants(mapping_.model, "a mapped state_dict");
  }

  checkpoints::LoadedModel import() {
    ours_ = apply_rules(mapping_, load_tensors(file_, mapping_.state), file_);
    auto& options = mapping_.model;
    options.output_bias = options.output_bias || vocabularies_.target.has_new_tokens();
    const models::VocabularySizes sizes{vocabularies_.source.size(), vocabularies_.target.size()};
    Weights weights;
    for (const auto& info : models::tensors_of(options, sizes)) weights[info.name] = take(info);
    if (!ours_.empty()) {
      const auto& [name, tensor] = *ours_.begin();
      refuse(fmt::format("'{}' by the rule of {}: expected a parameter of the model, found '{}'",
                         printable(tensor.theirs), tensor.place, printable(name)));
    }
    checkpoints::LoadedModel loaded{
        .directory = file_, .experiment = experiment(), .tokenizers = vocabularies_.tokenizers};
    loaded.model = model_with(weights, options, sizes, file_.string());
    return loaded;
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    throw InputError(fmt::format("{}: {}", file_.string(), problem));
  }

  /// How many rows a parameter has there, and in which order; null: as many as here.
  std::pair<const TokenNumbering*, std::int64_t> rows_of(const std::string& name) const {
    if (name == "source_embedding.weight") return {&vocabularies_.source, vocabularies_.source_rows};
    for (const auto* each : {"embedding.weight", "target_embedding.weight", "output.weight", "output_bias"})
      if (name == each) return {&vocabularies_.target, vocabularies_.target_rows};
    return {nullptr, 0};
  }

  Tensor take(const models::TensorInfo& info) {
    const auto [numbering, rows] = rows_of(info.name);
    const auto found = ours_.find(info.name);
    if (found == ours_.end()) {
      if (info.name == "output_bias" && vocabularies_.target.has_new_tokens())
        return vocabularies_.target.output_bias({});
      const auto said = [&](const NamePattern& pattern) { return pattern.matches(info.name); };
      if (info.shape.size() == 1 && std::ranges::any_of(mapping_.zeros, said))
        return torch::zeros(info.shape);
      refuse(fmt::format("expected a tensor for '{}' [{}], found none by the rules of {}", info.name,
                         fmt::join(info.shape, ", "), mapping_.path.string()));
    }
    auto shape = info.shape;
    if (numbering != nullptr) shape.front() = rows;
    const auto& [numbers, theirs, place] = found->second;
    if (!std::ranges::equal(numbers.sizes(), shape))
      refuse(fmt::format("'{}' by the rule of {}: expected the shape [{}] of '{}', found [{}]",
                         printable(theirs), place, fmt::join(shape, ", "), info.name,
                         fmt::join(numbers.sizes(), ", ")));
    const auto own = numbering == nullptr         ? numbers
                     : info.name == "output_bias" ? numbering->output_bias(numbers)
                                                  : numbering->renumbered(numbers);
    ours_.erase(found);
    return own;
  }

  config::Experiment experiment() const {
    config::Experiment result;
    result.model = mapping_.model;
    auto& data = result.data;
    if (vocabularies_.tokenizers.target->has_words()) data.tokenizer_kind = data::TokenizerKind::words;
    data.shared_vocabulary = mapping_.shared;
    data.vocabulary = std::max<std::int64_t>(vocabularies_.target.size(), 8);
    if (!models::stacks_of(result.model).encoder) data.examples = data::ExampleKind::documents;
    return checked_experiment(std::move(result), mapping_.path);
  }

  fs::path file_;
  MappingFile mapping_;
  MappedVocabularies vocabularies_;
  std::map<std::string, MappedTensor> ours_;
};

}  // namespace
}  // namespace mapping

checkpoints::LoadedModel import_mapped(const std::filesystem::path& model,
                                       const std::filesystem::path& mapping) {
  return mapping::Importer(model, mapping).import();
}

}  // namespace transformer::formats
