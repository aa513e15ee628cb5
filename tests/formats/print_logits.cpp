// For comparisons with other programs: what a model directory computes, as JSON.
//
//   formats_print_logits logits MODEL < LINES
//     a line holds {"source": [ids], "target": [ids]}; end and begin are added here; prints
//     [[logits of the whole vocabulary], …]
//   formats_print_logits search MODEL BEAM ALPHA < LINES
//     a line holds {"source": [ids]}; prints the best output's ids
//   formats_print_logits encode MODEL < TEXT
//     prints the source ids of each line
#include <iostream>
#include <nlohmann/json.hpp>

#include "transformer/base/special_tokens.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/translation/model_search.h"

namespace {

using namespace transformer;
using nlohmann::json;

torch::Tensor row(std::vector<std::int64_t> ids, std::int64_t first, std::int64_t last) {
  if (first >= 0) ids.insert(ids.begin(), first);
  if (last >= 0) ids.push_back(last);
  return torch::tensor(ids).unsqueeze(0);
}

std::vector<std::int64_t> ids_of(const json& line, const char* key) {
  return line.at(key).get<std::vector<std::int64_t>>();
}

json logits(checkpoints::LoadedModel& loaded, const json& line) {
  const auto all = loaded.encoder_decoder()->forward(row(ids_of(line, "source"), -1, kEos),
                                                     row(ids_of(line, "target"), kBos, -1))[0];
  json rows = json::array();
  for (std::int64_t i = 0; i < all.size(0); ++i) {
    const auto one = all[i].contiguous();
    rows.push_back(std::vector<float>(one.data_ptr<float>(), one.data_ptr<float>() + one.numel()));
  }
  return rows;
}

json search(checkpoints::LoadedModel& loaded, const json& line, const search::DecodeOptions& options) {
  return translation::beam_search(loaded.model, row(ids_of(line, "source"), -1, kEos), options)[0]
      .front()
      .front()
      .ids;
}

int run(const std::vector<std::string>& arguments) {
  const auto& action = arguments.at(0);
  auto loaded = checkpoints::load_model(arguments.at(1), torch::kCPU);
  const torch::NoGradGuard no_gradients;
  // As in Hugging Face's search, nothing ends that is not among the best `beam` candidates of its step.
  search::DecodeOptions options{.candidates = search::Candidates::beam, .length_offset = 20};
  if (action == "search") {
    options.beam = std::stoll(arguments.at(2));
    options.alpha = std::stod(arguments.at(3));
  }
  for (std::string line; std::getline(std::cin, line);) {
    if (action == "encode")
      std::cout << json(loaded.tokenizers.source->encode(line)) << "\n";
    else if (action == "search")
      std::cout << search(loaded, json::parse(line), options) << "\n";
    else
      std::cout << logits(loaded, json::parse(line)) << "\n";
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
