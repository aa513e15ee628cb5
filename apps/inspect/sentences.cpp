#include "apps/inspect/sentences.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "transformer/base/error.h"
#include "transformer/config/yaml.h"
#include "transformer/data/prepared.h"

namespace transformer::apps {
namespace {

void print_text(std::int64_t number, const nlohmann::ordered_json& pair) {
  fmt::print("sentence {}\n", number);
  for (const auto* side : {"source", "target"})
    fmt::print("  {} ({} tokens)  {}\n", side, pair.at(side).at("tokens").get<std::size_t>(),
               pair.at(side).at("text").get_ref<const std::string&>());
}

}  // namespace

void print_sentences(const std::string& config, const std::vector<std::string>& overrides,
                     const std::vector<std::int64_t>& numbers, bool as_json) {
  const data::Prepared prepared(config::load_given_experiment(config, overrides).data);
  for (const auto number : numbers) {
    if (number < 0 || number >= prepared.train.size())
      throw InputError(fmt::format("--sentences: expected numbers from 0 to {}, the last of {}, found {}",
                                   prepared.train.size() - 1, prepared.paths.train().string(), number));
  }
  const auto side = [](const data::Tokenizer& tokenizer, std::span<const std::int32_t> ids) {
    return nlohmann::ordered_json{{"tokens", ids.size()}, {"text", tokenizer.decode(ids)}};
  };
  auto list = nlohmann::ordered_json::array();
  for (const auto number : numbers) {
    const nlohmann::ordered_json pair = {
        {"sentence", number},
        {"source", side(prepared.source_tokenizer, prepared.train.source(number))},
        {"target", side(prepared.target_tokenizer, prepared.train.target(number))}};
    if (as_json) {
      list.push_back(pair);
    } else {
      print_text(number, pair);
    }
  }
  if (as_json) fmt::print("{}\n", list.dump(2));
}

}  // namespace transformer::apps
