// The checkpoints that an average is made of.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "transformer/store/run_directory.h"

namespace transformer::apps {

/// The folders of a run's last `count` checkpoints, oldest first. `option` is what asked for so many. Throws
/// InputError when there are fewer.
std::vector<std::filesystem::path> last_checkpoints(const store::RunDirectory& run, std::size_t count,
                                                    std::string_view option);

}  // namespace transformer::apps
