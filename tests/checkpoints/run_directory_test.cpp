#include "transformer/checkpoints/run_directory.h"

#include <fstream>
#include <set>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/temporary.h"

namespace transformer::checkpoints {
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

/// A run whose checkpoints have two files each. last and best are folders, as `cp -rL` leaves them.
struct CopiedRun {
  test::TemporaryFolder folder;
  RunDirectory run{folder.path()};

  CopiedRun() {
    for (const std::int64_t step : {1, 2}) fill(run.checkpoint(step), std::to_string(step));
    fill(place("last"), "2");
    fill(place("best"), "1");
  }
  fs::path place(const char* name) const { return run.checkpoints() / name; }
  static void fill(const fs::path& checkpoint, const std::string& content) {
    fs::create_directories(checkpoint);
    std::ofstream(checkpoint / "weights") << content << std::string(3 << 20, 'x') << content;
    std::ofstream(checkpoint / "state") << content;
  }
};

TEST_CASE("a folder in the place of a link gives way where a checkpoint has the same content") {
  const CopiedRun copy;
  copy.run.link("last", 2);
  copy.run.link("best", 1);
  CHECK(copy.run.linked_step("last") == 2);
  CHECK(copy.run.linked_step("best") == 1);
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(copy.run.checkpoints()))
    names.insert(entry.path().filename().string());
  CHECK(names == std::set<std::string>{"best", "last", "step-00000001", "step-00000002"});
}

TEST_CASE("what has the place of a link and exists nowhere else is kept") {
  const CopiedRun copy;
  const auto last = copy.place("last");
  SECTION("another byte") {
    std::fstream(last / "weights", std::ios::in | std::ios::out).seekp(2 << 20) << '!';
  }
  SECTION("a shorter file") {
    fs::resize_file(last / "weights", 5);
  }
  SECTION("a further file") {
    std::ofstream(last / "notes.txt") << "mine";
  }
  SECTION("a further folder") {
    fs::create_directory(last / "notes");
  }
  SECTION("a file less") {
    fs::remove(last / "state");
  }
  SECTION("its checkpoint is no more") {
    fs::remove_all(copy.run.checkpoint(2));
  }
  SECTION("a file") {
    fs::remove_all(last);
    std::ofstream(last) << "step-00000002";
  }
  const bool folder = fs::is_directory(last);
  const auto size = folder ? fs::file_size(last / "weights") : fs::file_size(last);
  copy.run.link("last", 1);
  CHECK(copy.run.linked_step("last") == 1);
  const auto kept = copy.place("last.kept");
  CHECK((folder ? fs::file_size(kept / "weights") : fs::file_size(kept)) == size);
  fs::remove(last);
  CopiedRun::fill(last, "another");
  copy.run.link("last", 1);
  CHECK(fs::exists(copy.place("last.kept-2") / "weights"));
  CHECK(copy.run.list_checkpoints().size() == (fs::exists(copy.run.checkpoint(2)) ? 2 : 1));
}

TEST_CASE("a link may be a file, as on a file system without links") {
  const CopiedRun copy;
  for (const auto* name : {"last", "best"}) {
    fs::remove_all(copy.place(name));
    std::ofstream(copy.place(name)) << "step-00000002\n";
    CHECK(copy.run.linked_step(name) == 2);
    CHECK(linked_checkpoint(copy.place(name)) == copy.run.checkpoint(2));
  }
  copy.run.link("last", 1);
  CHECK(copy.run.linked_step("last") == 1);
  fs::remove_all(copy.run.checkpoint(2));
  CHECK_FALSE(copy.run.linked_step("best"));
  copy.run.link("best", 1);
  CHECK(copy.run.list_checkpoints().size() == 1);
  CHECK_FALSE(lies_at(copy.place("best.kept")));
}

TEST_CASE("a rehearsal leaves nothing behind, and fails where saving would") {
  const test::TemporaryFolder folder;
  const RunDirectory run{folder.path()};
  fs::create_directories(run.checkpoints());
  run.rehearse();
  CHECK(fs::is_empty(run.checkpoints()));
  fs::remove(run.checkpoints());
  folder.write("checkpoints", "a file");
  CHECK_THROWS_AS(run.rehearse(), InputError);
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
}  // namespace transformer::checkpoints
