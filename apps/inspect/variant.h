// What transformer-inspect says of a variant from outside.
#pragma once

#include <string>

namespace transformer::apps {

/// Tries the variant of that name with those options ("local window=8"), of each kind that has the name, and
/// prints a line a check. Returns the exit status: kFailed where a check does not pass. Throws InputError for
/// one that is not known.
int print_variant_checks(const std::string& text, bool as_json);

}  // namespace transformer::apps
