#include "transformer/data/dataset_writer.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "transformer/base/atomic_file.h"
#include "transformer/data/dataset_format.h"

namespace transformer::data {

DatasetWriter::Side::Side(const std::filesystem::path& file, std::int64_t its_vocabulary)
    : vocabulary(its_vocabulary), offsets(file), ids(file) {
  if (!ids_valid({}, vocabulary)) throw std::invalid_argument("DatasetWriter: no possible vocabulary");
  add_offset();
}

void DatasetWriter::Side::add(std::span<const std::int32_t> sentence) {
  ids.write(std::as_bytes(sentence));
  tokens += std::ssize(sentence);
  add_offset();
}

void DatasetWriter::Side::add_offset() {
  offsets.write(std::as_bytes(std::span(&tokens, 1)));
}

void DatasetWriter::Side::check(std::span<const std::int32_t> sentence) const {
  if (!ids_valid(sentence, vocabulary))
    throw std::invalid_argument("DatasetWriter: an id is outside its vocabulary");
}

DatasetWriter::DatasetWriter(const std::filesystem::path& file, std::int64_t source_vocabulary,
                             std::int64_t target_vocabulary)
    : file_(file), source_(std::in_place, file, source_vocabulary), target_(file, target_vocabulary) {}

DatasetWriter::DatasetWriter(const std::filesystem::path& file, std::int64_t vocabulary)
    : file_(file), target_(file, vocabulary) {}

void DatasetWriter::add(std::span<const std::int32_t> source, std::span<const std::int32_t> target) {
  if (!source_) throw std::invalid_argument("DatasetWriter: two sides for a data set of one");
  source_->check(source);
  target_.check(target);
  source_->add(source);
  target_.add(target);
  ++sentences_;
}

void DatasetWriter::add(std::span<const std::int32_t> sentence) {
  if (source_) throw std::invalid_argument("DatasetWriter: one side for a data set of two");
  target_.check(sentence);
  target_.add(sentence);
  ++sentences_;
}

void DatasetWriter::commit() {
  DatasetHeader header{.version = source_ ? DatasetHeader{}.version : kOneSide,
                       .sentences = sentences_,
                       .source_tokens = source_tokens(),
                       .target_tokens = target_tokens(),
                       .source_vocabulary = source_ ? source_->vocabulary : 0,
                       .target_vocabulary = target_.vocabulary};
  std::vector<Side*> sides;
  if (source_) sides.push_back(&*source_);
  sides.push_back(&target_);

  std::vector<const Spool*> parts;
  for (const auto* side : sides) parts.push_back(&side->offsets);
  for (auto* side : sides) {
    constexpr std::int32_t filling = 0;
    if (side->tokens % 2 == 1) side->ids.write(std::as_bytes(std::span(&filling, 1)));
    parts.push_back(&side->ids);
  }

  // Every part is of whole words: so the checksums of parts, one going on from the other, are that of all.
  header.checksum = header_checksum(header);
  for (const auto* part : parts)
    part->read([&](std::span<const std::byte> bytes) {
      header.checksum = dataset_checksum(bytes, header.checksum);
    });

  AtomicFile output(file_);
  output.write(&header, sizeof header);
  for (const auto* part : parts)
    part->read([&](std::span<const std::byte> bytes) { output.write(bytes.data(), bytes.size()); });
  output.commit();
}

}  // namespace transformer::data
