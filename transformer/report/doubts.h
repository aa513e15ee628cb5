// Why a baseline decides nothing: verdicts on rows stand on it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transformer/report/report.h"

namespace transformer::report {

/// The part of its updates at the end of a training in which a perplexity that falls by more than that share
/// falls steeply. A fifth in a quarter is what a training that is cut off at its half does; whole ones of
/// these pages lose 15 % at most.
inline constexpr double kEndOfCurve = 0.25, kSteepFall = 0.2;

/// The rule, in a sentence for the reader.
inline constexpr std::string_view doubts_rule =
    "Nothing is decided against a base that lacks a seed, whose score is not significantly better than that "
    "of what "
    "needs no training (the source as it is, the references of other sentences, its own translations of "
    "other "
    "sentences; paired bootstrap, p < 0.05), or whose perplexity still fell by more than a fifth in the last "
    "quarter of its updates.";

/// How much the perplexity of a training's dev set fell at the end of its curve, as a share of what it was
/// kEndOfCurve of the updates before, which lies between points on the line of its logarithm. 0 for curves of
/// one point, and where they are no numbers.
double fall_at_end(const std::vector<CurvePoint>& curve);

/// "seed 2 (training, step 9 of 10), seed 3 (waiting)"; empty where all are finished.
std::string missing_seeds(const Row& row);

/// What speaks against a verdict on any row, a sentence each: of the baseline's seeds, of its score beside
/// Report::trivial, of its curves. None where there is no baseline.
std::vector<std::string> doubts_about_baseline(const Report& report);

}  // namespace transformer::report
