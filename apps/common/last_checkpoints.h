// The checkpoints that an average is made of.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "transformer/checkpoints/run_directory.h"

namespace transformer::apps {

/// The folders of a run's last `count` checkpoints that were due, oldest first: those at multiples of its
/// train.save_every, and the end of the training (train.steps), which may follow the last of them sooner than
/// that, as tensor2tensor's did. Others lie between them, unevenly: the best so far, and those of a stop. One
/// alone is the newest, whatever it is. `option` is what asked for so many. Throws InputError when there
/// are fewer; warns where one is missing in between.
std::vector<std::filesystem::path> last_checkpoints(const checkpoints::RunDirectory& run, std::size_t count,
                                                    std::string_view option);

}  // namespace transformer::apps
