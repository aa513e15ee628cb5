// Which models the engine for CPUs can compute. It is a twin of the modules, and names what it leaves to
// them.
#pragma once

#include <optional>
#include <string>

#include "transformer/models/options.h"

namespace transformer::engine {

/// Encoder-decoders translate (BatchDecoder), decoders alone continue texts (TextDecoder).
/// The first option that the engine does not know, as "model.positions: bias"; nothing if it knows all.
std::optional<std::string> unsupported(const models::ModelOptions& options);

/// For the log, of what unsupported() names: that the modules translate in its place.
std::string declined(const std::string& option);

}  // namespace transformer::engine
