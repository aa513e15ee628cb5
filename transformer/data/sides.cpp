#include "transformer/data/sides.h"

#include <cmath>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "transformer/data/corpus.h"

namespace transformer::data {
namespace {

constexpr std::int64_t kPairs = 2000;  // enough to tell languages apart, and read at once

/// How often each triple of bytes occurs on one side.
class Profile {
 public:
  void add(std::string_view line) {
    std::uint32_t triple = 0;
    std::size_t read = 0;
    for (const char c : line) {
      triple = (triple << 8U | static_cast<unsigned char>(c)) & 0xFFFFFFU;
      if (++read < 3) continue;
      ++counts_[triple];
      ++total_;
    }
  }

  /// The mean logarithm of the probabilities that `model` gives to this side's triples; those that it has
  /// never seen count half.
  double likeness_to(const Profile& model) const {
    constexpr double kUnseen = 0.5, kKinds = 1 << 16U;
    double sum = 0;
    for (const auto& [triple, count] : counts_) {
      const auto found = model.counts_.find(triple);
      const double seen = found == model.counts_.end() ? 0 : static_cast<double>(found->second);
      sum += static_cast<double>(count) *
             std::log((seen + kUnseen) / (static_cast<double>(model.total_) + kUnseen * kKinds));
    }
    return total_ == 0 ? 0 : sum / static_cast<double>(total_);
  }

 private:
  std::unordered_map<std::uint32_t, std::int64_t> counts_;
  std::int64_t total_ = 0;
};

struct Sides {
  Profile source, target;

  Sides(const std::string& prefix, const DataOptions& options) {
    ExampleReader reader(prefix, options, kPairs);
    for (std::vector<std::string> texts; reader.next(texts);) {
      source.add(texts[0]);
      target.add(texts[1]);
    }
  }
};

}  // namespace

std::optional<std::pair<std::string, std::string>> first_training_pair(const DataOptions& options) {
  ExampleReader reader(options.train, options);
  for (std::vector<std::string> texts; reader.next(texts);)
    if (!texts[0].empty() && !texts[1].empty()) return std::pair(texts[0], texts[1]);
  return std::nullopt;
}

std::vector<std::string> exchanged_splits(const DataOptions& options) {
  const Sides train(options.train, options);
  std::vector<std::string> exchanged;
  for (const auto& [name, texts] : splits_of(options)) {
    if (name == "train") continue;
    const Sides sides(texts.front(), options);
    const auto is_of_other = [](const Profile& side, const Profile& own, const Profile& other) {
      return side.likeness_to(other) - side.likeness_to(own) > kExchangedMargin;
    };
    if (is_of_other(sides.source, train.source, train.target) &&
        is_of_other(sides.target, train.target, train.source))
      exchanged.push_back(name);
  }
  return exchanged;
}

}  // namespace transformer::data
