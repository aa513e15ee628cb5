// Student's distribution, for the means of a few trainings.
#pragma once

namespace transformer::report {

/// The probability that |T| is at least |t|, with this many degrees of freedom, at least 1 (Abramowitz and
/// Stegun, 26.7.3 and 26.7.4). NaN where t is.
double student_two_sided(double t, int degrees);

/// The t that |T| exceeds with this probability, above 0 and below 1: 2.08 for 0.05 and 21 degrees.
double student_quantile(double two_sided, int degrees);

}  // namespace transformer::report
