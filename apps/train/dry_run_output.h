// What transformer-train --dry-run prints.
#pragma once

#include "transformer/train/dry_run.h"

namespace transformer::apps {

void print_dry_run(const train::DryRun& run, bool as_json);

}  // namespace transformer::apps
