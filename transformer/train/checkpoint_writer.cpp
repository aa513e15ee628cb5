#include "transformer/train/checkpoint_writer.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <exception>

#include "transformer/base/background.h"
#include "transformer/runtime/memory.h"

namespace transformer::train {

CheckpointWriter::~CheckpointWriter() {
  try {
    finish();
  } catch (const std::exception& error) {
    spdlog::info("the last checkpoint was not saved: {}", error.what());  // beside the error that ends all
  }
}

void CheckpointWriter::save(const Snapshot& training) {
  finish();
  if (auto copy = copy_of(training))
    saving_ = in_background([this, copy = std::move(*copy)]() mutable { write_(std::move(copy)); });
  else
    write_(training);
}

std::optional<Snapshot> CheckpointWriter::copy_of(const Snapshot& training) const {
  try {
    return copy_(training);
  } catch (const std::exception& error) {
    if (!runtime::is_out_of_memory(error)) throw;
    return std::nullopt;
  }
}

void CheckpointWriter::check() {
  if (saving_.valid() && saving_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) finish();
}

void CheckpointWriter::finish() {
  if (saving_.valid()) saving_.get();
}

}  // namespace transformer::train
