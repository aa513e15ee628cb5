#include "transformer/models/kinds.h"

#include <map>
#include <string>

#include "transformer/base/error.h"
#include "transformer/models/decoder/decoder_only.h"
#include "transformer/models/encoder/encoder_only.h"
#include "transformer/models/encoder_decoder.h"
#include "transformer/models/recurrent/recurrent.h"

namespace transformer::models {
namespace {

std::map<std::string, MakeModel>& makers() {
  static std::map<std::string, MakeModel> all;
  return all;
}

/// The kinds of this project. They are known before main(), as a configuration may name them in every
/// program.
const bool own_kinds_are_known = [] {
  add_decoder_only();
  add_encoder_only();
  recurrent::add_recurrent();
  return true;
}();

}  // namespace

void add_kind(variants::Declaration declaration, MakeModel make, CountFlops flops, CountKept kept) {
  const auto name = declaration.name;
  if (name == kEncoderDecoder)
    throw InputError("model.kind: expected a kind of another name, found a second 'encoder-decoder'");
  variants::add(variants::Kind::model, std::move(declaration), {});
  const auto count = [make](const ModelOptions& options, const VocabularySizes& vocabulary) {
    std::int64_t numbers = 0;
    for (const auto& parameter :
         make(options, vocabulary, variants::values_of(options.kind, variants::Kind::model))->parameters())
      numbers += parameter.numel();
    return numbers;
  };
  add_costs(name, {.parameters = count, .flops = std::move(flops), .kept = std::move(kept)});
  makers()[name] = std::move(make);
}

AnyModel make(const ModelOptions& options, const VocabularySizes& vocabulary) {
  if (!options.kind) return EncoderDecoder(options, vocabulary);
  const auto values = variants::values_of(options.kind, variants::Kind::model);
  return makers().at(options.kind.name)(options, vocabulary, values);
}

}  // namespace transformer::models
