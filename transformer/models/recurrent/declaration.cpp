#include "transformer/models/recurrent/declaration.h"

#include <fmt/format.h>

#include "transformer/base/error.h"

namespace transformer::models::recurrent {

variants::Declaration declaration() {
  const RecurrentOptions standard;
  return {.name = kRecurrent,
          .about = "recurrent layers read and write the sentences token by token",
          .options = {{.name = "cell",
                       .standard = std::string(name_of(standard.cell)),
                       .help = "of all layers",
                       .choices = all_names<Cell>()},
                      {.name = "attention",
                       .standard = std::string(name_of(standard.attention)),
                       .help = "additive: Bahdanau's; product: Luong's; none: the last state alone",
                       .choices = all_names<Attention>()},
                      {.name = "bidirectional",
                       .standard = standard.bidirectional,
                       .help = "whether the encoder reads in both directions, with d_model / 2 units each"},
                      {.name = "reverse_source",
                       .standard = standard.reverse_source,
                       .help = "whether the source's words are read last to first"},
                      {.name = "input_feeding",
                       .standard = standard.input_feeding,
                       .help = "whether a step of product attention reads the output before it"}},
          .keys = {"model.encoder_layers", "model.decoder_layers", "model.d_model", "model.dropout",
                   "model.output_bias", "model.tie"}};
}

RecurrentOptions options_of(const variants::Values& values) {
  return {.cell = value_named<Cell>(values.word("cell")).value(),
          .attention = value_named<Attention>(values.word("attention")).value(),
          .bidirectional = values.flag("bidirectional"),
          .reverse_source = values.flag("reverse_source"),
          .input_feeding = values.flag("input_feeding")};
}

void check(const ModelOptions& options, const RecurrentOptions& own) {
  if (own.bidirectional && options.d_model % 2 != 0)
    throw InputError(fmt::format(
        "model.d_model: expected an even number, or bidirectional=false of model.kind, found '{}'",
        options.d_model));
  if (own.input_feeding && own.attention != Attention::product)
    throw InputError(fmt::format("model.kind: expected attention=product with input_feeding=true, found '{}'",
                                 name_of(own.attention)));
}

FlopCount flops(const ModelOptions& options, const VocabularySizes& vocabulary, const TokenCounts& counts) {
  const auto own = options_of(variants::values_of(options.kind, variants::Kind::model));
  const auto d = static_cast<double>(options.d_model);
  // A layer as wide as the model has this product with its input, and once more with its state. Two
  // directions have half of it with the state.
  const double product = 2.0 * gates_of(own.cell) * d * d;
  FlopCount count{.source = counts.source * static_cast<double>(options.encoder_layers) * product *
                            (own.bidirectional ? 1.5 : 2),
                  .target = counts.target * (static_cast<double>(options.decoder_layers) * product * 2 +
                                             (feeds_back(own) ? product : 0)),
                  .output = counts.target * 2 * d * static_cast<double>(vocabulary.target)};
  if (own.attention == Attention::none) return count;
  const double query = own.attention == Attention::additive ? 2 * d * d : 0, readout = 4 * d * d;
  count.source += counts.source * 2 * d * d;  // keys
  count.target += counts.target * (query + readout) + counts.source_target * 4 * d;
  return count;
}

double kept(const ModelOptions& options, double length) {
  const auto own = options_of(variants::values_of(options.kind, variants::Kind::model));
  const auto d = static_cast<double>(options.d_model);
  const double layer = (4 + 2.0 * gates_of(own.cell)) * d;
  const double layers = static_cast<double>(options.encoder_layers + options.decoder_layers) * layer;
  const double attention = own.attention == Attention::none ? 0 : 2 * length + 6 * d;
  return layers + attention + (feeds_back(own) ? d : 0) + 4 * d;
}

}  // namespace transformer::models::recurrent
