// What is found of claims about rows.
#pragma once

#include <optional>
#include <string_view>

#include "transformer/report/report.h"

namespace transformer::report {

enum class Finding { held, not_held, undecided };

/// A claim's difference in score, its row's less that of the row that it stands against.
struct Evidence {
  double difference = 0;
  double half_width = 0;  ///< of the 95 % interval, by the luck of sentences and of seeds together
  Finding finding = Finding::undecided;
};

/// The rule, in sentences for the reader.
inline constexpr std::string_view finding_rule =
    "A claim is “held” if the whole 95 % interval of the difference lies where it says: below 0 if the row "
    "is expected to be worse, above 0 if better (of a score of which less is better, the other way round), "
    "and no "
    "farther from 0 than is granted if equal. It is “not "
    "held” if the whole interval lies elsewhere. Anything else is “not decided”, also where both rows score "
    "less than equal rows may be apart, and all as long as no row has several seeds. Verdicts are not "
    "corrected for the number of claims; “Holm p” is.";

/// Absent until both rows have a finished run, and where their dev sets differ.
std::optional<Evidence> evidence_of(const Report& report, const Claim& claim);

}  // namespace transformer::report
