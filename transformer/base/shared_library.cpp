#include "transformer/base/shared_library.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "transformer/base/error.h"

namespace transformer {
namespace {

/// The end of `count` entries; where that is beyond all files, the largest number.
std::uint64_t end_of(std::uint64_t begin, std::uint64_t count, std::uint64_t entry = 1) {
  std::uint64_t size = 0, end = 0;
  const bool beyond =
      __builtin_mul_overflow(count, entry, &size) || __builtin_add_overflow(begin, size, &end);
  return beyond ? UINT64_MAX : end;
}

}  // namespace

void expect_whole_library(const std::filesystem::path& file) {
  std::ifstream input(file, std::ios::binary);
  const std::uint64_t size = std::filesystem::file_size(file);
  Elf64_Ehdr header{};
  if (!input.read(reinterpret_cast<char*>(&header), sizeof header)) return;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return;
  auto needed = std::max(end_of(header.e_phoff, header.e_phnum, header.e_phentsize),
                         end_of(header.e_shoff, header.e_shnum, header.e_shentsize));
  for (std::uint64_t i = 0; needed <= size && i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    input.seekg(static_cast<std::streamoff>(header.e_phoff + i * header.e_phentsize));
    if (!input.read(reinterpret_cast<char*>(&part), sizeof part)) return;
    needed = std::max(needed, end_of(part.p_offset, part.p_filesz));
  }
  if (needed > size)
    throw InputError(fmt::format("{}: expected a whole shared library, of {} bytes, found {}: it was cut off",
                                 file.string(), needed, size));
}

}  // namespace transformer
