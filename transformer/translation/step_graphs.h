// Steps of a search as graphs: a device that is asked for the same steps again is asked for all their
// operations at once (gpu/graph.h). A step has some 200 of them, and each costs the host more time than a
// GPU needs for it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "transformer/gpu/graph.h"
#include "transformer/translation/device_state.h"

namespace transformer::translation {

/// The steps of all searches with one model, whose weights stay as they are as long as this lives. Steps are
/// the same if shapes and StepsAhead are: which positions they add is data. The first ones are computed, so
/// that all that is made once is there. The second ones are recorded. The first graph is compared with what
/// it stands for. If the two disagree, or the device cannot record, a warning says so once, and steps are
/// computed.
///
/// A search goes on in the memory of its shape's graphs. All shapes share one memory, since one search is at
/// work at a time. All graphs are made again where it has to grow. run() throws what the device says where
/// there is too little, and the search has to begin again without graphs.
class StepGraphs {
 public:
  static constexpr std::size_t kMost = 256;  ///< graphs

  /// Null where steps cannot be graphs: on a CPU or a device without graphs, where results have to be equal
  /// to the last bit, and with parts from outside, which may do something else each time.
  static std::unique_ptr<StepGraphs> of(const models::EncoderDecoder& model);

  explicit StepGraphs(models::EncoderDecoder model);  ///< The device has graphs.

  /// Does the steps (do_steps). The state moves into the graphs' memory. → their log, on the host
  StepLog run(DeviceState& state, const StepsAhead& asked);

  /// Gives up all graphs and their memory, for good, with a warning. Their searches end with it.
  void decline(const std::string& why);
  bool declined() const { return declined_; }

  std::size_t size() const { return size_; }

 private:
  struct Recorded {
    std::optional<StepLog> log;
    std::unique_ptr<gpu::Graph> graph;  ///< after what it writes to
    bool seen = false;
  };
  struct Shape {
    DeviceState state;
    std::map<StepsAhead, Recorded> graphs;
  };
  /// The type of the cache, B, S, W, P
  using Key = std::tuple<torch::ScalarType, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

  static Key key_of(const DeviceState& state);
  Shape& settled(DeviceState& state);
  void allocate(DeviceState& state);
  bool record(Recorded& steps, const DeviceState& state, const StepsAhead& asked);
  StepLog compared(Recorded& steps, DeviceState& state, const StepsAhead& asked);

  models::EncoderDecoder model_;
  gpu::GraphPool pool_;
  torch::Tensor memory_;  ///< of all shapes' keys and values
  std::map<Key, Shape> shapes_;
  std::size_t size_ = 0;
  bool declined_ = false, agreed_ = false;
};

}  // namespace transformer::translation
