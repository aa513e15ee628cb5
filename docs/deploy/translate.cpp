#include <sentencepiece_processor.h>
#include <torch/script.h>

#include <iostream>

int main(int, char** argv) {
  torch::jit::ExtraFilesMap files;
  for (const auto* name : {"tokenizer.model", "tokenizer.source.model", "tokenizer.target.model"})
    files[name];
  auto model = torch::jit::load(argv[1], torch::kCPU, files);
  const auto load = [&](const char* name) {
    auto tokenizer = std::make_unique<sentencepiece::SentencePieceProcessor>();
    const auto& one = files["tokenizer.model"];  // for both languages
    const auto status = tokenizer->LoadFromSerializedProto(one.empty() ? files[name] : one);
    if (!status.ok()) throw std::runtime_error(status.ToString());
    return tokenizer;
  };
  const auto source = load("tokenizer.source.model"), target = load("tokenizer.target.model");

  for (std::string line; std::getline(std::cin, line); std::cout << '\n') {
    auto pieces = source->EncodeAsIds(line);
    if (pieces.empty()) continue;  // a blank line
    pieces.push_back(source->eos_id());
    const auto batch = torch::tensor(pieces, torch::kLong).unsqueeze(0);  // (1, S)
    const auto lengths = torch::tensor({batch.size(1)});
    const auto found = model.get_method("translate")({batch, lengths}).toTuple();
    const auto ids = found->elements()[0].toTensor().to(torch::kInt).contiguous();  // (1, T)
    std::cout << target->DecodeIds({ids.data_ptr<int>(), ids.data_ptr<int>() + ids.numel()});
  }
}
