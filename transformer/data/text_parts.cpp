#include "transformer/data/text_parts.h"

#include <utility>

#include "transformer/base/choices.h"
#include "transformer/data/model_message.h"

namespace transformer::data {
namespace {

std::vector<ProtoField> readable_fields(std::string_view message) {
  return proto_fields(message).value_or(std::vector<ProtoField>());
}

}  // namespace

TextPart take_part(std::string_view& text, Cut& before) {
  TextPart part{text, before};
  std::size_t blank = 0;
  if (text.size() > kEncodedAtOnce) {
    auto end = kEncodedAtOnce;
    const auto last = text.rfind(' ', end);
    if (last != std::string_view::npos && last > 0) {
      end = last;
      blank = 1;
    } else {
      while (!begins_character(text[end])) --end;
    }
    part.text = text.substr(0, end);
    part.after = blank > 0 ? Cut::blank : Cut::word;
  }
  before = part.after;
  text.remove_prefix(part.text.size() + blank);
  return part;
}

AddedBlank::AddedBlank(std::string_view model) {
  for (const auto& field : readable_fields(model)) {
    if (field.number == ModelField::trainer)
      for (const auto& part : readable_fields(field.content))
        if (part.number == TrainerField::blank_behind) behind = part.value != 0;
    if (field.number == ModelField::normalizer)
      for (const auto& part : readable_fields(field.content))
        if (part.number == NormalizerField::added_blank) added = part.value != 0;
  }
}

bool AddedBlank::wanted(const TextPart& part) const {
  switch (behind ? part.after : part.before) {
    case Cut::none:
    case Cut::word:  // of so many bytes is no word: as the model takes a text
      return added;
    case Cut::blank:
      return true;
  }
  no_such_choice();
}

std::string with_added_blank(std::string_view model, bool added) {
  std::string result;
  for (const auto& field : readable_fields(model))  // what the model says of its own pieces may change
    if (field.number != ModelField::self_test) result.append(field.whole);
  std::string normalizer;  // of a message that comes twice, what the second says counts
  append_proto_integer(normalizer, NormalizerField::added_blank, added ? 1 : 0);
  append_proto_bytes(result, ModelField::normalizer, normalizer);
  return result;
}

}  // namespace transformer::data
