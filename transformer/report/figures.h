// The pictures, as files or as parts of a page.
#pragma once

#include <string>

#include "transformer/report/report.h"
#include "transformer/report/svg.h"

namespace transformer::report {

std::string draw_learning_curves(const Report& report, Ground ground);
std::string draw_score_by_parameters(const Report& report, Ground ground);

}  // namespace transformer::report
