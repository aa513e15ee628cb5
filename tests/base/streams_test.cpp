#include "transformer/base/streams.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

using namespace transformer;
using transformer::test::content_of;
using transformer::test::TemporaryFolder;

namespace {

void write_to(std::optional<int> descriptor, const std::string& text) {
  REQUIRE(descriptor.has_value());
  CHECK(::write(*descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  ::close(*descriptor);
}

}  // namespace

TEST_CASE("what this process has open is written on, not begun anew") {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "old\n");
  const int open = ::open(file.c_str(), O_WRONLY | O_APPEND);
  write_to(open_direct_output("/dev/fd/" + std::to_string(open)), "new\n");
  std::filesystem::create_symlink("/dev/fd/" + std::to_string(open), folder.path() / "link");
  write_to(open_direct_output((folder.path() / "link").string()), "newer\n");
  ::close(open);
  CHECK(content_of(file) == "old\nnew\nnewer\n");
  CHECK_THROWS_AS(open_direct_output("/dev/fd/" + std::to_string(open)), InputError);
}

TEST_CASE("pipes and devices are written to as they are, all else is not") {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  write_to(open_direct_output(pipe), "text");
  char text[8];
  CHECK(::read(reader, text, sizeof text) == 4);
  ::close(reader);
  write_to(open_direct_output("/dev/null"), "text");
  CHECK_FALSE(open_direct_output(folder.write("file", "")));
  CHECK_FALSE(open_direct_output(folder.path()));
  CHECK_FALSE(open_direct_output(folder.path() / "nothing"));
  CHECK_FALSE(open_direct_output("nowhere/nothing"));
}

TEST_CASE("inputs are opened by name, by number and by a dash") {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "text");
  char text[8];
  const int descriptor = open_input(file);
  CHECK(::read(descriptor, text, 2) == 2);
  const int same = open_input("/dev/fd/" + std::to_string(descriptor));
  CHECK(::read(same, text, sizeof text) == 2);  // where the other stopped
  ::close(same);
  ::close(descriptor);
  ::close(open_input("-"));
  CHECK(input_name("-") == "standard input");
  CHECK(input_name("file") == "file");
  CHECK_THROWS_WITH(open_input(folder.path()), ContainsSubstring("Is a directory"));
  CHECK_THROWS_WITH(open_input("nosuch"), ContainsSubstring("nosuch: cannot be read"));
}

TEST_CASE("a pipe that this process was given is read whole, once, and up to a limit") {
  const TemporaryFolder folder;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const auto name = "/dev/fd/" + std::to_string(ends[0]);
  write_to(ends[1], "text");  // and closes
  CHECK(read_given_pipe(name, 4) == "text");
  CHECK(read_given_pipe(name, 4) == "");
  ::close(ends[0]);
  REQUIRE(::pipe(ends) == 0);
  const auto long_name = "/dev/fd/" + std::to_string(ends[0]);
  write_to(::dup(ends[1]), "texts");  // more may follow
  CHECK_THROWS_WITH(read_given_pipe(long_name, 4), ContainsSubstring("expected at most 4 bytes, found more"));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("what is no pipe that this process was given is not read") {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe", file = folder.write("file", "text");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int open = ::open(file.c_str(), O_RDONLY);
  const std::string number = "/dev/fd/" + std::to_string(open);
  for (const auto& path :
       {pipe.string(), file.string(), number, std::string("/dev/zero"), std::string("nosuch")})
    CHECK_FALSE(read_given_pipe(path, 4));
  ::close(open);
}
