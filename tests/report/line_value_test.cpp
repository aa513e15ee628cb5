#include "transformer/report/line_value.h"

#include <cmath>

#include "tests/catch.h"

using transformer::report::line_value;

TEST_CASE("an infinite perplexity is told from one that is no number") {
  const auto line =
      nlohmann::json::parse(R"({"loss":712.5,"perplexity":1.7976931348623157e+308,"flops":1e9,"name":"x"})");
  CHECK(std::isinf(line_value(line, "perplexity")));
  CHECK(line_value(line, "loss") == 712.5);
  CHECK(line_value(line, "flops") == 1e9);
  for (const auto* key : {"name", "absent"}) CHECK(std::isnan(line_value(line, key)));
  // As earlier programs wrote them.
  CHECK(std::isinf(line_value(nlohmann::json::parse(R"({"loss":712.5,"perplexity":null})"), "perplexity")));
  CHECK(std::isnan(line_value(nlohmann::json::parse(R"({"loss":null,"perplexity":null})"), "perplexity")));
}
