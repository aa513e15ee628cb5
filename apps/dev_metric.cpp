#include "apps/dev_metric.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/checkpoints/tokenizers.h"
#include "transformer/data/prepared.h"
#include "transformer/eval/metric_table.h"
#include "transformer/runtime/device.h"
#include "transformer/translation/engine_model.h"
#include "transformer/translation/text_translation.h"

namespace transformer::apps {
namespace {

using Lines = std::vector<std::string>;

/// Those of every so many lines that are this process's.
Lines share_of(const Lines& lines, const distributed::Group& group) {
  Lines share;
  for (auto i = group.rank(); i < std::ssize(lines); i += group.size())
    share.push_back(lines[static_cast<std::size_t>(i)]);
  return share;
}

/// All processes' lines, where they belong.
Lines put_together(distributed::Group& group, const Lines& own) {
  std::vector<Lines> shares;
  // Translations are UTF-8 but for what bytes that a tokenizer falls back to may make of them.
  for (const auto& text :
       group.exchange(nlohmann::json(own).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)))
    shares.push_back(nlohmann::json::parse(text).get<Lines>());
  Lines all;
  for (std::size_t i = 0;; ++i) {
    const auto& share = shares[i % shares.size()];
    if (i / shares.size() >= share.size()) return all;
    all.push_back(share[i / shares.size()]);
  }
}

}  // namespace

train::TranslationTask::Measure dev_metric(const config::Experiment& experiment, const torch::Device& device,
                                           torch::ScalarType precision, const std::atomic<bool>& interrupted,
                                           distributed::Group* group) {
  if (experiment.train.bleu_every == 0) return {};
  translation::warn_if_declined(experiment.model, device);
  const data::PreparedFolder folder(experiment.data);  // the training opens the data sets
  const auto tokenizers = checkpoints::load_tokenizers(folder.paths.folder);
  const auto all = read_lines(folder.paths.source_text("dev")),
             references = read_lines(folder.paths.target_text("dev"));
  const auto sources = group ? share_of(all, *group) : all;
  const auto metric = eval::find_metric("bleu");
  return [=, &interrupted](models::EncoderDecoder& model) {
    const runtime::Autocast autocast(precision);
    const auto stop = [&] {
      if (interrupted) throw Interrupted();
    };
    Lines hypotheses;
    distributed::interrupt_together(group, [&] {
      for (const auto& translation :
           translation::translate(model, *tokenizers.source, *tokenizers.target, sources, experiment.decode,
                                  {.before_step = stop}))
        hypotheses.push_back(translation.texts.at(0));
    });
    if (group) hypotheses = put_together(*group, hypotheses);
    return train::DevMetric{metric.name, eval::corpus_score(metric, {hypotheses, {references}})};
  };
}

}  // namespace transformer::apps
