// Texts by a language model's own modules: on any device, and the definition of what the engine computes.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "transformer/models/model.h"
#include "transformer/search/text_model.h"

namespace transformer::generation {

/// Texts that began in one call with as many tokens each make a group, with those that fork from them. It is
/// read together until its last text is over. All texts of a group must be read in the same call.
class ModuleTexts : public search::TextModel {
 public:
  /// Throws InputError, naming model.kind, for a model that does not continue texts. It must be in evaluation
  /// mode, and computes in the precision of a surrounding runtime::PrecisionScope.
  explicit ModuleTexts(models::AnyModel model);

  std::span<const float> read(std::span<const Reading> readings) override;
  void fork(std::int64_t from, std::int64_t to) override;
  void forget(std::int64_t text) override;
  std::int64_t vocabulary() const override { return model_->vocabulary().target; }

 private:
  struct Group {
    std::vector<std::int64_t> texts;
    std::vector<std::int64_t>
        rows;  ///< of each text in the state, which has as many as it had texts when read
    std::unique_ptr<models::DecoderState> state;
  };
  using Places = std::map<std::int64_t, std::size_t>;  ///< of readings, by their texts

  Group& group_of(std::int64_t text);
  void begin(std::span<const Reading> readings, const Places& places);
  void go_on(Group& group, std::span<const Reading> readings, const Places& places);
  void keep(const torch::Tensor& logits, const std::vector<std::int64_t>& texts, const Places& places);

  models::AnyModel model_;
  models::LanguageModel& language_;  // the same
  std::vector<Group> groups_;
  std::vector<float> logits_;
};

}  // namespace transformer::generation
