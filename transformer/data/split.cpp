#include "transformer/data/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/progress.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/dataset_writer.h"
#include "transformer/data/encoding.h"
#include "transformer/data/in_order.h"
#include "transformer/data/links_copy.h"

namespace transformer::data {
namespace {

/// For the words that all threads together remember.
constexpr std::size_t kWordMemory = std::size_t{256} << 20U;

std::int64_t count_unknown(const Sentences& sentences) {
  return std::ranges::count(sentences.ids, kUnknown);
}

/// The raw text beside a data set of pairs.
class TextCopy {
 public:
  TextCopy(const PreparedPaths& paths, const std::string& split)
      : source_(paths.source_text(split)), target_(paths.target_text(split)) {}

  void add(const ExampleBlock& block) {
    write(block.texts[0], source_);
    write(block.texts[1], target_);
  }

  void commit() {
    source_.commit();
    target_.commit();
  }

 private:
  static void write(const Lines& lines, AtomicFile& file) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      file.write(lines[i]);
      file.write("\n");
    }
  }

  AtomicFile source_;
  AtomicFile target_;
};

}  // namespace

SplitReport make_split(const SplitText& text, const DataOptions& options, const PrepareSettings& settings,
                       const PreparedPaths& paths, const Tokenizer& source, const Tokenizer& target) {
  const bool training = text.name == "train";
  const bool pairs = has_two_sides(options.examples);
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const int threads = std::max(1, settings.threads > 0 ? settings.threads : cores);
  std::vector<const Tokenizer*> tokenizers = {&target};
  if (pairs) tokenizers.insert(tokenizers.begin(), &source);
  const auto file = paths.folder / (text.name + ".bin");
  auto writer =
      pairs ? DatasetWriter(file, source.size(), target.size()) : DatasetWriter(file, target.size());
  std::optional<TextCopy> copy;
  if (!training && pairs) copy.emplace(paths, text.name);
  std::optional<LinksCopy> links;
  if (training && !options.links.empty()) links.emplace(paths.train_links(), source, target);
  SplitReport report;
  std::atomic<std::int64_t> done = 0;

  const auto make_work = [&] {
    ExampleEncoder encoder(tokenizers, kWordMemory / static_cast<std::size_t>(threads), options);
    return [&, encoder](ExampleBlock& block) mutable {
      if (training) {
        encoder.encode_and_filter(block, options);
      } else {
        encoder.encode_and_cut(block, longest_kept(options));
      }
      done += block.examples.total();
    };
  };
  const auto write = [&](const ExampleBlock& block) {
    for (const auto example : block.shortened)
      report.shortened_lines.add(static_cast<std::size_t>(report.examples.total() + example + 1));
    report.shortened += std::ssize(block.shortened);
    report.examples += block.examples;
    const auto& targets = block.ids.back();
    if (pairs) report.source_unknown += count_unknown(block.ids.front());
    report.target_unknown += count_unknown(targets);
    for (std::int64_t i = 0; i < targets.size(); ++i)
      pairs ? writer.add(block.ids.front()[i], targets[i]) : writer.add(targets[i]);
    if (copy) copy->add(block);
    if (links) links->add(block);
  };
  Progress progress(text.name, text.examples, {.quiet = settings.quiet});
  for (const auto& prefix : text.texts) {
    ExampleReader reader(prefix, options, training ? options.pairs : 0, links.has_value());
    const auto before = report.examples.kept;
    InOrder<ExampleBlock>([&](ExampleBlock& block) { return block.read(reader); }, make_work, write)
        .run(threads, [&] { progress.update(done); });
    report.kept.push_back(report.examples.kept - before);
    report.windows_line_ends += static_cast<std::int64_t>(reader.windows_line_ends());
  }

  if (report.examples.kept == 0) {
    throw InputError(fmt::format("data.train: expected {} that pass the filters, found none among {}",
                                 name_of(options.examples), report.examples.total()));
  }
  const auto expect_text = [&](std::int64_t tokens, const std::string& language) {
    if (tokens > 0) return;
    throw InputError(fmt::format("{}: expected text, found {} lines without a token",
                                 side_path(text.texts.front(), language, options).string(),
                                 report.examples.total()));
  };
  if (text.name == "dev") {  // checkpoints would be judged by nothing
    if (pairs) expect_text(writer.source_tokens(), options.source);
    expect_text(writer.target_tokens(), options.target);
  }
  writer.commit();
  if (copy) copy->commit();
  if (links) {
    links->commit();
    report.without_links = links->left_out();
  }
  report.source_tokens = writer.source_tokens();
  report.target_tokens = writer.target_tokens();
  return report;
}

}  // namespace transformer::data
