#include "apps/common/decode_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/common/model_overrides.h"
#include "transformer/base/error.h"

namespace transformer::apps {
namespace {

/// "--set decode.beam=0: key 'decode.beam': expected" → "--beam 0: expected", for what an option noted.
std::string in_words_of_options(std::string message, const std::vector<std::string>& of_options) {
  for (const auto& noted : of_options) {
    const auto begin = fmt::format("--set {}: ", noted);
    if (!message.starts_with(begin)) continue;
    const auto equals = noted.find('=');
    const auto key = noted.substr(0, equals), own = fmt::format("key '{}': ", key);
    auto option = key.substr(key.find('.') + 1);
    std::ranges::replace(option, '_', '-');
    message.erase(0, begin.size());
    if (message.starts_with(own)) message.erase(0, own.size());
    return fmt::format("--{} {}: {}", option, noted.substr(equals + 1), message);
  }
  return message;
}

}  // namespace

search::DecodeOptions override_decode_options(const std::string& model, const std::vector<std::string>& set,
                                              const std::vector<std::string>& of_options) {
  auto all = set;
  all.insert(all.end(), of_options.begin(), of_options.end());
  try {
    return override_model(model, all, {"decode"}).decode;
  } catch (const InputError& error) {
    throw InputError(in_words_of_options(error.what(), of_options));
  }
}

}  // namespace transformer::apps
