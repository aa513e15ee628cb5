#include <sentencepiece_processor.h>
#include <torch/script.h>

#include <iostream>

int main(int, char** argv) {
  torch::jit::ExtraFilesMap files{{"tokenizer.model", ""}};
  auto model = torch::jit::load(argv[1], torch::kCPU, files);
  sentencepiece::SentencePieceProcessor tokenizer;
  const auto status = tokenizer.LoadFromSerializedProto(files["tokenizer.model"]);
  if (!status.ok()) throw std::runtime_error(status.ToString());

  for (std::string line; std::getline(std::cin, line);) {
    auto pieces = tokenizer.EncodeAsIds(line);
    pieces.push_back(tokenizer.eos_id());
    const auto source = torch::tensor(pieces, torch::kLong).unsqueeze(0);  // (1, S)
    const auto lengths = torch::tensor({source.size(1)});
    const auto found = model.get_method("translate")({source, lengths, /*beam=*/4, /*alpha=*/0.6}).toTuple();
    const auto ids = found->elements()[0].toTensor().to(torch::kInt).contiguous();  // (1, T)
    std::cout << tokenizer.DecodeIds({ids.data_ptr<int>(), ids.data_ptr<int>() + ids.numel()}) << '\n';
  }
}
