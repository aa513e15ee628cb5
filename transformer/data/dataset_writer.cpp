#include "transformer/data/dataset_writer.h"

#include <stdexcept>
#include <utility>

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

DatasetWriter::DatasetWriter(std::filesystem::path file, std::int64_t source_vocabulary,
                             std::int64_t target_vocabulary)
    : file_(std::move(file)), source_(file_, source_vocabulary), target_(file_, target_vocabulary) {}

void DatasetWriter::add(std::span<const std::int32_t> source, std::span<const std::int32_t> target) {
  if (!ids_valid(source, source_.vocabulary) || !ids_valid(target, target_.vocabulary))
    throw std::invalid_argument("DatasetWriter: an id is outside its vocabulary");
  source_.add(source);
  target_.add(target);
  ++pairs_;
}

void DatasetWriter::commit() {
  DatasetHeader header;
  header.pairs = pairs_;
  header.source_tokens = source_.tokens;
  header.target_tokens = target_.tokens;
  header.source_vocabulary = source_.vocabulary;
  header.target_vocabulary = target_.vocabulary;

  constexpr std::int32_t filling = 0;
  for (auto* side : {&source_, &target_})
    if (side->tokens % 2 == 1) side->ids.write(std::as_bytes(std::span(&filling, 1)));

  // Every part is of whole words: so the checksums of parts, one going on from the other, are that of all.
  const std::array parts = {&source_.offsets, &target_.offsets, &source_.ids, &target_.ids};
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
