// The weights of a folder of Hugging Face's, asked for by name and shape.
#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace transformer::formats {

/// The tensors of folder_weights.h. Every method that fails throws InputError, naming file and tensor.
class FolderTensors {
 public:
  explicit FolderTensors(const std::filesystem::path& folder);

  bool has(const std::string& name) const { return tensors_.contains(name); }

  /// fp32. A negative size in `shape` may be any.
  torch::Tensor take(const std::string& name, const std::vector<std::int64_t>& shape);

  /// The first of these names that is there, or as if the first was asked for.
  torch::Tensor take_first(const std::vector<const char*>& names, const std::vector<std::int64_t>& shape);

  /// What no model of this configuration reads.
  void ignore(const std::string& name) { used_.insert(name); }

  /// A name that may stand for a tied matrix once more. Other numbers make another model.
  void take_repeated(const std::string& name, const torch::Tensor& tied);

  /// kind: "a Marian model"
  void check_all_used(const char* kind) const;

  /// Before a configuration takes memory that the file cannot fill: a model of `expected` numbers needs at
  /// least (expected - more) / times of them here.
  void check_size(std::int64_t expected, std::int64_t times, std::int64_t more) const;

 private:
  std::filesystem::path file_;
  std::map<std::string, torch::Tensor> tensors_;
  std::set<std::string> used_;
};

}  // namespace transformer::formats
