#include "transformer/report/student.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace transformer::report {

double student_two_sided(double t, int degrees) {
  if (std::isnan(t)) return t;
  const bool odd = degrees % 2 != 0;
  const double angle = std::atan(std::abs(t) / std::sqrt(degrees));
  const double cosine = std::cos(angle);
  // The series of both parities: the next term is cos² · k / (k + 1) of the one before.
  double term = odd ? cosine : 1, sum = 0;
  for (int k = odd ? 2 : 1; k <= degrees - 1; k += 2) {
    sum += term;
    term *= cosine * cosine * k / (k + 1);
  }
  const double within = odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
  return std::clamp(1 - within, 0.0, 1.0);
}

double student_quantile(double two_sided, int degrees) {
  double low = 0, high = 1;
  while (student_two_sided(high, degrees) > two_sided) high *= 2;
  for (;;) {  // until no number lies between them
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    (student_two_sided(middle, degrees) > two_sided ? low : high) = middle;
  }
}

}  // namespace transformer::report
