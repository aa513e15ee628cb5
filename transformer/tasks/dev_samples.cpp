#include "transformer/tasks/dev_samples.h"

#include <algorithm>
#include <string>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/checkpoints/tokenizers.h"
#include "transformer/data/prepared.h"
#include "transformer/runtime/device.h"
#include "transformer/translation/text_translation.h"

namespace transformer::tasks {
namespace {

std::vector<std::string> first_lines(const std::filesystem::path& file, std::int64_t count) {
  auto lines = read_lines(file);
  lines.resize(std::min(lines.size(), static_cast<std::size_t>(count)));
  return lines;
}

bool shows_samples(data::ExampleKind kind) {
  return kind == data::ExampleKind::pairs || kind == data::ExampleKind::trees;
}

}  // namespace

TextTask::Show dev_samples(const config::Experiment& experiment, const TaskSettings& settings) {
  if (experiment.train.samples == 0 || !shows_samples(experiment.data.examples)) return {};
  const data::PreparedFolder folder(experiment.data);
  const auto tokenizers = checkpoints::load_tokenizers(folder.paths.folder);
  const auto sources = first_lines(folder.paths.source_text("dev"), experiment.train.samples);
  const auto references = first_lines(folder.paths.target_text("dev"), experiment.train.samples);
  const bool trees = experiment.data.examples == data::ExampleKind::trees;
  auto greedy = experiment.decode;
  greedy.beam = greedy.nbest = 1;
  return [=](const models::AnyModel& model) {
    const runtime::PrecisionScope scope(settings.precision);
    const auto stop = [&] {
      if (settings.interrupted) throw Interrupted();
    };
    std::vector<train::Sample> samples;
    const auto found = translation::translate(model, *tokenizers.source, *tokenizers.target, sources, greedy,
                                              {}, {.before_step = stop}, {.trees = trees});
    for (const auto& translation : found[0])
      samples.push_back({sources.at(samples.size()), references.at(samples.size()), translation.texts.at(0)});
    return samples;
  };
}

}  // namespace transformer::tasks
