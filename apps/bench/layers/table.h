// Table 1 with measured figures: exponents, crossings, and how all of it is written down.
#pragma once

#include <map>
#include <optional>

#include "apps/bench/layers/kinds.h"
#include "transformer/report/power_law.h"

namespace transformer::bench {

/// One layer, measured once.
struct LayerPoint {
  LayerKind kind{};
  LayerShape shape;
  double forward = 0, backward = 0;  ///< seconds
  int repetitions = 0;

  double seconds() const { return forward + backward; }
};

struct LayerPath {
  LayerKind kind{};
  LayerShape shape;
  std::int64_t layers = 0;
};

enum class Along { length, width };

/// What is measured, and over which part of it exponents are fitted.
struct LayerPlan {
  LayerShape at;                                 ///< n where d varies, d where n does, and the rest
  std::vector<std::int64_t> lengths, widths;     ///< rising
  std::int64_t fit_lengths = 0, fit_widths = 0;  ///< exponents are those from here on
  std::vector<std::int64_t> path_lengths = {};   ///< rising
  std::string conditions = {};                   ///< threads, device and precision, in words
  std::string command = {};                      ///< that measures the same again
};

struct LayerResults {
  LayerPlan plan;
  std::vector<LayerPoint> points;
  std::vector<LayerPath> paths;
};

/// Kinds that are timed: a dilated convolution costs what another one does.
bool is_timed(LayerKind kind);

/// The settings of a plan, each once: all lengths at its width, all widths at its length.
std::vector<LayerShape> shapes_of(const LayerPlan& plan);

/// (n or d, seconds) of a kind, or (n or d, operations).
std::vector<report::Point> seconds_along(const LayerResults& results, LayerKind kind, Along along);
std::vector<report::Point> operations_along(const LayerPlan& plan, LayerKind kind, Along along);

/// Power laws of the seconds and of the operations over the same part of the sweep. Absent if that part has
/// fewer than two points.
struct Growth {
  std::optional<report::PowerLaw> seconds, operations;
};
Growth growth_of(const LayerResults& results, LayerKind kind, Along along);

/// The length from which on attention takes longer, between measured ones.
std::optional<double> seconds_crossing(const LayerResults& results, const Rivals& pair);

std::string layers_markdown(const LayerResults& results);
std::string layers_svg(const LayerResults& results);

}  // namespace transformer::bench
