#include "transformer/base/temporary.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/atomic_file.h"
#include "transformer/base/checksums.h"

using namespace transformer;
using transformer::test::content_of;
using transformer::test::entries;
using transformer::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

/// The exit status of a child process that runs `work` and must end by itself.
template <typename Work>
int status_of_child(Work work) {
  const auto child = ::fork();
  if (child == 0) {
    work();
    ::_exit(99);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The same of one whose other thread calls `work` without end, and that ends with status 7 as soon as `work`
/// has counted to two.
template <typename Work>
int status_of_child_that_ends_amid(Work work) {
  return status_of_child([&] {
    std::atomic<int> count = 0;
    std::thread([&] {
      try {
        while (true) work(count);
      } catch (...) {
        wait_if_exiting();
        ::_exit(8);
      }
    }).detach();
    while (count < 2) std::this_thread::yield();
    exit_without_temporaries(7);
  });
}

}  // namespace

TEST_CASE("what a killed process left is removed, what lives is kept") {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / ".model.partial-1-1");
  folder.write(".model.partial-1-1/file", "half");
  folder.write(".file.partial-1-2", "half");
  folder.write("file", "whole");
  AtomicFile file(folder.path() / "growing");
  AtomicDirectory directory(folder.path() / "filling");
  CHECK(entries(folder.path()) == 5);
  remove_abandoned_temporaries(folder.path());
  CHECK(entries(folder.path()) == 3);
  CHECK(fs::exists(directory.temporary()));
  file.write("text");
  file.commit();
  CHECK(content_of(folder.path() / "growing") == "text");
}

TEST_CASE("who writes a place removes what killed processes left of it, and of no other") {
  const TemporaryFolder folder;
  const AtomicFile living(folder.path() / "out");
  folder.write(".out.partial-1-1", "half");
  folder.write(".other.partial-1-1", "half");
  folder.write(".out.partial-1-1.partial-1-1", "half");
  fs::create_directory(folder.path() / ".model.partial-77-2");
  write_file_atomically(folder.path() / "out", "whole");
  CHECK_FALSE(fs::exists(folder.path() / ".out.partial-1-1"));
  CHECK(entries(folder.path()) == 5);  // with the new one
  AtomicDirectory(folder.path() / "model").commit();
  CHECK_FALSE(fs::exists(folder.path() / ".model.partial-77-2"));
  CHECK(fs::exists(living.temporary()));
}

TEST_CASE("what another process takes for abandoned before it is locked is made again") {
  const TemporaryFolder folder;
  std::atomic<bool> done = false;
  std::vector<std::thread> cleaners;
  for (int i = 0; i < 3; ++i)
    cleaners.emplace_back([&] {
      while (!done) remove_abandoned_temporaries(folder.path());
    });
  int there = 0, written = 0;
  try {
    for (int i = 0; i < 500; ++i) {
      const Temporary file(folder.path() / "file", Temporary::Kind::file);
      const Temporary made(folder.path() / "folder", Temporary::Kind::folder);
      there += lies_at(file.path()) && lies_at(made.path());
    }
    for (int i = 0; i < 20; ++i) {
      const auto name = std::to_string(i);
      write_file_atomically(folder.path() / ("file-" + name), name);
      AtomicDirectory directory(folder.path() / ("folder-" + name));
      write_file_atomically(directory.temporary() / "file", name);
      directory.commit();
      ++written;
    }
  } catch (const std::exception& error) {
    UNSCOPED_INFO(error.what());
  }
  done = true;
  for (auto& cleaner : cleaners) cleaner.join();
  CHECK(there == 500);
  CHECK(written == 20);
}

TEST_CASE("what only looks like a temporary is kept") {
  const TemporaryFolder folder;
  for (const auto* name : {".notes.partial-draft", ".a.partial-1", ".a.partial-1-", ".a.partial-1-2.txt",
                           "a.partial-1-2", ".a.partial-1-2-3", ".partial"})
    folder.write(name, "mine");
  remove_abandoned_temporaries(folder.path());
  CHECK(entries(folder.path()) == 7);
}

TEST_CASE("a folder is removed with all that is in it, and an absent one needs no removing") {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "old" / "deep");
  folder.write("old/deep/file", "text");
  remove_folder(folder.path() / "old");
  CHECK(entries(folder.path()) == 0);
  CHECK_NOTHROW(remove_folder(folder.path() / "old"));
}

TEST_CASE("what a temporary path is to become is known until it has") {
  const TemporaryFolder folder;
  const auto place = folder.path() / "model";
  AtomicDirectory directory(place);
  const auto inside = directory.temporary() / "sub" / "file";
  CHECK(intended_place(directory.temporary()) == place);
  CHECK(intended_place(inside) == place / "sub" / "file");
  CHECK(intended_place(folder.path() / "file") == folder.path() / "file");
  CHECK(intended_place("file") == "file");
  const AtomicFile file(directory.temporary() / "other");
  CHECK(intended_place(file.temporary()) == place / "other");
  write_file_atomically(directory.temporary() / "whole", "text");
  directory.commit();
  CHECK(intended_place(inside) == inside);
}

TEST_CASE("what lies in a temporary folder is known, at any depth") {
  const TemporaryFolder folder;
  const AtomicDirectory directory(folder.path() / "model");
  CHECK(in_temporary_folder(directory.temporary() / "file"));
  CHECK(in_temporary_folder(directory.temporary() / "sub" / "file"));
  CHECK_FALSE(in_temporary_folder(directory.temporary()));
  CHECK_FALSE(in_temporary_folder(folder.path() / "file"));
  CHECK_FALSE(in_temporary_folder("file"));
}

TEST_CASE("a process that ends takes its temporaries with it") {
  const TemporaryFolder folder;
  folder.write("kept", "old");
  CHECK(status_of_child([&] {
          AtomicFile file(folder.path() / "kept");
          file.write("new");
          AtomicDirectory directory(folder.path() / "model");
          write_file_atomically(directory.temporary() / "weights", "numbers");
          exit_without_temporaries(7);
        }) == 7);
  CHECK(entries(folder.path()) == 1);
  CHECK(content_of(folder.path() / "kept") == "old");
}

TEST_CASE("a process that ends amid the work of another thread leaves whole folders only") {
  const TemporaryFolder folder;
  for (int i = 0; i < 40; ++i) {
    CHECK(status_of_child_that_ends_amid([&](std::atomic<int>& made) {
            AtomicDirectory directory(folder.path() / std::to_string(made));
            for (const auto* name : {"a", "b", "c"})
              write_file_atomically(directory.temporary() / name, "text");
            write_checksums(directory.temporary());
            directory.commit(AtomicDirectory::Existing::replace);
            ++made;
          }) == 7);
  }
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    INFO(entry.path());
    CHECK_FALSE(entry.path().filename().string().starts_with('.'));
    CHECK(entries(entry.path()) == 4);
  }
}

TEST_CASE("a process that ends while another thread deletes a folder finishes that") {
  const TemporaryFolder folder;
  for (int i = 0; i < 40; ++i) {
    CHECK(status_of_child_that_ends_amid([&](std::atomic<int>& begun) {
            const auto old = folder.path() / fmt::format("old-{}", begun);
            fs::create_directory(old);
            for (int file = 0; file < 200; ++file) std::ofstream(old / std::to_string(file)) << "text";
            ++begun;
            remove_folder(old);
          }) == 7);
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      INFO(entry.path());
      CHECK_FALSE(entry.path().filename().string().starts_with('.'));  // as a folder that goes is called
      fs::remove_all(entry.path());                                    // one that was not going yet
    }
  }
}
