#include "transformer/formats/pytorch/pytorch_checkpoint.h"

#include <filesystem>

#include "tests/catch.h"
#include "tests/damage.h"
#include "tests/formats/exported_model.h"
#include "tests/formats/pytorch/their_checkpoint.h"
#include "tests/temporary_folder.h"
#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/formats/pytorch/pickle_data.h"

namespace transformer::formats {
namespace {

using test::checkpoint_of;
using test::pickled_integer;
using test::pickled_state;
using test::pickled_tensor;
using test::pickled_text;

class CheckpointFile {
 public:
  explicit CheckpointFile(const std::string& content) { write_file_atomically(path, content); }

  std::map<std::string, torch::Tensor> load(const std::string& state = "") const {
    return load_pytorch_checkpoint(path, state);
  }

  test::TemporaryFolder folder;
  std::filesystem::path path = folder.path() / "model.pt";
};

void refused_checkpoint(const std::string& content, const std::vector<std::string>& expected,
                        const std::string& state = "") {
  const CheckpointFile file(content);
  test::check_refused([&] { file.load(state); }, expected);
}

TEST_CASE("a checkpoint's tensors are views of its storages") {
  const auto numbers = torch::arange(6, torch::kFloat);
  const std::string data = "}(" + pickled_text("rows") + pickled_tensor("0", {2, 3}, {3, 1}) +
                           pickled_text("columns") + pickled_tensor("0", {3, 2}, {1, 3}) +
                           pickled_text("one") + pickled_tensor("0", {}, {}, 4) + "u";
  const CheckpointFile file(checkpoint_of(data, {{"0", numbers}}));
  CHECK(is_pytorch_checkpoint(file.path));
  const auto tensors = file.load();
  REQUIRE(tensors.size() == 3);
  CHECK(torch::equal(tensors.at("rows"), numbers.view({2, 3})));
  CHECK(torch::equal(tensors.at("columns"), numbers.view({2, 3}).t()));
  CHECK(tensors.at("one").item<float>() == 4);
}

TEST_CASE("a key selects the state_dict among other things") {
  const auto inner = pickled_state({{"a", torch::ones(2)}});
  const auto all = "}(" + pickled_text("epoch") + pickled_integer(3) + pickled_text("model") + inner + "u";
  const auto content = checkpoint_of(all, {{"a", torch::ones(2)}});
  CHECK(CheckpointFile(content).load("model").contains("a"));
  refused_checkpoint(content, {"model.pt", "'epoch': expected a tensor, found an integer", "`state`"});
  refused_checkpoint(content, {"expected the key 'ema' (state), found 'epoch', 'model'"}, "ema");
  refused_checkpoint(content, {"expected a dictionary of tensors, found an integer"}, "epoch");
}

TEST_CASE("what a pickle would execute is refused by name, and not executed") {
  const test::TemporaryFolder folder;
  const auto trace = folder.path() / "executed";
  const auto command = "cos\nsystem\n(" + pickled_text("touch " + trace.string()) + "tR";
  refused_checkpoint(checkpoint_of(command, {}), {"model.pt", "found 'os.system', which would be executed"});
  refused_checkpoint(checkpoint_of("}(" + pickled_text("a") + command + "u", {}), {"os.system"});
  refused_checkpoint(checkpoint_of(pickled_text("os") + pickled_text("system") + "\x93", {}), {"os.system"});
  for (const std::string made : {"(ios\nsystem\n", "(cos\nsystem\no", ")\x81", "\x82\x01", "P0\n"})
    refused_checkpoint(checkpoint_of(made, {}), {"model.pt"});
  CHECK_FALSE(std::filesystem::exists(trace));
}

TEST_CASE("checkpoints of other sorts are refused by name") {
  refused_checkpoint("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.",
                     {"expected a zip archive, as PyTorch writes since 1.6, found a pickle", "torch.save"});
  refused_checkpoint(test::stored_zip({{"m/data.pkl", "}."}, {"m/constants.pkl", "."}}), {"TorchScript"});
  refused_checkpoint(test::stored_zip({{"readme", "text"}}), {"'NAME/data.pkl'"});
  refused_checkpoint(test::stored_zip({{"m/data.pkl", "\x80\x02}."}, {"m/byteorder", "big"}}), {"'big'"});
  refused_checkpoint("text", {"expected a zip archive"});
  refused_checkpoint("", {"expected a zip archive"});
}

TEST_CASE("tensors outside their storages are refused") {
  const auto numbers = torch::arange(6, torch::kFloat);
  const auto refused = [&](const std::string& tensor, const std::vector<std::string>& expected) {
    refused_checkpoint(checkpoint_of("}" + pickled_text("w") + tensor + "s", {{"0", numbers}}), expected);
  };
  refused(pickled_tensor("0", {7}, {1}), {"'w': expected numbers inside its storage of 6, found sizes [7]"});
  refused(pickled_tensor("0", {3}, {3}), {"'w'", "strides [3]"});
  refused(pickled_tensor("0", {3}, {1}, 4), {"offset 4"});
  refused(pickled_tensor("0", {3}, {1}, -1), {"offset -1"});
  refused(pickled_tensor("0", {-3}, {1}), {"sizes [-3]"});
  refused(pickled_tensor("0", {3}, {-1}), {"strides [-1]"});
  refused(pickled_tensor("0", {1000000, 1000000}, {0, 0}), {"sizes [1000000, 1000000]"});
  refused(pickled_tensor("0", {2147483647, 2147483647, 2147483647}, {2147483647, 1, 1}), {"'w'"});
  refused(pickled_tensor("0", {2}, {1, 1}), {"'w'"});
  refused(pickled_tensor("0", std::vector<std::int64_t>(20, 1), std::vector<std::int64_t>(20, 1)),
          {"at most 16 dimensions"});
  refused(pickled_tensor("1", {2}, {1}), {"expected an entry 'archive/data/1'"});
}

TEST_CASE("a damaged checkpoint is refused, or the same all the same") {
  const auto tensors =
      std::map<std::string, torch::Tensor>{{"a", torch::ones({3, 2})}, {"b", torch::ones(4)}};
  const CheckpointFile file(checkpoint_of(pickled_state(tensors), tensors));
  test::damage_noticed(file.path, [&] {
    file.load();
    return true;
  });
}

TEST_CASE("a pickle's values are numbers, texts and collections, however deep") {
  const auto root = [](const std::string& bytes) { return PickleData(bytes, "data.pkl", {}); };
  CHECK(root("K\x07.").root().integer == 7);
  CHECK(root(std::string("\x8a\x02\xff\xff.", 5)).root().integer == -1);
  CHECK(root(std::string("G\x3f\xf8\0\0\0\0\0\0.", 10)).root().real == 1.5);
  const auto list = root(
      "](K\x01K\x02"
      "e.");
  CHECK(list.root().items.size() == 2);
  const auto dictionary = root(
      "}(U\x01"
      "aK\x01U\x01"
      "aK\x02u.");
  CHECK(dictionary.find(dictionary.root(), "a")->integer == 2);
  CHECK(dictionary.find(dictionary.root(), "b") == nullptr);
  CHECK(root("]q\x01h\x01"
             "a.")
            .root()
            .items.size() == 1);  // a list that contains itself
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "]";
  for (int i = 1; i < 100000; ++i) deep += "a";
  CHECK(root(deep + ".").root().items.size() == 1);
  test::check_refused([&] { root(std::string(2000000, ']') + "."); }, {"data.pkl", "at most 1000000 values"});
  for (const std::string bad : {"", "a.", "K", "]", "(", "e.", "s.",
                                "}K\x01"
                                "a.",
                                "h\x01.", "0.", "R.", "tR."})
    test::check_refused([&] { root(bad); }, {"data.pkl"});
}

}  // namespace
}  // namespace transformer::formats
