#include "transformer/tasks/text_task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/checkpoints/beginning.h"
#include "transformer/data/word_begins.h"
#include "transformer/models/kinds.h"
#include "transformer/models/size.h"
#include "transformer/runtime/cuda.h"
#include "transformer/runtime/device.h"
#include "transformer/tasks/labels.h"
#include "transformer/train/cost.h"

namespace transformer::tasks {
namespace fs = std::filesystem;
namespace {

void check_head(const config::Experiment& experiment) {
  const auto kind = experiment.data.examples;
  const auto head = experiment.model.encoder.head;
  const bool encoder = experiment.model.kind.name == models::kEncoder;
  if (has_parts(kind) && !encoder)
    throw InputError(fmt::format("model.kind: expected encoder where data.examples is {}, found '{}'",
                                 name_of(kind), models::kind_of(experiment.model)));
  if (!encoder || kind == data::ExampleKind::documents) return;  // masked tokens: next_tokens.cpp
  if (!has_parts(kind))
    throw InputError(fmt::format(
        "data.examples: expected documents, labelled or answers for model.kind encoder, found '{}'",
        name_of(kind)));
  const bool answers = kind == data::ExampleKind::answers;
  if (head == models::Head::none || (head == models::Head::span) != answers)
    throw InputError(fmt::format("model.head: expected {} (data.examples: {}), found '{}'",
                                 answers ? "span for answers" : "classes, number or words for labels",
                                 name_of(kind), name_of(head)));
}

data::Prepared open_data(const config::Experiment& experiment) {
  data::Prepared data(experiment.data);
  const auto block = experiment.data.block;
  if (!data.train.has_source()) check_text(data.train, block, data.paths.train());
  check_text(data.dev, block, data.paths.dev());
  check_head(experiment);
  check_lengths(data.dev, block, experiment.model, data.paths.dev());
  return data;
}

/// Nothing where there is no dropout.
std::shared_ptr<const data::PairDropout> dropout_of(const data::DataOptions& options,
                                                    const checkpoints::Tokenizers& tokenizers) {
  if (options.bpe_dropout == 0) return nullptr;
  const data::BpeDropout source(*tokenizers.source, options.bpe_dropout);
  const bool shared = tokenizers.target == tokenizers.source;
  return std::make_shared<data::PairDropout>(
      data::PairDropout{source, shared ? source : data::BpeDropout(*tokenizers.target, options.bpe_dropout)});
}

/// Nothing where the model is no encoder alone.
std::shared_ptr<const data::Masking> masking_of(const config::Experiment& experiment,
                                                const data::Tokenizer& tokenizer) {
  if (experiment.model.kind.name != models::kEncoder || has_parts(experiment.data.examples)) return nullptr;
  return std::make_shared<data::Masking>(data::Masking{
      .share = experiment.train.mask_share,
      .mask = tokenizer.mask(),
      .vocabulary = tokenizer.size(),
      .begins = experiment.train.mask_words ? data::word_begins(tokenizer) : std::vector<bool>()});
}

/// Null where no head learns links.
std::shared_ptr<const data::PieceLinker> linker_of(const config::Experiment& experiment,
                                                   const data::Prepared& data) {
  if (experiment.train.guided_alignment == 0) return nullptr;
  const auto &source = data.source_tokenizer, &target = data.target_tokenizer;
  if (experiment.data.examples == data::ExampleKind::trees)
    return std::make_shared<data::TreeWords>(source, target);
  return std::make_shared<data::LinkedWords>(
      data.paths.train_links(), data.train.size(), source, target,
      experiment.train.guided_null ? data::Unlinked::end : data::Unlinked::nothing);
}

void check_memory(const config::Experiment& experiment, const models::VocabularySizes& sizes,
                  const torch::Device& device) {
  // Weights; on the CPU gradients and what the optimiser keeps, too.
  const double copies = device.is_cpu() ? 2 + train::kept_numbers(experiment.train) : 1;
  const double needed =
      copies * 4 * static_cast<double>(models::count_parameters(experiment.model, sizes).total());
  const double there =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (needed > there)
    throw InputError(
        fmt::format("model: expected one that fits into {:.1f} GB of memory, found one whose weights, "
                    "gradients and moments take {:.1f} GB",
                    there / 1e9, needed / 1e9));
}

/// "a, b, c and 4 others"
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  const auto shown = std::min(names.size(), kShown);
  const auto first =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), "; "));
  return names.size() > shown ? fmt::format("{}; and {} others", first, names.size() - shown) : first;
}

void report(const checkpoints::Beginning& beginning) {
  spdlog::info("beginning from {}: {} tensors taken, {} new, {} left out", beginning.directory.string(),
               beginning.taken, beginning.fresh.size(), beginning.left.size());
  for (const auto& rows : beginning.by_row)
    spdlog::info("{}: {} rows taken{}, {} new", rows.name, rows.copied,
                 rows.from_parts > 0 ? fmt::format(", {} from parts", rows.from_parts) : "", rows.drawn);
  if (!beginning.fresh.empty()) spdlog::info("new: {}", some_of(beginning.fresh));
  if (!beginning.left.empty()) spdlog::info("left out: {}", some_of(beginning.left));
  if (!beginning.unfit.empty())
    spdlog::warn("of another shape in {}: {}", beginning.directory.string(), some_of(beginning.unfit));
}

}  // namespace

void check_lengths(const data::Dataset& data, std::int64_t block, const models::ModelOptions& model,
                   const fs::path& file) {
  const auto longest = models::longest_sequence(model);
  if (!longest) return;
  const auto begin = models::stacks_of(model).decoder ? 0 : 1;  // an encoder alone also reads a begin token
  const auto examples = data::examples_of(data, block);
  for (std::int64_t i = 0; i < examples->size(); ++i) {
    const auto [source, target] = examples->length(i);
    if (const auto length = std::max(source, target) + begin; length > *longest)
      throw InputError(
          fmt::format("{}: {} {} has {} tokens with its end: expected at most model.max_positions, {}",
                      file.string(), block > 0 ? "block" : "sentence", i, length, *longest));
  }
}

void check_text(const data::Dataset& data, std::int64_t block, const fs::path& file) {
  if (!data.has_source()) {
    if (data.target_tokens() == 0)
      throw InputError(fmt::format("{}: expected text, found no token in any of {} documents", file.string(),
                                   data.size()));
    if (const auto tokens = data::stream_length(data); tokens < block)
      throw InputError(fmt::format("{}: expected at least a block (data.block) of {} tokens, found {}",
                                   file.string(), block, tokens));
    return;
  }
  if (data.source_tokens() > 0 && data.target_tokens() > 0) return;
  throw InputError(
      fmt::format("{}: expected text to be judged by, found {} pairs with {} source and {} target tokens",
                  file.string(), data.size(), data.source_tokens(), data.target_tokens()));
}

models::AnyModel make_model(const config::Experiment& experiment, const models::VocabularySizes& sizes,
                            const torch::Device& device) {
  check_memory(experiment, sizes, device);
  runtime::seed_generators(static_cast<std::uint64_t>(experiment.seed));
  auto model = models::make(experiment.model, sizes);
  runtime::move_to(*model, device);
  return model;
}

void check_tokenizers(const fs::path& checkpoint, const checkpoints::Tokenizers& tokenizers) {
  const auto files = checkpoints::tokenizer_files(checkpoint);
  const auto check = [](const fs::path& file, const data::Tokenizer& tokenizer) {
    const data::Tokenizer of_run(file);
    const bool same = read_file(file) == read_file(tokenizer.path()) &&
                      of_run.all_pieces() == tokenizer.all_pieces() && of_run.begin() == tokenizer.begin();
    if (!same)
      throw InputError(fmt::format("{}: expected the tokenizer of the run, {}, found another",
                                   tokenizer.path().string(), file.string()));
  };
  check(files.front(), *tokenizers.source);
  check(files.back(), *tokenizers.target);
}

TextTask::TextTask(const config::Experiment& experiment, const torch::Device& device, Measure measure,
                   Show show)
    : data_(open_data(experiment)),
      tokenizers_(checkpoints::tokenizers_of(data_)),
      model_(make_model(experiment, tokenizers_.sizes(), device)),
      training_(model_, data_.train, experiment.train,
                {.dropout = dropout_of(experiment.data, tokenizers_),
                 .block = experiment.data.block,
                 .masking = masking_of(experiment, *tokenizers_.target),
                 .labels = labels_of(experiment, data_, tokenizers_),
                 .linker = linker_of(experiment, data_),
                 .shares = data::epoch_shares(experiment.data, data_.train_texts)}),
      dev_(model_, data_.dev, experiment.train,
           {.block = experiment.data.block,
            .masking = masking_of(experiment, *tokenizers_.target),
            .labels = labels_of(experiment, data_, tokenizers_)}),
      examples_name_(experiment.data.examples == data::ExampleKind::labelled
                         ? "texts with labels"
                         : name_of(experiment.data.examples)),
      measure_(std::move(measure)),
      show_(std::move(show)) {}

std::string TextTask::describe_data() const {
  return fmt::format("{} training {}", data_.train.size(), examples_name_);
}

std::vector<std::pair<std::string, std::string>> TextTask::traits() const {
  std::vector<std::pair<std::string, std::string>> traits;
  const auto sums = read_checksums(data_.paths.folder);
  for (const auto& name : file_names())
    if (const auto found = sums.find(name); found != sums.end())
      traits.emplace_back(fmt::format("tokenizer (checksum of {})", name), found->second);
  return traits;
}

std::string TextTask::begin_from(const fs::path& model, train::NewPieces new_pieces, bool reported) {
  const auto beginning = checkpoints::begin_from(model, *model_, tokenizers_, new_pieces);
  if (reported) report(beginning);
  return beginning.checksum;
}

std::vector<std::string> TextTask::file_names() const {
  const data::PreparedPaths here{};
  return {here.source_tokenizer(true), here.source_tokenizer(false), here.target_tokenizer(false)};
}

void TextTask::write_files(const fs::path& folder) const {
  checkpoints::copy_tokenizers(tokenizers_, folder);
}

void TextTask::check_files(const fs::path& checkpoint) const {
  check_tokenizers(checkpoint, tokenizers_);
}

std::optional<train::DevMetric> TextTask::dev_metric() {
  if (!measure_) return std::nullopt;
  return measure_(model_);
}

std::vector<train::Sample> TextTask::samples() {
  return show_ ? show_(model_) : std::vector<train::Sample>{};
}

}  // namespace transformer::tasks
