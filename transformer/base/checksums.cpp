#include "transformer/base/checksums.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <system_error>
#include <vector>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"

namespace transformer {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t digest_digits = 64;

class Sha256 {
 public:
  Sha256() { check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1); }

  void update(const void* data, std::size_t bytes) {
    check(EVP_DigestUpdate(context_.get(), data, bytes) == 1);
  }

  std::string finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned int size = 0;
    check(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1);
    return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
  }

 private:
  static void check(bool good) {
    if (!good) throw RunError("SHA-256: OpenSSL failed");
  }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
};

void verify(const fs::path& file, const std::string& expected) {
  std::error_code unreachable;  // such as a name that is too long for any file
  if (!fs::exists(file, unreachable))
    throw InputError(fmt::format("{}: missing, but listed in {}", file.string(), checksums_name));
  if (const std::string found = sha256_file(file); found != expected) {
    throw InputError(fmt::format("{}: damaged: expected SHA-256 {} by {}, found {}", file.string(), expected,
                                 checksums_name, found));
  }
}

const std::string& find_listed(const std::map<std::string, std::string>& sums, const fs::path& folder,
                               const std::string& name) {
  const auto found = sums.find(name);
  if (found == sums.end())
    throw InputError(fmt::format("{}: damaged: {} is not listed", (folder / checksums_name).string(), name));
  return found->second;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  Sha256 sum;
  sum.update(bytes.data(), bytes.size());
  return sum.finish();
}

std::string sha256_file(const fs::path& path) {
  check_regular_file(path);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw InputError(
        fmt::format("{}: cannot be read: {}", path.string(), std::generic_category().message(errno)));
  }
  Sha256 sum;
  std::vector<char> buffer(1 << 16);
  do {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    sum.update(buffer.data(), static_cast<std::size_t>(file.gcount()));
  } while (file);
  if (file.bad()) throw InputError(fmt::format("{}: reading failed", path.string()));
  return sum.finish();
}

void write_checksums(const fs::path& folder) {
  std::map<std::string, std::string> sums;
  std::error_code error;
  fs::recursive_directory_iterator entries(folder, error);
  if (error) throw RunError(fmt::format("{}: cannot be listed: {}", folder.string(), error.message()));
  for (const auto& entry : entries) {
    if (!entry.is_regular_file()) continue;
    const std::string name = fs::relative(entry.path(), folder).generic_string();
    if (name == checksums_name) continue;
    // sha256sum escapes these; nothing of ours is named so.
    if (name.find_first_of("\n\r\\") != std::string::npos) {
      throw RunError(
          fmt::format("{}: its name cannot be listed in {}", entry.path().string(), checksums_name));
    }
    sums[name] = sha256_file(entry.path());
  }
  std::string text;
  for (const auto& [name, sum] : sums) text += fmt::format("{}  {}\n", sum, name);
  write_file_atomically(folder / checksums_name, text);
}

std::map<std::string, std::string> read_checksums(const fs::path& folder) {
  const auto list = folder / checksums_name;
  std::map<std::string, std::string> sums;
  std::size_t number = 0;
  std::istringstream text(read_file(list));
  LineReader reader(text, list.string());
  for (std::string line; reader.next(line);) {
    ++number;
    const bool well_formed = line.size() > digest_digits + 2 &&
                             line.find_first_not_of("0123456789abcdef") == digest_digits &&
                             (line.substr(digest_digits, 2) == "  " || line.substr(digest_digits, 2) == " *");
    const fs::path name = well_formed ? line.substr(digest_digits + 2) : "";
    // A list from elsewhere must not make us read outside the folder.
    if (!well_formed || name.is_absolute() || std::find(name.begin(), name.end(), "..") != name.end()) {
      throw InputError(fmt::format("{}:{}: expected a SHA-256 sum and a file of this folder, found \"{}\"",
                                   list.string(), number, line));
    }
    sums[name.string()] = line.substr(0, digest_digits);
  }
  return sums;
}

void verify_checksums(const fs::path& folder, const std::vector<std::string>& required) {
  const auto sums = read_checksums(folder);
  for (const auto& name : required) find_listed(sums, folder, name);
  for (const auto& [name, sum] : sums) verify(folder / name, sum);
}

void verify_some_checksums(const fs::path& folder, const std::vector<std::string>& names) {
  const auto sums = read_checksums(folder);
  for (const auto& name : names) verify(folder / name, find_listed(sums, folder, name));
}

}  // namespace transformer
