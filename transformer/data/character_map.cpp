#include "transformer/data/character_map.h"

#include <algorithm>
#include <stdexcept>

namespace transformer::data {
namespace {

// Bits 0 to 7 and 31 of a unit are its byte. Bit 8 says whether a key ends here. Bits 10 to 30 are the offset
// of its children, times 256 if bit 9 is set. A key's end is the child of byte 0; its unit is bit 31 and the
// value's place. A unit that is no child has bit 31 alone, so no byte finds it.
constexpr std::uint32_t kValue = 1U << 31U, kEnds = 1U << 8U, kInBlocks = 1U << 9U;
constexpr std::uint32_t kOffsetPlace = 10, kMostOffset = 1U << 21U;
constexpr std::size_t kBlock = 256;  // units
constexpr std::size_t kOpenBlocks = 8;
// Keys with equal endings may share their units.
constexpr std::size_t kMostVisits = 64, kLongestKey = 256;

std::size_t offset_of(std::uint32_t unit) {
  const std::size_t offset = (unit & ~kValue) >> kOffsetPlace;
  return (unit & kInBlocks) != 0 ? offset * kBlock : offset;
}

[[noreturn]] void throw_damaged() {
  throw std::runtime_error("the map of its characters is damaged");
}

std::uint32_t number_at(std::string_view bytes, std::size_t place) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[place + i])) << (8 * i);
  return number;
}

void append_number(std::string& bytes, std::uint32_t number) {
  for (std::size_t i = 0; i < 4; ++i) bytes.push_back(static_cast<char>((number >> (8 * i)) & 0xFFU));
}

/// Puts the children of each unit where all of them find room.
class TrieMaker {
 public:
  using Keys = std::vector<std::pair<std::string_view, std::uint32_t>>;  // sorted, with their values

  std::vector<std::uint32_t> make(const Keys& keys) {
    grow();
    taken_[0] = 1;
    units_[0] = 0;
    if (!keys.empty()) place(0, keys, 0, keys.size(), 0);
    return std::move(units_);
  }

 private:
  struct Child {
    unsigned char byte;
    std::size_t begin, end;  // of its keys
  };

  /// Those of keys with the first `depth` bytes in common.
  static std::vector<Child> children_of(const Keys& keys, std::size_t begin, std::size_t end,
                                        std::size_t depth) {
    std::vector<Child> children;
    for (auto i = begin; i < end; ++i) {
      const auto key = keys[i].first;
      const auto byte = key.size() == depth ? '\0' : key[depth];
      if (children.empty() || children.back().byte != static_cast<unsigned char>(byte))
        children.push_back({static_cast<unsigned char>(byte), i, i});
      children.back().end = i + 1;
    }
    return children;
  }

  void place(std::size_t unit, const Keys& keys, std::size_t begin, std::size_t end, std::size_t depth) {
    const auto children = children_of(keys, begin, end, depth);
    const auto base = room_for(children, unit);
    units_[unit] |= static_cast<std::uint32_t>(unit ^ base) << kOffsetPlace;
    for (const auto& child : children) {
      const auto place_of_it = base ^ child.byte;
      taken_[place_of_it] = 1;
      units_[place_of_it] = child.byte;
      if (child.byte != 0) continue;
      units_[unit] |= kEnds;
      units_[place_of_it] = kValue | keys[child.begin].second;
    }
    for (const auto& child : children)
      if (child.byte != 0) place(base ^ child.byte, keys, child.begin, child.end, depth + 1);
  }

  /// Two units never have one base, for then each would take the other's children for its own. Nor is a
  /// unit's base its own place, which newer versions of SentencePiece refuse.
  std::size_t room_for(const std::vector<Child>& children, std::size_t unit) {
    // Older holes are left to themselves, for most units would try them all in vain.
    first_free_ = std::max(first_free_, units_.size() - std::min(units_.size(), kOpenBlocks * kBlock));
    while (taken_[first_free_] != 0) ++first_free_;
    for (auto free = first_free_;; ++free) {
      if (free == units_.size()) grow();
      if (taken_[free] != 0) continue;
      const auto base = free ^ children.front().byte;
      const bool fits =
          base != unit && is_base_[base] == 0 &&
          std::ranges::all_of(children, [&](const Child& child) { return taken_[base ^ child.byte] == 0; });
      if (!fits) continue;
      if ((unit ^ base) >= kMostOffset) throw std::length_error("a map of characters has too many keys");
      is_base_[base] = 1;
      return base;
    }
  }

  void grow() {
    units_.resize(units_.size() + kBlock, kValue);
    taken_.resize(units_.size() + 1, 0);
    is_base_.resize(units_.size(), 0);
  }

  std::vector<std::uint32_t> units_;
  std::vector<unsigned char> taken_, is_base_;  // 0 or 1
  std::size_t first_free_ = 0;
};

}  // namespace

CharacterMap::CharacterMap(std::string_view content) {
  if (content.empty()) return;
  if (content.size() < 4) throw_damaged();
  const std::size_t size = number_at(content, 0);
  if (size % 4 != 0 || size == 0 || size >= content.size() - 4 || content.back() != '\0') throw_damaged();
  for (std::size_t place = 4; place < 4 + size; place += 4) units_.push_back(number_at(content, place));
  values_ = content.substr(4 + size);
}

std::string CharacterMap::content_of(const std::map<std::string, std::string>& values) {
  std::map<std::string_view, std::uint32_t> places;
  std::string texts;
  TrieMaker::Keys keys;
  for (const auto& [key, value] : values) {
    const auto [place, is_new] = places.try_emplace(value, static_cast<std::uint32_t>(texts.size()));
    if (is_new) texts.append(value).push_back('\0');
    keys.emplace_back(key, place->second);
  }
  if (texts.empty()) return {};
  const auto units = TrieMaker().make(keys);
  std::string content;
  append_number(content, static_cast<std::uint32_t>(4 * units.size()));
  for (const auto unit : units) append_number(content, unit);
  return content + texts;
}

std::optional<std::size_t> CharacterMap::child(std::size_t unit, unsigned char byte) const {
  const auto place = unit ^ offset_of(units_[unit]) ^ byte;
  if (place >= units_.size() || (units_[place] & (kValue | 0xFFU)) != byte) return std::nullopt;
  return place;
}

std::string_view CharacterMap::value_below(std::size_t unit) const {
  const auto place = unit ^ offset_of(units_[unit]);
  if (place >= units_.size() || (units_[place] & ~kValue) >= values_.size()) throw_damaged();
  return values_.c_str() + (units_[place] & ~kValue);
}

std::optional<std::string_view> CharacterMap::first_of(std::string_view text) const {
  std::optional<std::size_t> unit = 0;
  for (const auto byte : text) {
    if (units_.empty()) break;
    unit = child(*unit, static_cast<unsigned char>(byte));
    if (!unit) break;
    if ((units_[*unit] & kEnds) != 0) return value_below(*unit);
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, std::string_view>> CharacterMap::all() const {
  std::vector<std::pair<std::string, std::string_view>> found;
  if (units_.empty()) return found;
  struct Open {
    std::size_t unit;
    std::string key;
  };
  std::size_t seen = 0;
  for (std::vector<Open> open{{0, {}}}; !open.empty();) {
    const auto [unit, key] = std::move(open.back());
    open.pop_back();
    if (++seen > kMostVisits * units_.size() || key.size() > kLongestKey) throw_damaged();
    if ((units_[unit] & kEnds) != 0 && !key.empty()) found.emplace_back(key, value_below(unit));
    for (unsigned byte = 0xFF; byte > 0; --byte)
      if (const auto next = child(unit, static_cast<unsigned char>(byte)))
        open.push_back({*next, key + static_cast<char>(byte)});
  }
  return found;
}

}  // namespace transformer::data
