#include "transformer/formats/huggingface/languages.h"

#include <sstream>

namespace transformer::formats::seq2seq {
namespace {

constexpr const char* kLanguages =
    "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi hr "
    "ht hu hy "
    "id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa pl ps "
    "pt ro ru "
    "sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu";
constexpr const char* kLanguages2021 = "en ha is ja cs ru zh de";

constexpr std::string_view kMark = "__";

}  // namespace

std::vector<std::string> language_tokens(std::string_view codes) {
  std::vector<std::string> tokens;
  std::istringstream languages(codes == kLanguageCodes[1] ? kLanguages2021 : kLanguages);
  for (std::string language; languages >> language;)
    tokens.push_back(std::string(kMark).append(language).append(kMark));
  return tokens;
}

std::string language_of(std::string_view token) {
  if (token.size() <= 2 * kMark.size() || !token.starts_with(kMark) || !token.ends_with(kMark)) return {};
  return std::string(token.substr(kMark.size(), token.size() - 2 * kMark.size()));
}

}  // namespace transformer::formats::seq2seq
