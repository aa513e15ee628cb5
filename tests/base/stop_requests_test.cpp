#include "transformer/base/stop_requests.h"

#include <vector>

#include "tests/catch.h"

namespace transformer {
namespace {

using Answer = StopRequests::Answer;
using std::chrono::milliseconds;

constexpr pid_t kLauncher = 10, kOther = 20, kThird = 30;

struct At {
  int milliseconds;
  Signal signal;
};

/// What is done about each of these signals.
std::vector<Answer> answers(const std::vector<At>& signals) {
  StopRequests requests(kLauncher);
  std::vector<Answer> all;
  for (const auto& [time, signal] : signals)
    all.push_back(requests.take(signal, StopRequests::Time(milliseconds(time))));
  return all;
}

TEST_CASE("the first signal asks to stop, and the second to stop at once") {
  for (const auto& sender :
       {std::optional<pid_t>(kLauncher), std::optional<pid_t>(kOther), std::optional<pid_t>()})
    for (const int signal : {SIGINT, SIGTERM})
      CHECK(answers({{0, {signal, sender}}, {900, {signal, sender}}}) ==
            std::vector{Answer::stop, Answer::stop_at_once});
  // Nobody presses two keys so fast, but nobody sends a Ctrl-C twice for one either.
  CHECK(answers({{0, {SIGINT, {}}}, {1, {SIGINT, {}}}}) == std::vector{Answer::stop, Answer::stop_at_once});
  CHECK(answers({{0, {SIGTERM, kOther}}, {900, {SIGTERM, kThird}}}) ==
        std::vector{Answer::stop, Answer::stop_at_once});
}

TEST_CASE("what a launcher hands on is the request that came directly, whatever comes first") {
  for (const int direct : {SIGINT, SIGTERM})
    for (const int between : {0, 1, 5000}) {
      CHECK(answers({{0, {direct, kOther}}, {between, {SIGTERM, kLauncher}}}) ==
            std::vector{Answer::stop, Answer::nothing});
      CHECK(answers({{0, {SIGTERM, kLauncher}}, {between, {direct, kOther}}}) ==
            std::vector{Answer::stop, Answer::nothing});
    }
  // Then all are asked again.
  CHECK(answers({{0, {SIGTERM, kOther}}, {1, {SIGTERM, kLauncher}}, {900, {SIGTERM, kOther}}}).back() ==
        Answer::stop_at_once);
  CHECK(answers({{0, {SIGTERM, kOther}}, {1, {SIGTERM, kLauncher}}, {900, {SIGTERM, kLauncher}}}).back() ==
        Answer::stop_at_once);
}

TEST_CASE("a signal that one program sends twice within a moment is one") {
  CHECK(answers({{0, {SIGTERM, kOther}}, {1, {SIGTERM, kOther}}, {2, {SIGTERM, kOther}}}) ==
        std::vector{Answer::stop, Answer::nothing, Answer::nothing});
  CHECK(answers({{0, {SIGTERM, kLauncher}}, {1, {SIGTERM, kLauncher}}, {900, {SIGTERM, kLauncher}}}) ==
        std::vector{Answer::stop, Answer::nothing, Answer::stop_at_once});
  // A launcher that is to end at once says it with another one.
  CHECK(answers({{0, {SIGINT, kLauncher}}, {0, {SIGTERM, kLauncher}}}) ==
        std::vector{Answer::stop, Answer::stop_at_once});
}

TEST_CASE("a SIGHUP asks to stop, and is not counted") {
  CHECK(
      answers(
          {{0, {SIGHUP, {}}}, {900, {SIGHUP, {}}}, {1800, {SIGHUP, kLauncher}}, {1900, {SIGTERM, kOther}}}) ==
      std::vector{Answer::stop, Answer::nothing, Answer::nothing, Answer::nothing});
  CHECK(answers({{0, {SIGHUP, {}}}, {900, {SIGTERM, kOther}}, {1800, {SIGTERM, kOther}}}).back() ==
        Answer::stop_at_once);
  CHECK(answers({{0, {SIGTERM, {}}}, {900, {SIGHUP, {}}}}) == std::vector{Answer::stop, Answer::nothing});
}

}  // namespace
}  // namespace transformer
