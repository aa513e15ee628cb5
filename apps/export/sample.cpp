#include "apps/export/sample.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "transformer/base/blank_mark.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/base/streams.h"
#include "transformer/base/text_file.h"
#include "transformer/base/text_stream.h"
#include "transformer/data/blocks.h"
#include "transformer/data/corpus.h"
#include "transformer/data/text_parts.h"
#include "transformer/translation/text_translation.h"

namespace transformer::apps {
namespace {

constexpr std::int64_t kRandomLength = 40;

/// reader: LineReader or data::TextReader.
template <typename Reader>
formats::Sample from_lines(const checkpoints::LoadedModel& model, Reader& reader, const std::string& name,
                           std::size_t most) {
  formats::Sample sample;
  const auto longest = static_cast<std::size_t>(translation::longest_source(model.experiment.model));
  for (std::string line; sample.sentences.size() < most && reader.next(line);) {
    auto ids = model.tokenizers.source->encode(line, longest);
    if (ids.empty()) continue;
    if (ids.size() > longest) {  // of the text of what is left nobody knows
      ids.resize(longest);
      line.clear();
    }
    sample.sentences.push_back(std::move(ids));
    sample.texts.push_back(line);
  }
  if (sample.sentences.empty())
    throw InputError(fmt::format("{}: expected sentences to compare on, found no text", name));
  sample.origin = name;
  return sample;
}

formats::Sample from_text(const checkpoints::LoadedModel& model, const std::string& file, std::size_t most) {
  const auto name = input_name(file);
  auto text = file == "-" ? TextStream(STDIN_FILENO, name) : TextStream(file);
  LineReader reader(text, name);
  return from_lines(model, reader, name, most);
}

formats::Sample random_sentences(const checkpoints::LoadedModel& model, std::size_t most) {
  const auto vocabulary = static_cast<std::int32_t>(model.model->vocabulary().source);
  const auto longest = std::min(kRandomLength, translation::longest_source(model.experiment.model));
  std::mt19937 generator(1);
  std::uniform_int_distribution<std::int64_t> length(1, longest);
  std::uniform_int_distribution<std::int32_t> token(kEos + 1, vocabulary - 1);
  formats::Sample sample{"random tokens", {}};
  for (std::size_t i = 0; i < most; ++i) {
    sample.sentences.emplace_back(static_cast<std::size_t>(length(generator)));
    for (auto& id : sample.sentences.back()) id = token(generator);
  }
  return sample;
}

formats::Sample chosen_sample(const checkpoints::LoadedModel& model, const std::string& file,
                              std::size_t most) {
  if (!file.empty()) return from_text(model, file, most);
  const auto& data = model.experiment.data;
  const auto side = data::side_files(data.dev, data).front();
  const auto dev = side.path.string();
  if (!data.dev.empty() && std::filesystem::exists(dev)) {
    data::TextReader reader(side);
    return from_lines(model, reader, dev, most);
  }
  spdlog::warn("data.dev: {} is not here, so random tokens are compared; --sample names other text",
               data.dev.empty() ? "a dev set" : dev);
  return random_sentences(model, most);
}

}  // namespace

formats::Sample export_sample(const checkpoints::LoadedModel& model, const std::string& file,
                              std::size_t most) {
  auto sample = chosen_sample(model, file, most);
  sample.begin = data::begin_of_texts(model.experiment.data);
  return sample;
}

void normalize(formats::Sample& sample, const data::Tokenizer& tokenizer, const std::string& format) {
  const bool adds_blank = data::AddedBlank(tokenizer.serialized()).added;
  std::size_t changed = 0;
  for (auto& text : sample.texts) {
    auto normal = tokenizer.normalized(text);
    for (auto mark = normal.find(kBlankMark); mark != std::string::npos; mark = normal.find(kBlankMark))
      normal.replace(mark, std::string_view(kBlankMark).size(), " ");
    if (adds_blank && normal.starts_with(' ')) normal.erase(0, 1);
    changed += normal != text ? 1 : 0;
    text = std::move(normal);
  }
  if (changed > 0)
    spdlog::warn(
        "{}: readers take text as it is, but the tokenizer normalises {} of {} texts: give them normalised "
        "text",
        format, changed, sample.texts.size());
}

}  // namespace transformer::apps
