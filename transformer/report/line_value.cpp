#include "transformer/report/line_value.h"

#include <limits>

namespace transformer::report {

double line_value(const nlohmann::json& line, const std::string& key) {
  using Limits = std::numeric_limits<double>;
  const auto found = line.find(key);
  if (found == line.end()) return Limits::quiet_NaN();
  const bool perplexity = key == "perplexity";
  if (found->is_number()) {
    const auto value = found->get<double>();
    return perplexity && value == Limits::max() ? Limits::infinity() : value;
  }
  const auto loss = line.find("loss");
  const bool beyond = perplexity && found->is_null() && loss != line.end() && loss->is_number();
  return beyond ? Limits::infinity() : Limits::quiet_NaN();
}

}  // namespace transformer::report
