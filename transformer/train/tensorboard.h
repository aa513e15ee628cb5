// What TensorBoard shows of a run: the lines of metrics.jsonl and samples.jsonl as event files.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "transformer/train/event_file.h"

namespace transformer::train {

/// `folder`/train and `folder`/dev are runs to TensorBoard, so that both splits share a chart. The event
/// files are a copy: each process that trains writes new ones out of the lines that a resumed run keeps, and
/// empties those of the process before it.
class TensorBoard {
 public:
  /// With what these files of lines hold already. `now`: seconds since 1970.
  TensorBoard(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& lines,
              double now);

  /// A line of either file. What has no place in TensorBoard is passed over.
  void add(std::string_view line);

 private:
  double now_;
  std::optional<EventFile> train_, dev_;
};

}  // namespace transformer::train
