#include "transformer/data/processor.h"

#include <fmt/format.h>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/model_message.h"

namespace transformer::data {

std::shared_ptr<const Processor> load_processor(const std::string& content,
                                                const std::filesystem::path& name) {
  auto processor = std::make_shared<Processor>();
  const auto status = processor->LoadFromSerializedProto(content);
  if (content.empty() || !proto_fields(content))
    throw InputError(
        fmt::format("{}: expected a SentencePiece model, found other or damaged content", name.string()));
  if (!status.ok())
    throw InputError(
        fmt::format("{}: expected a SentencePiece model, found one that SentencePiece refuses: {}",
                    name.string(), status.ToString()));
  return processor;
}

bool has_special_ids(const Processor& processor) {
  return processor.unk_id() == kUnknown && processor.pad_id() == kPad && processor.bos_id() == kBos &&
         processor.eos_id() == kEos;
}

std::vector<std::string> pieces_of(const Processor& processor) {
  std::vector<std::string> pieces;
  pieces.reserve(static_cast<std::size_t>(processor.GetPieceSize()));
  for (int id = 0; id < processor.GetPieceSize(); ++id) pieces.push_back(processor.IdToPiece(id));
  return pieces;
}

bool is_word_model(const Processor& processor, std::string_view content) {
  std::uint64_t type = kUnigram, blank_behind = 0;
  for (const auto& field : proto_fields(content).value_or(std::vector<ProtoField>())) {
    if (field.number != ModelField::trainer) continue;
    for (const auto& part : proto_fields(field.content).value_or(std::vector<ProtoField>())) {
      if (part.number == TrainerField::model_type) type = part.value;
      if (part.number == TrainerField::blank_behind) blank_behind = part.value;
    }
  }
  if (type != kWords || blank_behind != 0) return false;
  for (int id = 0; id < processor.GetPieceSize(); ++id)
    if (processor.IsByte(id)) return false;
  return true;
}

}  // namespace transformer::data
