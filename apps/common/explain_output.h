// --explain: the search that found texts, as trees.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/translation_output.h"
#include "transformer/report/search_page.h"

namespace transformer::apps {

/// A page with more texts, or wider beams, would be more than a person reads and a browser draws.
inline constexpr std::size_t kMostExplained = 20;
inline constexpr std::int64_t kWidestExplained = 16;

CLI::Option* add_explain_option(CLI::App& app, std::string& page);

/// Throws InputError for more than kMostExplained texts. name: of what has them
void check_explained(std::size_t texts, const std::string& name);

class ExplainOutput {
 public:
  /// page: a name that ends in .html or .json. others: what else the program reads or writes. Throws
  /// InputError for another name, a beam above kWidestExplained, and as TranslationOutput does.
  ExplainOutput(const std::string& page, bool overwrite, const std::vector<std::filesystem::path>& others,
                std::int64_t beam);

  void write(const report::Explanation& explanation);
  /// Makes the file appear.
  void finish() { output_->finish(); }

 private:
  bool is_json_;
  std::optional<TranslationOutput> output_;
};

}  // namespace transformer::apps
