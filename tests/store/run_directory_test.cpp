#include "transformer/store/run_directory.h"

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

namespace transformer::store {
namespace {

namespace fs = std::filesystem;

TEST_CASE("checkpoints are listed by step, without links, files and temporaries") {
  const test::TemporaryFolder folder;
  const RunDirectory run{folder.path()};
  CHECK(run.list_checkpoints().empty());
  for (const std::int64_t step : {20, 3, 123456789, 100}) fs::create_directories(run.checkpoint(step));
  fs::create_directory(run.checkpoints() / ".step-00000004.partial-1-1");
  fs::create_directory(run.checkpoints() / "step-5");
  fs::create_directory(run.checkpoints() / "step-00000005-old");
  std::ofstream(run.checkpoints() / "step-00000006") << "a file";
  run.link("last", 100);
  fs::create_directory_symlink("step-00000003", run.checkpoints() / "step-00000007");

  std::vector<std::int64_t> steps;
  for (const auto& checkpoint : run.list_checkpoints()) {
    steps.push_back(checkpoint.step);
    CHECK(checkpoint.path == run.checkpoint(checkpoint.step));
  }
  CHECK(steps == std::vector<std::int64_t>{3, 20, 100, 123456789});
}

TEST_CASE("a link follows the step it is given, relative to the run") {
  const test::TemporaryFolder folder;
  const RunDirectory run{folder.path() / "run"};
  for (const std::int64_t step : {1, 2}) fs::create_directories(run.checkpoint(step));
  CHECK(run.linked_step("best") == std::nullopt);
  run.link("best", 1);
  CHECK(run.linked_step("best") == 1);
  run.link("best", 2);
  CHECK(run.linked_step("best") == 2);
  const RunDirectory moved{folder.path() / "moved"};
  fs::rename(run.path, moved.path);
  CHECK(moved.linked_step("best") == 2);
  fs::remove(moved.checkpoint(2));
  CHECK(moved.linked_step("best") == std::nullopt);  // dangling
}

TEST_CASE("a link that cannot be made is named") {
  const test::TemporaryFolder folder;
  const RunDirectory run{folder.path()};
  CHECK_THROWS_AS(run.link("last", 1), InputError);
  CHECK_THROWS_WITH(run.link("last", 1), ContainsSubstring((run.checkpoints() / "last").string()));
}

TEST_CASE("a checkpoint that is set aside is kept under another name, however often") {
  const test::TemporaryFolder folder;
  const RunDirectory run{folder.path()};
  for (const auto* name : {"step-00000007.damaged", "step-00000007.damaged-2"}) {
    fs::create_directories(run.checkpoint(7));
    CHECK(run.set_aside({7, run.checkpoint(7)}).filename() == name);
    CHECK(fs::is_directory(run.checkpoints() / name));
    CHECK(run.list_checkpoints().empty());
  }
}

}  // namespace
}  // namespace transformer::store
