#include "transformer/formats/json_file.h"

#include <fmt/format.h>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"

namespace transformer::formats {
namespace {

using nlohmann::json;

constexpr int kDeepest = 16;  // more could exhaust the stack when it is copied

}  // namespace

void write_json(const std::filesystem::path& path, const nlohmann::ordered_json& json) {
  write_file_atomically(path, json.dump(2, ' ', /*ensure_ascii=*/true) + "\n");
}

json read_json(const std::filesystem::path& path) {
  const auto text = read_file(path);
  bool shallow = true;
  const auto within_depth = [&](int depth, json::parse_event_t /*event*/, json& /*value*/) {
    return shallow = shallow && depth <= kDeepest;
  };
  auto result = json::parse(text, within_depth, /*allow_exceptions=*/false);
  if (result.is_discarded() || !shallow)
    throw InputError(fmt::format("{}: expected JSON, found other or damaged content", path.string()));
  return result;
}

}  // namespace transformer::formats
