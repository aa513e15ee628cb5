// The figures of docs/evidence/sizes.md.
#include <filesystem>
#include <string>

#include "tests/catch.h"
#include "transformer/base/text_file.h"
#include "transformer/config/yaml.h"
#include "transformer/models/size.h"

using namespace transformer;

namespace {

const std::filesystem::path project = TRANSFORMER_SOURCE_DIR;

/// "65 050 112"
std::string spaced(std::int64_t number) {
  auto text = std::to_string(number);
  for (auto at = std::ssize(text) - 3; at > 0; at -= 3) text.insert(static_cast<std::size_t>(at), " ");
  return text;
}

/// The row of the page that begins with a name.
std::string row_of(const std::string& begin) {
  for (const auto& line : read_lines(project / "docs" / "evidence" / "sizes.md"))
    if (line.starts_with("| " + begin + " |")) return line;
  return "no row '" + begin + "'";
}

std::int64_t parameters(const std::string& config, std::int64_t source, std::int64_t target) {
  const auto model = config::load_experiment(project / "configs" / config).model;
  return models::count_parameters(model, {source, target}).total();
}

}  // namespace

TEST_CASE("the page of sizes has what configurations and formulas give") {
  const auto expect = [](const char* name, std::int64_t number) {
    const auto row = row_of(name);
    INFO(row << " should have " << spaced(number));
    CHECK(row.find("| " + spaced(number) + " |") != std::string::npos);
  };
  expect("the paper's base", parameters("base.yaml", 41100, 41100));
  expect("the same | 37 000", parameters("base.yaml", 37000, 37000));
  expect("the paper's big", parameters("big.yaml", 36000, 36000));
  constexpr std::int64_t kWords = 18000, m = 100, n = 6, h = 60;
  constexpr auto bengio = kWords * m + h * (n * m + 1) + kWords * (h + 1);
  expect("Bengio et al. 2003, with direct links", bengio + kWords * n * m);
  expect("the same, without", bengio);
  expect("GPT-2", parameters("language/gpt2.yaml", 50257, 50257));
  expect("GPT-3", parameters("language/gpt3.yaml", 50257, 50257));

  // The module has biases, 4 · 1000 a layer, twice as in PyTorch, and one of the output.
  auto sutskever = config::load_experiment(project / "configs" / "seq2seq" / "lstm-fixed.yaml").model;
  sutskever.encoder_layers = sutskever.decoder_layers = 4;
  sutskever.d_model = 1000;
  sutskever.tie = nn::Tie::none;
  const auto with_biases = models::count_parameters(sutskever, {160000, 80000}).total();
  INFO(with_biases);
  CHECK((with_biases >= 384000000 && with_biases < 384000000 + 384000));
  expect("Sutskever et al. 2014, weights of products", 2 * 4 * 4 * 2000 * 1000 + (160000 + 2 * 80000) * 1000);

  auto bert = config::load_experiment(project / "configs" / "encoder" / "bert-base.yaml").model;
  bert.encoder.head = models::Head::number;  // W x + b of the pooler's output, without which it is BertModel
  bert.encoder.output_transform = false;
  bert.output_bias = false;
  const auto count = [&](std::int64_t tokens) {
    return models::count_parameters(bert, {tokens, 1}).total() - (bert.d_model + 1);
  };
  expect("BERT base", count(30522));
  bert.encoder_layers = 24;
  bert.d_model = 1024;
  bert.d_ff = 4096;
  bert.heads = 16;
  bert.encoder.segments = 1;
  expect("BERT large", count(30000));

  for (const std::int64_t width : {512, 1024}) {
    constexpr std::int64_t kSentence = 37;
    const auto all = width * kSentence;
    const auto name = spaced(width);
    expect(name.c_str(), all * all + all);
    expect(name.c_str(), 3 * (width * width + width));
  }
}
