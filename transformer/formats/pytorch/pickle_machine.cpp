#include "transformer/formats/pytorch/pickle_machine.h"

#include <fmt/format.h>

#include <bit>
#include <unordered_map>
#include <utility>

#include "transformer/base/printable.h"
#include "transformer/formats/pytorch/pickle_stack.h"

namespace transformer::formats {
namespace {

/// As pickle's own machine. The instructions' names are those of Python's module pickletools.
class PickleMachine : PickleStack {
 public:
  PickleMachine(std::string_view bytes, const std::string& source,
                const std::unordered_set<std::string>& allowed, std::vector<PickleValue>& values)
      : PickleStack(bytes, source, values), allowed_(allowed) {}

  Number run() {
    for (;;) {
      const auto instruction = static_cast<unsigned char>(take(1).front());
      if (instruction == '.') return pop();
      if (!data(instruction) && !collection(instruction) && !memory(instruction) && !call(instruction))
        refuse(
            fmt::format("expected instructions for data alone, found 0x{:02x}, which makes objects or is "
                        "none, at byte {}",
                        instruction, at_ - 1));
    }
  }

 private:
  /// Numbers and texts.
  bool data(unsigned char instruction) {
    switch (instruction) {
      case 0x80:  // PROTO
        take(1);
        return true;
      case 0x95:  // FRAME
        take(8);
        return true;
      case 'N':  // NONE
        push({});
        return true;
      case 0x88:  // NEWTRUE
      case 0x89:  // NEWFALSE
        push({.kind = Kind::boolean, .integer = instruction == 0x88 ? 1 : 0});
        return true;
      case 'K':  // BININT1
        push_integer(static_cast<std::int64_t>(integer(1)));
        return true;
      case 'M':  // BININT2
        push_integer(static_cast<std::int64_t>(integer(2)));
        return true;
      case 'J':  // BININT
        push_integer(static_cast<std::int32_t>(integer(4)));
        return true;
      case 0x8a:  // LONG1
        push_long(static_cast<std::size_t>(integer(1)));
        return true;
      case 'G':  // BINFLOAT, the only number with its highest byte first
        push({.kind = Kind::real, .real = std::bit_cast<double>(__builtin_bswap64(integer(8)))});
        return true;
      case 'U':   // SHORT_BINSTRING
      case 0x8c:  // SHORT_BINUNICODE
        push_text(take(integer(1)));
        return true;
      case 'T':  // BINSTRING
      case 'X':  // BINUNICODE
        push_text(take(integer(4)));
        return true;
      default:
        return false;
    }
  }

  void push_long(std::size_t bytes) {
    if (bytes > sizeof(std::int64_t)) refuse("expected integers of 64 bits, found a longer one");
    auto value = integer(bytes);
    const bool negative = bytes > 0 && bytes < 8 && ((value >> (8 * bytes - 1)) & 1U) != 0;
    if (negative) value |= ~std::uint64_t{0} << (8 * bytes);
    push_integer(static_cast<std::int64_t>(value));
  }

  bool collection(unsigned char instruction) {
    switch (instruction) {
      case '(':  // MARK
        marks_.push_back(stack_.size());
        return true;
      case ')':  // EMPTY_TUPLE
        push({.kind = Kind::tuple});
        return true;
      case 't':  // TUPLE
        push_of(Kind::tuple, pop_to_mark());
        return true;
      case 0x85:  // TUPLE1, TUPLE2, TUPLE3
      case 0x86:
      case 0x87:
        push_of(Kind::tuple, pop_several(instruction - 0x84U));
        return true;
      case ']':  // EMPTY_LIST
        push({.kind = Kind::list});
        return true;
      case '}':  // EMPTY_DICT
        push({.kind = Kind::dictionary});
        return true;
      case 'a':  // APPEND
        extend(Kind::list, pop_several(1));
        return true;
      case 'e':  // APPENDS
        extend(Kind::list, pop_to_mark());
        return true;
      case 's':  // SETITEM
        extend(Kind::dictionary, pop_several(2));
        return true;
      case 'u':  // SETITEMS
        extend(Kind::dictionary, pop_to_mark());
        return true;
      default:
        return false;
    }
  }

  void extend(Kind kind, const std::vector<Number>& items) {
    auto& target = top();
    if (target.kind != kind || (kind == Kind::dictionary && items.size() % 2 != 0))
      refuse(fmt::format("expected items of {}, found them for {}", name_of(kind), name_of(target.kind)));
    target.items.insert(target.items.end(), items.begin(), items.end());
  }

  /// What is remembered under a number, to be used again.
  bool memory(unsigned char instruction) {
    const auto remember = [&](std::uint64_t number) {
      top();
      memory_[number] = stack_.back();
      if (memory_.size() > kMostValues)
        refuse(fmt::format("expected at most {} values, found more", kMostValues));
    };
    const auto recall = [&](std::uint64_t number) {
      const auto found = memory_.find(number);
      if (found == memory_.end()) refuse(fmt::format("expected a value {}, found none", number));
      stack_.push_back(found->second);
    };
    switch (instruction) {
      case 'q':  // BINPUT
        remember(integer(1));
        return true;
      case 'r':  // LONG_BINPUT
        remember(integer(4));
        return true;
      case 0x94:  // MEMOIZE
        remember(memory_.size());
        return true;
      case 'h':  // BINGET
        recall(integer(1));
        return true;
      case 'j':  // LONG_BINGET
        recall(integer(4));
        return true;
      default:
        return false;
    }
  }

  /// What would be called.
  bool call(unsigned char instruction) {
    switch (instruction) {
      case 'c': {  // GLOBAL
        const auto module = take_line(), name = take_line();
        push_name(module, name);
        return true;
      }
      case 0x93: {  // STACK_GLOBAL
        const auto names = pop_several(2);
        const auto module = values_[names[0]].text, name = values_[names[1]].text;
        push_name(module, name);
        return true;
      }
      case 'Q':  // BINPERSID
        push_of(Kind::persistent, pop_several(1));
        return true;
      case 'R':  // REDUCE
        reduce();
        return true;
      case 'b':  // BUILD, whose state is of no interest to us
        pop();
        if (top().kind != Kind::dictionary)
          refuse(fmt::format("expected data alone, found a state for {}", name_of(top().kind)));
        return true;
      default:
        return false;
    }
  }

  static constexpr std::string_view kOrdered = "collections.OrderedDict";

  void push_name(std::string_view module, std::string_view name) {
    const auto full = fmt::format("{}.{}", module, name);
    if (full != kOrdered && !allowed_.contains(full))
      refuse(
          fmt::format("expected tensors, numbers, texts, lists and dictionaries, found '{}', which would "
                      "be executed",
                      printable(full.substr(0, 100))));
    push({.kind = Kind::name, .text = full});
  }

  void reduce() {
    const auto arguments = values_[pop()];
    const auto function = values_[pop()];
    if (function.kind != Kind::name || arguments.kind != Kind::tuple)
      refuse(fmt::format("expected a function, found {}", name_of(function.kind)));
    if (function.text != kOrdered) {
      push({.kind = Kind::call, .text = function.text, .items = arguments.items});
      return;
    }
    PickleValue dictionary{.kind = Kind::dictionary};
    if (!arguments.items.empty()) {  // a list of pairs
      const auto pairs = values_[arguments.items.front()];
      for (const auto pair : pairs.items) {
        const auto& items = values_[pair].items;
        if (items.size() != 2) refuse("expected pairs for an ordered dictionary, found others");
        dictionary.items.insert(dictionary.items.end(), items.begin(), items.end());
      }
    }
    push(std::move(dictionary));
  }

  const std::unordered_set<std::string>& allowed_;
  std::unordered_map<std::uint64_t, Number> memory_;
};

}  // namespace

PickleValue::Number run_pickle(std::string_view bytes, const std::string& source,
                               const std::unordered_set<std::string>& allowed,
                               std::vector<PickleValue>& values) {
  constexpr std::size_t kMostBytes = std::size_t{32} << 20U;
  if (bytes.size() > kMostBytes)
    throw InputError(fmt::format("{}: expected a pickle of at most {} bytes beside the weights, found {}",
                                 source, kMostBytes, bytes.size()));
  return PickleMachine(bytes, source, allowed, values).run();
}

}  // namespace transformer::formats
