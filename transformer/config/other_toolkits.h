// What other toolkits call what a key of ours says.
#pragma once

#include <span>
#include <string_view>

namespace transformer::config {

struct OtherName {
  std::string_view names;  ///< of other toolkits, with blanks between; in small letters, with _ for -
  std::string_view here;   ///< what says it here, in words for a message
};

/// All that is known of them.
std::span<const OtherName> other_names();

/// The words for a name of fairseq, eole (OpenNMT), Marian or JoeyNMT, such as "'train.warmup', in updates".
/// Empty for other names. The section of the name does not count.
std::string_view name_here(std::string_view name);

}  // namespace transformer::config
