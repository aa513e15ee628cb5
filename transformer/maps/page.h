// The page that shows attention maps: the files of page/, as one text in two parts.
#pragma once

#include <string_view>

namespace transformer::maps {

/// Between them stands an object of JSON (attention_document.h), without "<".
extern const std::string_view page_before_data, page_after_data;

}  // namespace transformer::maps
