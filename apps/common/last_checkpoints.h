// The checkpoints that an average is made of.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "transformer/checkpoints/run_directory.h"

namespace transformer::apps {

/// The folders of a run's last `count` due checkpoints, oldest first. Due are multiples of train.save_every
/// and the end of the training (train.steps), which may follow the last multiple by fewer updates, as in
/// tensor2tensor. The other checkpoints lie between these at uneven distances: the best so far, and those
/// made when a training is stopped. A count of 1 gives the newest checkpoint, due or not. `option` is the
/// option that asks for the checkpoints, for messages. Throws InputError if there are fewer; warns if one in
/// between is missing.
std::vector<std::filesystem::path> last_checkpoints(const checkpoints::RunDirectory& run, std::size_t count,
                                                    std::string_view option);

}  // namespace transformer::apps
