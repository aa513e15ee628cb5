#include "transformer/formats/huggingface/encoder_export.h"

#include "tests/catch.h"
#include "tests/formats/huggingface/constants_encoders.h"
#include "tests/formats/huggingface/their_folder.h"
#include "transformer/base/error.h"
#include "transformer/data/scored_pieces.h"
#include "transformer/formats/huggingface/encoder_import.h"
#include "transformer/formats/huggingface/huggingface_export.h"
#include "transformer/formats/proof.h"

using namespace transformer;
using models::Head;

namespace {

checkpoints::LoadedModel bert_of(const test::TheirModel& theirs) {
  const test::TheirFolder folder(theirs);
  folder.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\n##s\nsat\non\na\nmat\n.\n!\n");
  return formats::import_encoder(folder.path());
}

formats::Proof proof_of(checkpoints::LoadedModel& loaded, const std::filesystem::path& folder) {
  const formats::Sample sample{.origin = "a few",
                               .sentences = {{5, 6, 7}, {8}, std::vector<std::int32_t>(40, 9)},
                               .texts = {"the cats", "sat", ""}};
  return formats::prove(loaded.model, formats::read_huggingface(folder, torch::kCPU), sample, {},
                        formats::kRounding32);
}

}  // namespace

TEST_CASE("encoders with WordPiece leave as BERT and are proven") {
  for (const auto& theirs : {test::bert_alone, test::bert_masks, test::bert_untied, test::bert_classes,
                             test::bert_number, test::bert_words, test::bert_span}) {
    INFO(theirs.config);
    auto loaded = bert_of(theirs);
    const test::TemporaryFolder folder;
    formats::write_huggingface(loaded, folder.path());
    const auto proof = proof_of(loaded, folder.path());
    INFO(proof.table());
    CHECK(proof.holds());
    CHECK(proof.logit_difference < 1e-6);
    CHECK(proof.encoded_equal == 2);
    const auto again = formats::import_encoder(folder.path());
    CHECK(again.experiment.model.encoder.head == loaded.experiment.model.encoder.head);
    CHECK(again.tokenizers.source->all_pieces() == loaded.tokenizers.source->all_pieces());
    CHECK(again.tokenizers.target->all_pieces() == loaded.tokenizers.target->all_pieces());
  }
}

TEST_CASE("an export of another encoder is not the model") {
  auto loaded = bert_of(test::bert_classes);
  const test::TemporaryFolder folder;
  formats::write_huggingface(loaded, folder.path());
  const torch::NoGradGuard no_gradients;
  loaded.model->parameters().front().mul_(1.1);
  CHECK_FALSE(proof_of(loaded, folder.path()).holds());
}

TEST_CASE("encoders that are no BERT stay here, by the name of what is other") {
  const auto refused = [](const std::function<void(models::ModelOptions&)>& change,
                          const std::string& words) {
    auto loaded = bert_of(test::bert_masks);
    change(loaded.experiment.model);
    CHECK_THROWS_WITH(formats::check_huggingface(loaded), ContainsSubstring(words));
  };
  refused([](auto& o) { o.positions = nn::Positions::rotary; },
          "model.positions: expected learned for BertForMaskedLM, found rotary");
  refused([](auto& o) { o.norm = nn::NormPlacement::pre; }, "model.norm: expected post");
  refused([](auto& o) { o.activation = nn::Activation::relu; }, "model.activation: expected gelu");
  refused([](auto& o) { o.output_bias = false; }, "model.output_bias: expected true");
  refused([](auto& o) { o.embedding_norm = false; }, "model.embedding_norm: expected true");
  refused([](auto& o) { o.d_v = 2; }, "model.d_v: expected 4");
  refused([](auto& o) { o.encoder.embedding_size = 4; },
          "model.embedding_size: expected 0 for BertForMaskedLM, found 4");
  refused([](auto& o) { o.encoder = {.head = Head::classes, .pooling = models::Pooling::mean}; },
          "model.pooling: expected cls for BertForSequenceClassification, found mean");
  auto words = bert_of(test::bert_masks);
  words.tokenizers.source = words.tokenizers.target = std::make_shared<const data::Tokenizer>(
      data::Tokenizer::of_content(data::word_model(std::vector<std::string>{"a"}), "tokenizer.model"));
  CHECK_THROWS_WITH(
      formats::check_huggingface(words),
      ContainsSubstring("tokenizer.model: expected BERT's WordPiece for BertForMaskedLM, found a "
                        "SentencePiece model"));
}
