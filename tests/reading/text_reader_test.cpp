#include "transformer/reading/text_reader.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/data/sample_text.h"
#include "tests/data/train_tokenizer.h"
#include "tests/temporary_folder.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/word_vocabulary.h"
#include "transformer/models/kinds.h"

using namespace transformer;

namespace {

/// An encoder with random weights in a model directory.
checkpoints::LoadedModel write_encoder(const std::filesystem::path& folder,
                                       models::Head head = models::Head::none,
                                       models::Pooling pooling = models::Pooling::cls) {
  data::DataOptions options;
  options.vocabulary = 120;
  options.masks = true;
  const auto english = test::english_lines();
  std::filesystem::create_directories(folder);
  const auto file = folder / "own.model";
  test::train_tokenizer({english}, options, file);
  config::Experiment experiment;
  experiment.data = options;
  experiment.model = {.kind = {models::kEncoder, {}},
                      .encoder_layers = 1,
                      .d_model = 16,
                      .d_ff = 24,
                      .heads = 2,
                      .d_k = 8,
                      .d_v = 8,
                      .positions = nn::Positions::learned,
                      .max_positions = 30,
                      .encoder = {.head = head, .output_transform = true, .segments = 2, .pooling = pooling}};
  const auto tokenizer = std::make_shared<const data::Tokenizer>(file);
  checkpoints::Tokenizers tokenizers{tokenizer, tokenizer};
  if (head != models::Head::none) {
    const auto labels = folder / "labels.model";
    std::vector<std::string> names{"bad", "good good", "B-X"};
    const auto next = [&](std::string& line) {
      if (names.empty()) return false;
      line = names.back();
      names.pop_back();
      return true;
    };
    data::count_words_of(next, data::label_options(options), labels);
    tokenizers.target = std::make_shared<const data::Tokenizer>(labels);
  }
  experiment.data.max_tokens = 20;
  torch::manual_seed(4);
  auto model = models::make(experiment.model, tokenizers.sizes());
  checkpoints::write_model_files(folder, checkpoints::named_parameters(model), experiment, tokenizers);
  std::filesystem::remove(file);
  std::filesystem::remove(folder / "labels.model");
  write_checksums(folder);
  return checkpoints::load_model(folder, torch::kCPU);
}

}  // namespace

TEST_CASE("the guesses for a mask are the most probable tokens of the model, whatever is read beside it") {
  const test::TemporaryFolder folder;
  auto loaded = write_encoder(folder.path() / "model");
  reading::TextReader reader((folder.path() / "model").string(),
                             {.device = "cpu", .precision = "fp32", .batch = 2});
  const std::vector<std::string> texts{"A man <mask> the house.", "<mask> and <mask>", "The <mask>"};
  const auto found = reader.fill(texts, 4);
  REQUIRE(found.size() == 3);
  CHECK((found[0].size() == 1 && found[1].size() == 2 && found[2].size() == 1));
  const auto& tokenizer = *loaded.tokenizers.source;
  std::vector<std::int64_t> ids{kBos};
  for (const auto id : tokenizer.encode("A man")) ids.push_back(id);
  const auto place = std::ssize(ids);
  ids.push_back(tokenizer.mask());
  for (const auto id : tokenizer.encode("the house.")) ids.push_back(id);
  ids.push_back(kEos);
  const torch::NoGradGuard none;
  auto& encoder = models::text_encoder(*loaded.model);
  const auto logits = encoder.logits(encoder.states(torch::tensor(ids).unsqueeze(0)))[0][place];
  const auto probabilities = torch::softmax(logits, 0);
  double before = 1;
  for (const auto& guess : found[0][0]) {
    CHECK(guess.probability == Approx(probabilities[guess.id].item<double>()).epsilon(1e-4));
    CHECK(guess.probability <= before);
    before = guess.probability;
    CHECK((guess.id > kEos && guess.id != tokenizer.mask()));
    CHECK(guess.piece == tokenizer.piece_of(guess.id));
    CHECK_FALSE(guess.text.starts_with(' '));
  }
  CHECK(reader.fill(std::span(texts).first(1), 4).front().front().front().id == found[0][0][0].id);
  CHECK(reader.fill(std::span(texts).first(1), 1000).front().front().size() == 115);
  // Parts of a text end in the end token.
  const std::vector<std::string> parts{"A man</s><mask>"};
  ids.resize(static_cast<std::size_t>(place));
  ids.insert(ids.end(), {kEos, tokenizer.mask(), kEos});
  const auto of_parts = encoder.logits(encoder.states(torch::tensor(ids).unsqueeze(0)))[0][place + 1];
  const auto first = reader.fill(parts, 1).front().front().front();
  CHECK(first.probability == Approx(torch::softmax(of_parts, 0)[first.id].item<double>()).epsilon(1e-4));
}

TEST_CASE("texts that cannot be filled are refused by their numbers, and so are models with a head") {
  const test::TemporaryFolder folder;
  write_encoder(folder.path() / "model");
  reading::TextReader reader((folder.path() / "model").string());
  const auto fill = [&](const std::string& text) {
    const std::vector<std::string> texts{"<mask>", text};
    return reader.fill(texts, 1);
  };
  CHECK_THROWS_WITH(fill("a house"), "text 2: expected a <mask>, found none");
  CHECK_THROWS_WITH(fill(""), "text 2: expected a <mask>, found none");
  std::string longer = "<mask>";
  for (int i = 0; i < 40; ++i) longer += " man";
  CHECK_THROWS_WITH(fill(longer), "text 2: expected at most 30 tokens with begin and end, found more");
}

TEST_CASE("labels of texts and words are the head's, and have its probabilities") {
  for (const auto head : {models::Head::classes, models::Head::words, models::Head::number}) {
    INFO(name_of(head));
    const test::TemporaryFolder folder;
    auto loaded = write_encoder(folder.path() / "model", head);
    reading::TextReader reader((folder.path() / "model").string(), {.device = "cpu", .precision = "fp32"});
    const std::vector<std::string> texts{"A man walks.", "The house and the man"};
    const auto found = reader.label(texts);
    REQUIRE(found.size() == 2);
    const bool words = head == models::Head::words;
    CHECK(found[1].size() == (words ? 5U : 1U));
    std::vector<std::int64_t> ids{kBos};
    for (const auto id : loaded.tokenizers.source->encode(texts[1])) ids.push_back(id);
    ids.push_back(kEos);
    const torch::NoGradGuard none;
    auto& encoder = models::text_encoder(*loaded.model);
    const auto logits = encoder.logits(encoder.states(torch::tensor(ids).unsqueeze(0)))[0][words ? 1 : 0];
    const auto& guesses = found[1].front();
    if (head == models::Head::number) {
      CHECK(std::stod(guesses.front().label) == Approx(logits[0].item<double>()).epsilon(1e-4));
      continue;
    }
    REQUIRE(guesses.size() == 3);
    const std::vector<std::string> names{"good", "B-X", "bad"};  // by frequency, then by their bytes
    const auto probabilities = torch::softmax(logits, 0);
    for (const auto& guess : guesses) {
      const auto label = std::ranges::find(names, guess.label) - names.begin();
      REQUIRE(label < 3);
      CHECK(guess.probability == Approx(probabilities[label].item<double>()).epsilon(1e-4));
    }
    CHECK(guesses[0].probability >= guesses[1].probability);
    CHECK(reading::best_labels(found[1]).starts_with(guesses[0].label));
    CHECK_THROWS_WITH(reader.fill(texts, 1),
                      ContainsSubstring("model.head: expected none, for masked tokens"));
  }
}

TEST_CASE("a label is that of the mean of a text's states, where the head reads it") {
  const test::TemporaryFolder folder;
  auto loaded = write_encoder(folder.path() / "model", models::Head::number, models::Pooling::mean);
  reading::TextReader reader((folder.path() / "model").string(), {.device = "cpu", .precision = "fp32"});
  const std::vector<std::string> texts{"A man walks.", "The house and the man"};
  const auto found = reader.label(texts);
  const torch::NoGradGuard none;
  auto& encoder = models::text_encoder(*loaded.model);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::vector<std::int64_t> ids{kBos};
    for (const auto id : loaded.tokenizers.source->encode(texts[i])) ids.push_back(id);
    ids.push_back(kEos);
    const auto states = encoder.states(torch::tensor(ids).unsqueeze(0))[0];
    const auto mean = encoder.logits(states.mean(0)), first = encoder.logits(states[0]);
    CHECK(std::stod(found[i].front().front().label) == Approx(mean.item<double>()).epsilon(1e-4));
    CHECK(std::abs(mean.item<double>() - first.item<double>()) > 1e-3);
  }
}

TEST_CASE("an answer is the words of the last part whose beginning and end are most probable together") {
  const test::TemporaryFolder folder;
  auto loaded = write_encoder(folder.path() / "model", models::Head::span);
  reading::TextReader reader((folder.path() / "model").string(), {.device = "cpu", .precision = "fp32"});
  const std::string question = "the old man", text = "The house and the teacher";
  const auto found = reader.label(std::vector<std::string>{question + "</s>" + text}).front();
  REQUIRE((found.size() == 1 && found.front().size() == 1));
  std::vector<std::int64_t> ids{kBos}, starts, ends;
  const auto& tokenizer = *loaded.tokenizers.source;
  for (const auto& part : {question, text}) {
    for (const auto id : tokenizer.encode(part)) ids.push_back(id);
    ids.push_back(kEos);
  }
  // Word by word, since no piece spans two words.
  std::vector<std::string> words{"The", "house", "and", "the", "teacher"};
  auto at = 1 + std::ssize(tokenizer.encode(question)) + 1;
  for (const auto& word : words) {
    starts.push_back(at);
    at += std::ssize(tokenizer.encode(word));
    ends.push_back(at - 1);
  }
  REQUIRE(at + 1 == std::ssize(ids));
  const torch::NoGradGuard none;
  auto& encoder = models::text_encoder(*loaded.model);
  const auto p = torch::softmax(encoder.logits(encoder.states(torch::tensor(ids).unsqueeze(0)))[0], 0);
  double best = 0;
  std::string answer;
  for (std::size_t i = 0; i < words.size(); ++i)
    for (auto j = i; j < words.size(); ++j) {
      const auto probability = p[starts[i]][0].item<double>() * p[ends[j]][1].item<double>();
      if (probability <= best) continue;
      best = probability;
      answer.clear();
      for (auto k = i; k <= j; ++k) answer += (k > i ? " " : "") + words[k];
    }
  CHECK(found.front().front().label == answer);
  CHECK(found.front().front().probability == Approx(best).epsilon(1e-4));
}

TEST_CASE("a text's vector is the mean of its states, or the first, and has the length 1") {
  const test::TemporaryFolder folder;
  auto loaded = write_encoder(folder.path() / "model");
  reading::TextReader reader(loaded.model, loaded.tokenizers, torch::kFloat, 1);
  const std::vector<std::string> texts{"A man walks.", ""};
  std::vector<std::int64_t> ids{kBos};
  for (const auto id : loaded.tokenizers.source->encode(texts[0])) ids.push_back(id);
  ids.push_back(kEos);
  const torch::NoGradGuard none;
  const auto states = models::text_encoder(*loaded.model).states(torch::tensor(ids).unsqueeze(0))[0];
  for (const auto pooling : all_values<reading::Pooling>()) {
    const auto expected = pooling == reading::Pooling::cls ? states[0] : states.mean(0);
    const auto found = reader.embed(texts, pooling);
    REQUIRE((found.size() == 2 && found[0].size() == 16));
    const auto vector = torch::tensor(found[0]);
    CHECK((vector - expected / expected.norm()).abs().max().item<double>() < 1e-5);
    CHECK(torch::tensor(found[1]).norm().item<double>() == Approx(1).epsilon(1e-5));
  }
  CHECK_THROWS_WITH(reader.label(texts),
                    ContainsSubstring("model.head: expected classes, number, words or span, for labels"));
}
