#include "transformer/experiments/metrics.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace transformer;
using transformer::test::TemporaryFolder;

TEST_CASE("a run's metrics give its curve, its time over all sittings and its FLOPs") {
  const TemporaryFolder folder;
  const auto file = folder.write("metrics.jsonl",
                                 R"({"step":10,"split":"train","perplexity":9,"flops":100,"seconds":5}
{"step":20,"split":"dev","perplexity":8.5,"flops":200,"seconds":11}
{"step":30,"split":"train","perplexity":7,"flops":300,"seconds":4}
not ours
{"step":40,"split":"dev","perplexity":null,"flops":400,"seconds":6,"bleu":30.5}
{"step":40,"split":"de)");
  report::Run run;
  experiments::read_metrics(file, "bleu", run);
  CHECK(run.steps == 40);
  CHECK(run.seconds == 17);
  CHECK(run.flops == 400);
  REQUIRE(run.curve.size() == 2);
  CHECK(run.curve[0].step == 20);
  CHECK(run.curve[0].perplexity == 8.5);
  CHECK_FALSE(run.curve[0].score);
  CHECK(std::isnan(run.curve[1].perplexity));
  CHECK(run.curve[1].score == 30.5);
}

TEST_CASE("where nothing was measured yet there is nothing") {
  const TemporaryFolder folder;
  report::Run run;
  experiments::read_metrics(folder.path() / "none", "bleu", run);
  CHECK(run.curve.empty());
  CHECK(run.seconds == 0);
}
