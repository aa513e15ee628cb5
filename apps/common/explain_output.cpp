#include "apps/common/explain_output.h"

#include <fmt/format.h>

#include "apps/common/not_empty.h"
#include "transformer/base/error.h"

namespace transformer::apps {

CLI::Option* add_explain_option(CLI::App& app, std::string& page) {
  return app
      .add_option("--explain", page,
                  "Also write the search as a tree, with what it considered and dropped: a page for X.html, "
                  "data for X.json; for 20 lines at most")
      ->check(kNotEmpty);
}

void check_explained(std::size_t texts, const std::string& name) {
  if (texts > kMostExplained)
    throw InputError(
        fmt::format("{}: expected at most {} lines for --explain, found more", name, kMostExplained));
}

ExplainOutput::ExplainOutput(const std::string& page, bool overwrite,
                             const std::vector<std::filesystem::path>& others, std::int64_t beam)
    : is_json_(page.ends_with(".json")) {
  if (!is_json_ && !page.ends_with(".html"))
    throw InputError(fmt::format("--explain: expected a name that ends in .html or .json, found '{}'", page));
  if (beam > kWidestExplained)
    throw InputError(
        fmt::format("--explain: expected a beam of at most {}, found {}", kWidestExplained, beam));
  check_differs(page, others);
  output_.emplace(page, overwrite, others);
}

void ExplainOutput::write(const report::Explanation& explanation) {
  output_->write(is_json_ ? report::explanation_json(explanation) : report::explanation_page(explanation));
}

}  // namespace transformer::apps
