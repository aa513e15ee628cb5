// The layout of a run directory. The directory is all that a run needs to go on, also on another machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace transformer::checkpoints {

/// A checkpoint's step and folder.
struct CheckpointEntry {
  std::int64_t step;
  std::filesystem::path path;
};

struct RunDirectory {
  std::filesystem::path path;

  std::filesystem::path config() const { return path / "config.yaml"; }
  std::filesystem::path metrics() const { return path / "metrics.jsonl"; }
  std::filesystem::path samples() const { return path / "samples.jsonl"; }
  std::filesystem::path tensorboard() const { return path / "tensorboard"; }
  std::filesystem::path log() const { return path / "log.txt"; }
  std::filesystem::path checkpoints() const { return path / "checkpoints"; }
  std::filesystem::path checkpoint(std::int64_t step) const;  ///< checkpoints/step-00001000

  /// The checkpoints that are there, oldest first. Temporary folders are not among them.
  std::vector<CheckpointEntry> list_checkpoints() const;
  std::vector<CheckpointEntry> newest_first() const;

  /// The step that checkpoints/NAME ("last" or "best") points to, if it points to one.
  std::optional<std::int64_t> linked_step(const char* name) const;

  /// Points checkpoints/NAME to a step and replaces an earlier link in one move. On a file system without
  /// symbolic links NAME is a small file (base/sibling_link.h). In a copy that followed links, NAME is a
  /// folder. It is removed if a checkpoint has the same content, else renamed to NAME.kept, …kept-2 and so
  /// on, with a line in the log.
  void link(const char* name, std::int64_t step) const;

  /// Does once, on a small scale, all that saving asks of the file system, so that what it cannot do shows
  /// before anything is computed. Throws what the saving would throw. checkpoints() is there already.
  void rehearse() const;

  /// Renames a damaged checkpoint to step-00001000.damaged, or …damaged-2 and so on where that exists: out of
  /// the way, but not lost. Returns the new name.
  std::filesystem::path set_aside(const CheckpointEntry& checkpoint) const;
};

/// The checkpoint that a link, such as checkpoints/best, leads to. Nothing where it is no link to one that is
/// there.
std::optional<std::filesystem::path> linked_checkpoint(const std::filesystem::path& link);

}  // namespace transformer::checkpoints
