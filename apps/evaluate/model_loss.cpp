#include "apps/evaluate/model_loss.h"

#include <fmt/format.h>

#include <cmath>

#include "apps/common/data_file.h"
#include "apps/common/model_overrides.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/runtime/device.h"
#include "transformer/tasks/next_tokens.h"
#include "transformer/train/evaluation.h"

namespace transformer::apps {
std::vector<eval::MetricResult> model_loss(const std::string& model, const std::string& data,
                                           const CommonOptions& common) {
  const auto device = runtime::choose_device(common.device);
  auto loaded = checkpoints::load_model(model, device);
  const auto experiment = override_model(model, common.set, {"data.prepared", "train"});
  const auto opened = open_data(data, experiment, loaded, model);
  const auto sizes = loaded.model->vocabulary();
  const auto precision = runtime::choose_precision(common.precision, device);
  const auto epsilon = experiment.train.label_smoothing;
  tasks::NextTokens objective(loaded.model, opened.data, experiment.train, {.block = opened.block});
  const auto result = train::evaluate_loss(objective, precision);
  if (std::isnan(result.nll)) throw checkpoints::diverged(model);
  const auto signature = [&](double smoothing) {
    return fmt::format("tokens:{}|vocabulary:{}|smoothing:{}|precision:{}", result.tokens, sizes.target,
                       smoothing, runtime::name_of_precision(precision));
  };
  return {{"loss", result.loss, signature(epsilon), ""}, {"perplexity", result.perplexity, signature(0), ""}};
}

}  // namespace transformer::apps
