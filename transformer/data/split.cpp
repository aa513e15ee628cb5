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

namespace transformer::data {
namespace {

/// For the words that all threads together remember.
constexpr std::size_t kWordMemory = std::size_t{256} << 20U;

std::int64_t count_unknown(const Sentences& sentences) {
  return std::ranges::count(sentences.ids, kUnknown);
}

/// The raw text beside a data set.
class TextCopy {
 public:
  TextCopy(const PreparedPaths& paths, const std::string& split)
      : source_(paths.source_text(split)), target_(paths.target_text(split)) {}

  void add(const PairBlock& block) {
    write(block.source_text, source_);
    write(block.target_text, target_);
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
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const int threads = std::max(1, settings.threads > 0 ? settings.threads : cores);
  PairReader reader(text.prefix, options, training ? options.pairs : 0);
  DatasetWriter writer(paths.folder / (text.name + ".bin"), source.size(), target.size());
  std::optional<TextCopy> copy;
  if (!training) copy.emplace(paths, text.name);
  SplitReport report;
  std::atomic<std::int64_t> done = 0;

  const auto read = [&](PairBlock& block) { return block.read(reader); };
  const auto make_work = [&] {
    PairEncoder encoder(source, target, kWordMemory / static_cast<std::size_t>(threads));
    return [&, encoder](PairBlock& block) mutable {
      if (training) {
        encoder.encode_and_filter(block, options);
      } else {
        encoder.encode_and_cut(block, longest_kept(options));
      }
      done += block.pairs.total();
    };
  };
  const auto write = [&](const PairBlock& block) {
    for (const auto pair : block.shortened)
      report.shortened_lines.add(static_cast<std::size_t>(report.pairs.total() + pair + 1));
    report.shortened += std::ssize(block.shortened);
    report.pairs += block.pairs;
    report.source_unknown += count_unknown(block.source);
    report.target_unknown += count_unknown(block.target);
    for (std::int64_t i = 0; i < block.source.size(); ++i) writer.add(block.source[i], block.target[i]);
    if (copy) copy->add(block);
  };
  Progress progress(text.name, text.pairs, {.quiet = settings.quiet});
  InOrder<PairBlock>(read, make_work, write).run(threads, [&] { progress.update(done); });

  if (report.pairs.kept == 0) {
    throw InputError(fmt::format("data.train: expected pairs that pass the filters, found none among {}",
                                 report.pairs.total()));
  }
  const auto expect_text = [&](std::int64_t tokens, const std::string& language) {
    if (tokens > 0) return;
    throw InputError(fmt::format("{}: expected text, found {} lines without a token",
                                 side_path(text.prefix, language, options).string(), report.pairs.total()));
  };
  if (text.name == "dev") {  // checkpoints would be judged by nothing
    expect_text(writer.source_tokens(), options.source);
    expect_text(writer.target_tokens(), options.target);
  }
  writer.commit();
  if (copy) copy->commit();
  report.windows_line_ends = static_cast<std::int64_t>(reader.windows_line_ends());
  report.source_tokens = writer.source_tokens();
  report.target_tokens = writer.target_tokens();
  return report;
}

}  // namespace transformer::data
