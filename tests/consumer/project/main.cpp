// A user's program against the installed library. It runs a module of the model, a function of another room,
// and a variant that the library lacks. With a model directory as its argument it translates.
// It includes all public headers of the library, and no others.
#include <torch/utils.h>
#include <transformer/transformer.h>

#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace transformer;

class Doubled : public nn::FeedForwardVariant {
 public:
  Doubled(const variants::Place&, const variants::Values& options) : factor_(options.real("factor")) {}
  torch::Tensor forward(const torch::Tensor& x) override { return x * factor_; }

 private:
  double factor_;
};

int translate(const std::string& model) {
  translation::Translator translator(model, {.device = "cpu"});
  std::vector<std::string> lines;
  for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
  for (const auto& found : translator.translate(lines)) std::cout << found.texts.front() << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return translate(argv[1]);
  torch::manual_seed(1);
  nn::FeedForward layer(nn::FeedForwardOptions{.d_model = 8, .d_ff = 16});
  const auto y = layer->forward(torch::ones({2, 3, 8}));
  std::cout << "shape " << y.sizes() << '\n';
  const eval::Corpus corpus{.hypotheses = {"the same four words"}, .references = {{"the same four words"}}};
  const bool good = y.sizes() == torch::IntArrayRef({2, 3, 8}) &&
                    eval::corpus_score(eval::find_metric("bleu"), corpus) > 99.9;

  nn::add_variant<Doubled>(
      {.name = "doubled", .about = "no layer", .options = {{.name = "factor", .standard = 2.0}}});
  nn::FeedForward own(
      nn::FeedForwardOptions{.variant = {.choice = *variants::parse("doubled factor=3"), .place = {}}});
  return good && own->forward(y).equal(y * 3.0) ? 0 : 1;
}
