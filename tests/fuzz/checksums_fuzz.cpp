// checksums.sha256 of a folder that holds two files and a folder.
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"
#include "tests/temporary_folder.h"
#include "transformer/base/checksums.h"

namespace transformer::fuzz {
namespace {

class Folder {
 public:
  Folder() {
    std::filesystem::create_directory(folder_.path() / "sub");
    folder_.write("model", "abc");
    folder_.write("sub/a file", "");
  }

  /// Whether the files are what `list` says.
  bool holds(std::string_view list) const {
    folder_.write(std::string(checksums_name), std::string(list));
    return accepted([&] {
             verify_checksums(folder_.path());
             return true;
           })
        .value_or(false);
  }

 private:
  test::TemporaryFolder folder_;
};

const std::string list = sha256("abc") + "  model\n" + sha256("") + " *sub/a file\n";

}  // namespace

std::vector<std::string> seeds() {
  return {list,
          "",
          sha256("abc") + "  sub/../model\n",
          sha256("") + "  sub\n",
          sha256("abc") + "  " + std::string(300, 'x') + "\n",
          sha256("abc") + "  model/x\n"};
}

std::vector<std::string> words() {
  return {"  ",
          " *",
          "\n",
          "..",
          "/",
          "./",
          "model",
          "sub",
          "a file",
          std::string(260, 'x'),
          sha256(""),
          sha256("abc"),
          std::string(1, '\0'),
          "\xff",
          "\r\n",
          std::string(checksums_name)};
}

}  // namespace transformer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace transformer::fuzz;
  static const Folder folder;
  const auto text = text_of(data, size);
  if (folder.holds(text)) {
    require(text.find("..") == std::string_view::npos, "a list names no file outside its folder");
    const std::string end = text.empty() || text.ends_with('\n') ? "" : "\n";
    const std::string wrong = std::string(64, '0') + "  model\n";
    require(!folder.holds(std::string(text) + end + wrong), "a wrong sum is noticed");
  }
  return 0;
}
