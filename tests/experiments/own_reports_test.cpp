#include "transformer/experiments/own_reports.h"

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"

using namespace transformer;
using namespace transformer::experiments;
using transformer::test::content_of;
using transformer::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

const std::map<std::string, std::string> first = {{"report.md", "# One\n"}, {"report.csv", "a,b\n"}};
const std::map<std::string, std::string> second = {{"report.md", "# Two\n"}, {"report.csv", "c,d\n"}};

Study study_of(const TemporaryFolder& folder, const std::string& list, const std::string& title) {
  Study study;
  study.output = folder.path() / "out";
  study.list.file = folder.write(list, "");
  study.list.title = title;
  fs::create_directories(study.output);
  return study;
}

void check_refused(const Study& study, const std::string& name, const std::string& why) {
  const auto before = content_of(study.output / name);
  const auto place = (study.output / name).string() + ": expected";
  CHECK_THROWS_AS(check_reports(study), InputError);
  CHECK_THROWS_WITH(check_reports(study), ContainsSubstring(place) && ContainsSubstring(why) &&
                                              ContainsSubstring("is not replaced"));
  CHECK_THROWS_WITH(write_reports(study, second), ContainsSubstring(place));
  CHECK(content_of(study.output / name) == before);
}

}  // namespace

TEST_CASE("runs do not go where another program's work lies") {
  const TemporaryFolder folder;
  const auto study = study_of(folder, "list.yaml", "A study");
  const auto refusal = [&]() -> std::string {
    try {
      check_no_other_work(study);
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  CHECK(refusal() == "none");
  folder.write("out/notes.txt", "mine");
  folder.write("out/config.yaml", "");  // somebody's base
  CHECK(refusal() == "none");
  fs::create_directory(study.output / "checkpoints");
  CHECK_THAT(refusal(),
             ContainsSubstring("out: expected a folder for the runs of a list, found a run directory"));
  fs::remove(study.output / "checkpoints");
  fs::remove(study.output / "notes.txt");
  write_checksums(study.output);
  CHECK_THAT(refusal(), ContainsSubstring("found a model, prepared data or an export"));
  folder.write("out/reports.json", "{}");  // a study whose files somebody has listed
  write_checksums(study.output);
  CHECK(refusal() == "none");
}

TEST_CASE("reports are written, and written again") {
  const TemporaryFolder folder;
  const auto study = study_of(folder, "list.yaml", "A study");
  CHECK_NOTHROW(check_reports(study));
  write_reports(study, first);
  CHECK_NOTHROW(check_reports(study));
  write_reports(study, second);
  write_reports(study, second);
  CHECK(content_of(study.output / "report.md") == "# Two\n");
  fs::remove(study.output / "report.md");  // and when somebody moved one away
  write_reports(study, first);
  CHECK(content_of(study.output / "report.md") == "# One\n");
}

TEST_CASE("a report that the runner did not write, or that was changed, stays") {
  const TemporaryFolder folder;
  const auto study = study_of(folder, "list.yaml", "A study");
  folder.write("out/report.csv", "my own\n");
  check_refused(study, "report.csv", "another file");
  CHECK_FALSE(fs::exists(study.output / "report.md"));  // none is written then
  fs::remove(study.output / "report.csv");
  write_reports(study, first);
  folder.write("out/report.md", "# One\n\nMy thoughts.\n");
  check_refused(study, "report.md", "changed one");
  folder.write("out/reports.json", "my own\n");
  CHECK_THROWS_WITH(check_reports(study), ContainsSubstring("reports.json: expected"));
}

TEST_CASE("a report of another list stays") {
  const TemporaryFolder folder;
  const auto study = study_of(folder, "list.yaml", "A study");
  write_reports(study, first);
  check_refused(study_of(folder, "other.yaml", "Another study"), "report.md", "another list, ../list.yaml");
  check_refused(study_of(folder, "copy.yaml", "A study"), "report.md", "another list");  // beside the first
  CHECK_NOTHROW(write_reports(study_of(folder, "list.yaml", "Another title"), second));
  fs::remove(folder.path() / "list.yaml");
  CHECK_NOTHROW(write_reports(study_of(folder, "renamed.yaml", "Another title"), first));
}

TEST_CASE("a list's name and title may be any bytes") {
  const TemporaryFolder folder;
  const auto study = study_of(folder, "caf\xe9.yaml", "caf\xe9");
  write_reports(study, first);
  CHECK_NOTHROW(write_reports(study, second));
  check_refused(study_of(folder, "other.yaml", "Another study"), "report.md", "another list");
}

TEST_CASE("a runner that was killed between record and reports knows both") {
  const TemporaryFolder folder;
  const auto study = study_of(folder, "list.yaml", "A study");
  write_reports(study, first);
  write_reports(study, second);
  folder.write("out/report.csv", first.at("report.csv"));  // as if it had not come to this one
  CHECK_NOTHROW(check_reports(study));
  CHECK_NOTHROW(write_reports(study, second));
}

TEST_CASE("behind a link the report that it leads to is written") {
  const TemporaryFolder folder;
  const auto study = study_of(folder, "list.yaml", "A study");
  fs::create_symlink("../published.md", study.output / "report.md");
  write_reports(study, first);
  write_reports(study, second);
  CHECK(fs::is_symlink(study.output / "report.md"));
  CHECK(content_of(folder.path() / "published.md") == "# Two\n");
}
