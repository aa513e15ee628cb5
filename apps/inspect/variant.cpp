#include "apps/inspect/variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "transformer/base/choices.h"
#include "transformer/base/error.h"
#include "transformer/base/exit_status.h"
#include "transformer/models/kind_check.h"
#include "transformer/nn/variant_check.h"
#include "transformer/train/variant_check.h"
#include "transformer/variants/choice.h"
#include "transformer/variants/registry.h"

namespace transformer::apps {
namespace {

std::vector<nn::VariantCheck> checks_of(const variants::Choice& choice, variants::Kind kind) {
  if (kind == variants::Kind::model) return models::check_kind(choice);
  return variants::is_of_training(kind) ? train::check_variant(choice, kind)
                                        : nn::check_variant(choice, kind);
}

/// Throws InputError where no kind has a variant of that name.
std::vector<nn::VariantCheck> checks_of(const std::string& text) {
  const auto choice = variants::parse(text);
  if (!choice || !*choice)
    throw InputError(fmt::format(
        "--check-variant: expected a variant's name and its options, as in local window=8, found '{}'",
        text));
  std::vector<nn::VariantCheck> all;
  for (const auto kind : all_values<variants::Kind>())
    if (variants::is_known(*choice, kind))
      for (auto& check : checks_of(*choice, kind)) all.push_back(std::move(check));
  if (all.empty())
    throw InputError(fmt::format(
        "--check-variant: expected a variant that this program knows, found '{}': --load names the "
        "shared library that has it",
        text));
  return all;
}

}  // namespace

int print_variant_checks(const std::string& text, bool as_json) {
  const auto checks = checks_of(text);
  auto list = nlohmann::ordered_json::array();
  for (const auto& [what, passed, found] : checks) {
    list.push_back({{"check", what}, {"passed", passed}, {"found", found}});
    if (!as_json) fmt::print("{:<6}  {}: {}\n", passed ? "ok" : "FAILED", what, found);
  }
  if (as_json) fmt::print("{}\n", list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  return std::ranges::all_of(checks, &nn::VariantCheck::passed) ? kDone : kFailed;
}

}  // namespace transformer::apps
