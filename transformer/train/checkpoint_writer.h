// Saves checkpoints beside the training.
#pragma once

#include <functional>
#include <future>
#include <optional>
#include <utility>

#include "transformer/train/checkpoint.h"

namespace transformer::train {

/// Takes a copy of the training, for which this waits, and writes it on a thread of its own, for which it
/// does not. One save is under way at most: the next waits for it.
class CheckpointWriter {
 public:
  using Write = std::function<void(Snapshot)>;
  using Copy = std::function<Snapshot(const Snapshot&)>;

  /// write: called on the other thread, or on the caller's where memory is too short for a copy.
  explicit CheckpointWriter(Write write, Copy copy = copy_to_host)
      : write_(std::move(write)), copy_(std::move(copy)) {}
  /// Waits for a save that is under way. What went wrong in it and nobody asked for goes to the log.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Begins to save `training`, which may go on when this returns. Throws what the save before threw.
  void save(const Snapshot& training);

  /// Throws what a save threw that has ended; does not wait for one that has not.
  void check();

  /// Waits until all is saved; throws what a save threw.
  void finish();

 private:
  /// Nothing where memory is too short.
  std::optional<Snapshot> copy_of(const Snapshot& training) const;

  Write write_;
  Copy copy_;
  std::future<void> saving_;
};

}  // namespace transformer::train
