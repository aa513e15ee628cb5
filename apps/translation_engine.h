// What transformer-translate computes with.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transformer/checkpoints/model_directory.h"
#include "transformer/decode/translator.h"

namespace transformer::apps {

/// What --precision stands for on the CPU: fp32, bf16 or int8; auto is fp32.
inference::Precision packed_precision(const std::string& name);

/// The device that --device stands for. Throws InputError where it cannot be used, or not in this precision.
torch::Device translation_device(const std::string& device, const std::string& precision);

/// A loaded model: packed for the CPU, or as modules on another device and where the engine does not know it.
class TranslationEngine {
 public:
  /// model: a model directory or a run directory; device and precision as the command line has them. Throws
  /// InputError for what cannot be.
  TranslationEngine(const std::string& model, const std::string& device, const std::string& precision);
  /// The same with a model in memory.
  TranslationEngine(checkpoints::LoadedModel model, const torch::Device& device,
                    const std::string& precision);

  /// On the CPU with one worker for each of LibTorch's threads.
  std::vector<decode::Translation> translate(std::span<const std::string> lines,
                                             const decode::DecodeOptions& options,
                                             const decode::TranslateCallbacks& callbacks);

  /// Under each of `alphas`, [alpha][line], by one search (decode/translator.h).
  std::vector<std::vector<decode::Translation>> translate_alphas(std::span<const std::string> lines,
                                                                 const decode::DecodeOptions& options,
                                                                 std::span<const double> alphas,
                                                                 const decode::TranslateCallbacks& callbacks);

  std::int64_t longest_source() const { return longest_source_; }

 private:
  void take(checkpoints::LoadedModel model, const torch::Device& device, const std::string& precision);

  checkpoints::LoadedModel loaded_;  // its model is given up once it is packed
  std::optional<inference::PackedModel> packed_;
  std::int64_t longest_source_ = 0;
};

}  // namespace transformer::apps
