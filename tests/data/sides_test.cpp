#include "transformer/data/sides.h"

#include "tests/catch.h"
#include "tests/temporary_folder.h"

namespace transformer::data {
namespace {

using test::TemporaryFolder;

constexpr const char* kEnglish =
    "The old woman bought three apples at the market.\nWhere have you been all day?\nHe has never seen the "
    "sea "
    "before.\n";
constexpr const char* kFrench =
    "La vieille femme a acheté trois pommes au marché.\nOù as-tu été toute la journée ?\nIl n'a jamais vu la "
    "mer "
    "auparavant.\n";
constexpr const char* kOtherEnglish = "The children played in the garden.\nHave you seen my hat?\n";
constexpr const char* kOtherFrench = "Les enfants jouaient dans le jardin.\nAs-tu vu mon chapeau ?\n";

DataOptions texts(const TemporaryFolder& folder) {
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  return {.source = "en", .target = "fr", .train = path("train"), .dev = path("dev"), .test = path("test")};
}

void write(const TemporaryFolder& folder, const std::string& name, const char* english, const char* french) {
  folder.write(name + ".en", english);
  folder.write(name + ".fr", french);
}

TEST_CASE("a split whose sides are exchanged beside the training text's is found") {
  const TemporaryFolder folder;
  write(folder, "train", kEnglish, kFrench);
  write(folder, "dev", kOtherEnglish, kOtherFrench);
  write(folder, "test", kOtherFrench, kOtherEnglish);
  auto options = texts(folder);
  CHECK(exchanged_splits(options) == std::vector<std::string>{"test"});
  write(folder, "test", kOtherFrench, kOtherFrench);  // one side alone is another fault
  CHECK(exchanged_splits(options).empty());
  options.test.clear();
  write(folder, "dev", kOtherFrench, kOtherEnglish);
  CHECK(exchanged_splits(options) == std::vector<std::string>{"dev"});
}

TEST_CASE("sides of one language, and without text, are never exchanged") {
  const TemporaryFolder folder;
  write(folder, "train", kEnglish, kEnglish);
  write(folder, "dev", kOtherEnglish, kOtherEnglish);
  write(folder, "test", "1 2\n3\n", "\n\n");
  CHECK(exchanged_splits(texts(folder)).empty());
}

TEST_CASE("the first pair is one with text on both sides") {
  const TemporaryFolder folder;
  write(folder, "train", "\nOne.\nTwo.\n", "Un.\n\nDeux.\n");
  CHECK(first_training_pair(texts(folder)) == std::pair<std::string, std::string>("Two.", "Deux."));
  write(folder, "train", "\n", "\n");
  CHECK_FALSE(first_training_pair(texts(folder)));
}

}  // namespace
}  // namespace transformer::data
