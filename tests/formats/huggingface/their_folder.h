// Folders as transformers writes them, of the models whose logits are constants.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "tests/formats/huggingface/constants_transformers.h"
#include "tests/temporary_folder.h"
#include "transformer/checkpoints/safetensors.h"

namespace transformer::test {

using nlohmann::json;

class TheirFolder : public TemporaryFolder {
 public:
  explicit TheirFolder(const TheirModel& model) : shapes_(model.shapes) {
    write("config.json", model.config);
    write_weights();
  }

  void change(const std::function<void(json&)>& change) {
    std::ifstream file(path() / "config.json");
    auto config = json::parse(file);
    change(config);
    write("config.json", config.dump());
  }

  void resize(const std::string& name, const std::vector<std::int64_t>& shape) {
    shapes_[name] = shape;
    write_weights();
  }

 private:
  void write_weights() {
    std::vector<std::pair<std::string, torch::Tensor>> tensors;
    for (const auto& [name, shape] : shapes_) tensors.emplace_back(name, pattern_weight(shape, name));
    checkpoints::save_safetensors(path() / "model.safetensors", tensors);
  }

  std::map<std::string, std::vector<std::int64_t>> shapes_;
};

}  // namespace transformer::test
