#include "transformer/base/unpacker.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "transformer/base/error.h"

namespace transformer {

std::size_t Unpacker::read(std::span<char> text) {
  if (!begun_) begin();
  if (!decompressor_) {
    if (block_left_.empty()) return source_(text);
    const auto size = block_left_.copy(text.data(), text.size());
    block_left_.remove_prefix(size);
    return size;
  }
  while (true) {
    const auto size = unpack(text);
    more_inside_ = size == text.size();
    if (size > 0) return size;
    if (!block_left_.empty()) continue;  // a part without text was used up
    block_left_ = {block_.data(), source_(block_)};
    if (!block_left_.empty()) continue;
    if (decompressor_->whole()) return 0;
    throw InputError(
        fmt::format("{}: expected whole {} data, found them cut off", name_, decompressor_->format()));
  }
}

/// Reads until it is known what the data are. Whoever waits for the answer to a line has sent enough.
void Unpacker::begin() {
  begun_ = true;
  block_.resize(std::size_t{1} << 16U);
  std::size_t size = 0;
  for (std::size_t more = 1; more > 0 && may_become_compressed({block_.data(), size}); size += more)
    more = source_(std::span(block_).subspan(size));
  block_left_ = {block_.data(), size};
  decompressor_ = decompressor_for(block_left_);
  if (const auto* foreign = foreign_format(block_left_))
    throw InputError(fmt::format(
        "{}: expected text, as it is or packed by gzip or Zstandard, found {} data ({} unpacks them)", name_,
        foreign->name, foreign->way_out));
}

std::size_t Unpacker::unpack(std::span<char> text) {
  try {
    return decompressor_->unpack(block_left_, text);
  } catch (const std::runtime_error& damage) {
    throw InputError(fmt::format("{}: expected whole {} data, found damage: {}", name_,
                                 decompressor_->format(), damage.what()));
  }
}

}  // namespace transformer
