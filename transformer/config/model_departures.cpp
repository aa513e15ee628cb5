#include "transformer/config/model_departures.h"

#include "transformer/config/keys.h"
#include "transformer/variants/registry.h"

namespace transformer::config {
namespace {

std::string_view papers_part(variants::Kind kind) {
  switch (kind) {
    case variants::Kind::attention:
      return "scaled dot-product attention (3.2.1)";
    case variants::Kind::feed_forward:
      return "the paper's feed-forward network (3.3)";
    case variants::Kind::norm:
      return "layer normalisation";
    case variants::Kind::positions:
      return "the vectors that the paper adds to the embeddings (3.5)";
    case variants::Kind::optimizer:
      return "the paper's Adam (5.3)";
    case variants::Kind::schedule:
      return "the paper's schedule of learning rates (5.3)";
    case variants::Kind::loss:
      return "the label-smoothed loss alone (5.4)";
    case variants::Kind::model:
      return "the paper's encoder-decoder (3)";
  }
  no_such_choice();
}

}  // namespace

void compare_variants(const std::vector<std::pair<variants::Kind, variants::Choice>>& chosen, Sentences& s) {
  for (const auto& [kind, choice] : chosen) {
    const auto about = variants::about(choice, kind);
    s.add("{}{}, in the place of {}{}", variants::print(choice),
          kind == variants::Kind::model ? "" : ", a variant from outside", papers_part(kind),
          about.empty() ? "" : fmt::format(": {}", about));
  }
}

void compare_model(const Experiment& e, Sentences& s) {
  if (e.model.kind) compare_variants({{variants::Kind::model, e.model.kind}}, s);
  if (!models::stacks_of(e.model).any()) return;
  for (const auto& key : keys())
    if (const auto sentence = key.departure ? key.departure(e) : ""; !sentence.empty()) s.add("{}", sentence);
  compare_variants(variants::chosen(e.model.variants), s);
}

}  // namespace transformer::config
