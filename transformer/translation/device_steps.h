// The steps of a search by the model's own modules on a device that nobody waits for: a twin of ModuleSteps.
#pragma once

#include <torch/types.h>

#include <optional>
#include <string>
#include <vector>

#include "transformer/models/encoder_decoder.h"
#include "transformer/search/step.h"
#include "transformer/translation/step_graphs.h"

namespace transformer::translation {

/// Runs ahead of the search: it does some steps, for which the device itself decides what is open next
/// (device_beam.h), and brings their log to the host by one copy. Then it answers the search, which goes
/// through these steps by the rules that are written there alone, from the log. Steps done for sentences that
/// the search had closed by then are never asked for, and such sentences leave the batch. Within a step
/// nothing is copied to the device or from it.
class DeviceSteps {
 public:
  /// At most. More are less waiting and more steps that nobody asks for.
  static constexpr std::int64_t kStepsAhead = 8;

  /// The first option that it does not know, as "decode.beam: 100"; nothing if it knows all.
  static std::optional<std::string> unsupported(const models::ModelOptions& model,
                                                const search::DecodeOptions& options);

  /// source: (B, S), ids that end in kEos and are padded behind it, on any device; limits: of each row, as
  /// search::beam_search takes them; graphs: as long as this lives, or null.
  DeviceSteps(models::EncoderDecoder& model, const torch::Tensor& source, std::vector<std::int64_t> limits,
              const search::DecodeOptions& options, StepGraphs* graphs = nullptr);

  /// As search::Step. Throws RunError where the search goes on with other hypotheses than the device did.
  void operator()(const search::StepRows& rows, std::int64_t width, search::Continuations& best);

 private:
  void find_places(const search::StepRows& rows);
  void leave_out_closed(const std::vector<std::int32_t>& sentences);
  void run_ahead(std::int64_t width);
  std::int64_t limit(std::int32_t sentence) const {
    return limits_of_all_[static_cast<std::size_t>(sentence)];
  }

  models::EncoderDecoder model_;
  bool ends_take_places_;
  std::vector<std::int64_t> limits_of_all_;

  StepGraphs* graphs_;
  DeviceState state_;                    // on the device; more sentences than these may fill it up
  std::vector<std::int32_t> sentences_;  // those in the state, by their places in the batch
  std::vector<std::int64_t> places_;     // of the last step's rows among their sentence's hypotheses
  std::optional<StepLog> log_;
  LoggedStep last_;        // the step that was answered last
  std::int64_t next_ = 0;  // the step of the log that is answered next
};

}  // namespace transformer::translation
