#include "transformer/base/output_place.h"

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"

using namespace transformer;
using transformer::test::TemporaryFolder;
namespace fs = std::filesystem;

TEST_CASE("a path is followed through links to where it leads, be it there or not") {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "text");
  fs::create_directory(folder.path() / "sub");
  fs::create_symlink("../file", folder.path() / "sub" / "near");
  fs::create_symlink(folder.path() / "sub" / "near", folder.path() / "far");
  fs::create_symlink("nowhere", folder.path() / "dangling");
  fs::create_symlink("circle", folder.path() / "circle");
  CHECK(followed(file) == file);
  CHECK(fs::equivalent(followed(folder.path() / "far"), file));
  CHECK_FALSE(fs::is_symlink(followed(folder.path() / "far")));
  CHECK(followed(folder.path() / "dangling") == folder.path() / "nowhere");
  CHECK(followed("nothing") == "nothing");
  CHECK_THROWS_AS(followed(folder.path() / "circle"), InputError);
}

TEST_CASE("an output is no input, by whatever name, and none lies in it") {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "out" / "deep");
  const auto input = folder.write("out/deep/input", "text");
  const auto other = folder.write("other", "text");
  const auto refused = [&](const fs::path& output, const fs::path& read) {
    CAPTURE(output, read);
    CHECK_THROWS_AS(check_apart(output, {other, read}), InputError);
    CHECK_THROWS_WITH(check_apart(output, {other, read}),
                      ContainsSubstring(output.string() + ": expected") && ContainsSubstring(read.string()));
  };
  refused(input, input);
  refused(folder.path() / "out", input);
  refused(folder.path() / "out", folder.path() / "out");
  refused(folder.path() / "out", folder.path() / "out" / "deep");
  refused(folder.path() / "out" / "." / "deep" / ".." / "deep", input);
  fs::create_symlink("out", folder.path() / "link");
  refused(folder.path() / "link", input);
  refused(folder.path() / "out", folder.path() / "link" / "deep" / "input");
  fs::create_hard_link(input, folder.path() / "hard");
  refused(folder.path() / "hard", input);
  fs::create_symlink(other, folder.path() / "out" / "leads-away");  // the link itself would be lost
  refused(folder.path() / "out", folder.path() / "out" / "leads-away");

  CHECK_NOTHROW(check_apart(folder.path() / "out", {other}));
  CHECK_NOTHROW(check_apart(folder.path() / "new", {other, folder.path() / "missing"}));
  CHECK_NOTHROW(check_apart(folder.path() / "out" / "deep" / "new", {input, folder.path() / "out"}));
  CHECK_NOTHROW(check_apart("/dev/null", {"/dev/null"}));
}

TEST_CASE("nothing is written among the checkpoints of a run") {
  const TemporaryFolder folder;
  const auto checkpoints = folder.path() / "run" / "checkpoints";
  fs::create_directories(checkpoints / "step-00000004");
  const auto refused = [](const fs::path& output) {
    CAPTURE(output);
    CHECK_THROWS_WITH(check_output_place(output, {}), ContainsSubstring("checkpoints of a run"));
    CHECK_THROWS_WITH(check_output_file(output, {}), ContainsSubstring("checkpoints of a run"));
  };
  CHECK_NOTHROW(check_output_place(checkpoints / "new", {}));  // somebody's own checkpoints
  SECTION("as a training leaves them") {
    fs::create_symlink("step-00000004", checkpoints / "last");
    fs::create_symlink("run", folder.path() / "link");
    refused(checkpoints / "last");
    refused(folder.path() / "link" / "checkpoints" / "last");
  }
  SECTION("as a training leaves them where there are no links") {
    folder.write("run/checkpoints/last", "step-00000004\n");
  }
  SECTION("as a copy that followed links leaves them") {
    fs::create_directory(checkpoints / "last");
    folder.write("run/config.yaml", "");
    folder.write("run/metrics.jsonl", "");
  }
  if (fs::exists(checkpoints / "last")) {
    refused(checkpoints);
    refused(checkpoints / "step-00000004");
    refused(checkpoints / "step-00000004" / "new");
    refused(checkpoints / "new" / "deep");
    CHECK_NOTHROW(check_output_place(folder.path() / "run" / "average", {}));
  }
}

TEST_CASE("a folder is written where there is none or one, and nothing below a file") {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "text");
  const auto below = file / "deep" / "new";
  CHECK_THROWS_AS(check_output_place(below, {}), InputError);
  CHECK_THROWS_WITH(check_output_place(below, {}),
                    ContainsSubstring(below.string() + ": expected a place in a folder") &&
                        ContainsSubstring(file.string() + " is none"));
  CHECK_THROWS_WITH(check_output_file(below, {}), ContainsSubstring("expected a place in a folder"));
  CHECK_THROWS_AS(check_output_folder(file), InputError);
  CHECK_THROWS_WITH(check_output_folder(file),
                    ContainsSubstring(file.string() + ": expected a folder or nothing, found a file"));
  fs::create_symlink("nowhere", folder.path() / "lost");
  CHECK_THROWS_WITH(check_output_folder(folder.path() / "lost"),
                    ContainsSubstring("lost: expected a folder or nothing, found a link to nowhere"));
  CHECK_THROWS_WITH(check_output_folder(folder.path() / "lost" / "new"), ContainsSubstring("lost is none"));
  fs::create_directory_symlink(folder.path(), folder.path() / "link");
  for (const auto& good : {folder.path(), folder.path() / "new" / "deep", folder.path() / "link" / "new"}) {
    CAPTURE(good);
    CHECK_NOTHROW(check_output_folder(good));
  }
}

TEST_CASE("where a path leads ends in a name") {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "out");
  fs::create_symlink("out/.", folder.path() / "link");
  for (const auto* name : {"out", "out/", "out/.", "out/./.", "link", "link/", "link/."})
    CHECK(followed(folder.path() / name) == folder.path() / "out");
  CHECK(followed(folder.path() / "new" / ".") == folder.path() / "new");
  CHECK(followed("new/.") == "new");
  CHECK(followed(".") == fs::canonical("."));
  CHECK(followed("..") == fs::canonical(".."));
  CHECK(followed(folder.path() / "out" / "..") == fs::canonical(folder.path()));
  CHECK(followed("/") == "/");
}

TEST_CASE("the working directory, and what it lies in, is not replaced as a whole") {
  const TemporaryFolder folder;
  const auto here = fs::current_path();
  fs::create_directories(folder.path() / "work" / "deep");
  fs::current_path(folder.path() / "work");
  for (const auto& output : {fs::path("."), fs::path(".."), fs::path("deep/.."), folder.path() / "work"})
    CHECK_THROWS_WITH(check_whole_folder(output, {}),
                      ContainsSubstring(output.string() + ": expected another folder than the working"));
  for (const auto* output : {"new", "./new", "new/.", "deep", "../other"})
    CHECK_NOTHROW(check_whole_folder(output, {}));
  CHECK_NOTHROW(check_output_folder("."));  // which is filled
  fs::current_path(here);
}

TEST_CASE("a file is replaced if it is one, and no part of a whole") {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "model");
  const auto part = folder.write("model/weights", "numbers");
  write_checksums(folder.path() / "model");
  const auto added = folder.write("model/translation", "text");
  fs::create_symlink(part, folder.path() / "link");
  for (const auto& output : {part, folder.path() / "link", folder.path() / "model" / "checksums.sha256"}) {
    CAPTURE(output);
    CHECK_THROWS_WITH(check_output_file(output, {}), ContainsSubstring("one of the files in"));
  }
  CHECK_THROWS_WITH(check_output_file(folder.path() / "model", {}), ContainsSubstring("found a folder"));
  CHECK_NOTHROW(check_output_file(added, {}));
  CHECK_NOTHROW(check_output_file(folder.path() / "model" / "new", {}));
}
