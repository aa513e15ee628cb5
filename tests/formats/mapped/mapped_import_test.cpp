#include "transformer/formats/mapped/mapped_import.h"

#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/formats/exported_model.h"
#include "tests/formats/pytorch/their_checkpoint.h"
#include "tests/temporary_folder.h"
#include "transformer/base/atomic_file.h"
#include "transformer/base/special_tokens.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/formats/mapped/mapping_file.h"

namespace transformer::formats {
namespace {

namespace fs = std::filesystem;

/// Their tokens; ids 6, 0, 2 and 4 are special.
const std::vector<std::string> kTheirTokens{"[pad]", "a", "[bos]", "b", "[eos]", "c", "[unk]"};
/// Their id of each of ours.
const std::vector<std::int64_t> kTheirIds{6, 0, 2, 4, 1, 3, 5};

constexpr const char* kMapping = R"(model:
  layers: 1
  d_model: 16
  d_ff: 24
  heads: 2
  d_k: 8
  d_v: 8
  tie: all
tensors:
  - {from: words, to: embedding.weight}
  - {from: '(.*)\.qkv', to: [$1.query.weight, $1.key.weight, $1.value.weight]}
  - {from: '(.*inner\.weight)', to: $1, transform: transposed}
  - {from: '(.*norm)\.(weight|bias)', to: $1.$2, transform: squeezed}
  - {from: '(.*)', to: $1}
ignore: ['.*\.never']
vocabulary: {file: tokens.txt, unknown: '[unk]', pad: '[pad]', begin: '[bos]', end: '[eos]'}
)";

/// A model of ours whose weights have other names and shapes, and the mapping back.
class MappedFiles {
 public:
  MappedFiles() {
    auto options = test::small_options();
    options.encoder_layers = options.decoder_layers = 1;
    ours = test::random_model(options, {7, 7});
    const torch::NoGradGuard no_gradients;
    for (auto& [name, tensor] : weights_of(models::AnyModel(ours.ptr()))) {
      if (name == "embedding.weight") {
        auto rows = torch::empty_like(tensor);
        for (std::size_t id = 0; id < kTheirIds.size(); ++id)
          rows[kTheirIds[id]] = tensor[static_cast<std::int64_t>(id)];
        theirs["words"] = rows;
      } else if (const auto query = name.find(".query.weight"); query != std::string::npos) {
        query_[name.substr(0, query)] = tensor;
      } else if (name.find(".key.") == std::string::npos && name.find(".value.") == std::string::npos) {
        theirs[name] = name.ends_with("inner.weight")            ? tensor.t().contiguous()
                       : name.find("norm.") != std::string::npos ? tensor.unsqueeze(0)
                                                                 : tensor;
      }
    }
    auto all = weights_of(models::AnyModel(ours.ptr()));
    for (const auto& [front, query] : query_)
      theirs[front + ".qkv"] =
          torch::cat({query, all.at(front + ".key.weight"), all.at(front + ".value.weight")});
    std::string lines;
    for (const auto& token : kTheirTokens) lines += token + "\n";
    write_file_atomically(folder.path() / "tokens.txt", lines);
  }

  checkpoints::LoadedModel import(const std::string& mapping = kMapping) const {
    const std::vector<std::pair<std::string, torch::Tensor>> tensors(theirs.begin(), theirs.end());
    checkpoints::save_safetensors(folder.path() / "theirs.safetensors", tensors);
    return import_file("theirs.safetensors", mapping);
  }

  checkpoints::LoadedModel import_file(const std::string& name, const std::string& mapping) const {
    write_file_atomically(folder.path() / "map.yaml", mapping);
    return import_mapped(folder.path() / name, folder.path() / "map.yaml");
  }

  void refused(const std::vector<std::string>& expected, const std::string& mapping = kMapping) const {
    INFO(mapping);
    test::check_refused([&] { import(mapping); }, expected);
  }

  void refused(const std::string& part, const std::string& other,
               const std::vector<std::string>& expected) const {
    std::string mapping = kMapping;
    const auto at = mapping.find(part);
    REQUIRE(at != std::string::npos);
    refused(expected, mapping.replace(at, part.size(), other));
  }

  test::TemporaryFolder folder;
  models::EncoderDecoder ours{nullptr};
  std::map<std::string, torch::Tensor> theirs;

 private:
  std::map<std::string, torch::Tensor> query_;
};

void check_equal(const models::EncoderDecoder& expected, const checkpoints::LoadedModel& loaded) {
  const torch::NoGradGuard no_gradients;
  const auto source = torch::tensor({{4, 6, 5, 3}, {5, 3, 1, 1}}),
             target = torch::tensor({{2, 4, 5}, {2, 6, 6}});
  CHECK(torch::equal(loaded.encoder_decoder()->forward(source, target),
                     models::EncoderDecoder(expected)->forward(source, target)));
}

TEST_CASE("a mapping renames, transposes, cuts and renumbers, and the model computes the same") {
  const MappedFiles files;
  const auto loaded = files.import();
  check_equal(files.ours, loaded);
  CHECK(loaded.tokenizers.source == loaded.tokenizers.target);
  CHECK(loaded.tokenizers.source->encode("c a  b x") == std::vector<std::int32_t>{6, 4, 5, kUnknown});
  CHECK(loaded.tokenizers.source->decode(std::vector<std::int32_t>{5, 6, 4}) == "b c a");
}

TEST_CASE("tokens may be characters, without blanks between them") {
  const MappedFiles files;
  std::string mapping = kMapping;
  const auto loaded = files.import(mapping.replace(mapping.find("{file: "), 7, "{split: characters, file: "));
  check_equal(files.ours, loaded);
  CHECK(loaded.tokenizers.source->encode("cab") == std::vector<std::int32_t>{6, 4, 5});
  CHECK(loaded.tokenizers.source->decode(std::vector<std::int32_t>{5, 6, 4}) == "bca");
}

TEST_CASE("a checkpoint of torch.save's gives the same as safetensors") {
  const MappedFiles files;
  const auto content = test::checkpoint_of(
      "}" + test::pickled_text("net") + test::pickled_state(files.theirs) + "s", files.theirs);
  write_file_atomically(files.folder.path() / "theirs.pt", content);
  check_equal(files.ours, files.import_file("theirs.pt", std::string(kMapping) + "state: net\n"));
}

TEST_CASE("tensors that are left over, missing, doubled or of another shape are refused by name") {
  MappedFiles files;
  files.refused("  - {from: '(.*)', to: $1}\n", "  - {from: '(.*)outer\\.(.*)', to: $1outer.$2}\n",
                {"theirs.safetensors: expected a rule of", "map.yaml for each tensor, found none for"});
  files.refused("from: words, to", "from: wörter, to",
                {"map.yaml:10: expected a tensor of", "found none for 'wörter'"});
  files.refused("to: embedding.weight", "to: [a, b]",
                {"'words'", "expected rows for 2 parameters, found [7, 16]"});
  files.refused("transform: transposed", "transform: none", {"inner.weight'", "expected the shape [24, 16]"});
  files.refused("(.*inner\\.weight)', to: $1", "(.*inner\\.weight)', to: words2",
                {"expected one tensor for 'words2'", "as well"});
  files.refused("tie: all", "tie: target", {"'source_embedding.weight' [7, 16], found none"});
  files.theirs["x.never"] = torch::ones(3);
  CHECK_NOTHROW(files.import(std::string(kMapping).replace(std::string(kMapping).find("'(.*)', to"), 6,
                                                           "'(.*(output|outer|inner).*)'")));
  files.theirs.erase("x.never");
  files.theirs["words"][0][0] = std::numeric_limits<float>::infinity();
  files.refused({"'words'", "expected finite numbers"});
  files.theirs["words"] = torch::ones({7, 16}, torch::kLong);
  files.refused({"'words'", "floating-point"});
  files.theirs["words"] = torch::ones({6, 16});
  files.refused({"'words'", "expected the shape [7, 16] of 'embedding.weight', found [6, 16]"});
}

TEST_CASE("vectors that they lack may be zeros") {
  MappedFiles files;
  for (auto place = files.theirs.begin(); place != files.theirs.end();)
    place = place->first.ends_with("outer.bias") ? files.theirs.erase(place) : std::next(place);
  files.refused({"outer.bias' [16], found none"});
  const auto loaded = files.import(std::string(kMapping) + "zeros: ['.*\\.outer\\.bias']\n");
  CHECK(loaded.encoder_decoder()
            ->named_parameters()["encoder.layers.0.feed_forward.outer.bias"]
            .count_nonzero()
            .item<int>() == 0);
}

TEST_CASE("a special token that they lack takes no probability") {
  const MappedFiles files;
  std::string mapping = kMapping;
  const std::string unknown = "unknown: '[unk]', ";
  mapping.erase(mapping.find(unknown), unknown.size());
  const auto loaded = files.import(mapping);
  CHECK(loaded.experiment.model.output_bias);
  CHECK(loaded.tokenizers.target->size() == 8);
  const auto logits = loaded.encoder_decoder()->forward(torch::tensor({{4, 3}}), torch::tensor({{2}}));
  CHECK(logits.log_softmax(-1)[0][0][kUnknown].item<float>() < -1000);
}

TEST_CASE("a mapping that says something else is refused with its line") {
  const MappedFiles files;
  files.refused("d_model: 16", "d_modle: 16", {"map.yaml:3: key 'model.d_modle': unknown"});
  files.refused("heads: 2", "heads: -2", {"map.yaml:5: key 'model.heads'"});
  files.refused("heads: 2", "kind: encoder", {"map.yaml", "model.kind"});
  files.refused("from: words", "from: '('", {"map.yaml:10: expected a regular expression, found '('"});
  files.refused("from: words", "from: '(a)\\1'", {"references back"});
  files.refused("from: words", "from: 'a{1000}'", {"{2} are not allowed"});
  files.refused("from: words", "from: nothing",
                {"map.yaml:10: expected a tensor of", "found none for 'nothing'"});
  files.refused("from: words", "form: words",
                {"map.yaml:10: tensors: expected one of the keys from, to", "'form'"});
  files.refused("to: embedding.weight", "from: x", {"map.yaml:10", "twice"});
  files.refused("transform: transposed", "transform: turned",
                {"transform: expected none, transposed or squeezed"});
  files.refused("ignore: ", "ignroe: ", {"map.yaml:15: mapping: expected one of the keys", "'ignroe'"});
  files.refused("['.*\\.never']", "x", {"ignore: expected a list"});
  files.refused("begin: '[bos]'", "begin: '[BOS]'", {"begin: expected a token of", "found '[BOS]'"});
  files.refused(", begin: '[bos]'", "", {"expected 'begin'"});
  files.refused(", end: '[eos]'", ", first: '[eos]'", {"map.yaml:16", "expected 'end'"});
  files.refused(", end: '[eos]'", ", end: '[eos]', first: '[bos]'", {"first: expected another token"});
  files.refused("file: tokens.txt", "file: other.txt", {"other.txt"});
  files.refused("{file: tokens.txt", "{split: letters, file: tokens.txt",
                {"split: expected words or characters"});
  files.refused("{file: tokens.txt, unknown: '[unk]'", "{split: characters, file: tokens.txt",
                {"tokens.txt: expected single characters, found the token '[unk]'"});
  files.refused("vocabulary:", "state: x\nvocabulary:", {"theirs.safetensors", "'x' (state)"});
  files.refused({"map.yaml"}, "text");
  files.refused({"map.yaml"}, "tensors: [");
  write_file_atomically(files.folder.path() / "tokens.txt", "a\n\nb\n");
  files.refused({"tokens.txt: line 2: expected a token, found nothing"});
  write_file_atomically(files.folder.path() / "tokens.txt", "a\nb\na\n");
  files.refused({"tokens.txt: expected different tokens, found 'a' as line 1 and 3"});
}

TEST_CASE("an expression that takes others for ever takes no time") {
  const NamePattern pattern("((a+)+)+b", "map.yaml:1");
  CHECK_FALSE(pattern.matches(std::string(400, 'a')));
  CHECK_FALSE(NamePattern("a*", "map.yaml:1").matches(std::string(100000, 'a')));
}

TEST_CASE("tokens come from a pickle that executes nothing, and texts may begin with one") {
  const MappedFiles files;
  std::string list = "]";
  for (const auto& token : kTheirTokens) list += test::pickled_text(token) + "a";
  write_file_atomically(files.folder.path() / "tokens.pkl", "}" + test::pickled_text("itos") + list + "s.");
  std::string mapping = kMapping;
  mapping.replace(mapping.find("file: tokens.txt"), 16, "file: tokens.pkl, key: itos");
  check_equal(files.ours, files.import(mapping));
  mapping.replace(mapping.find("key: itos"), 9, "key: stoi");
  files.refused({"tokens.pkl: expected a list of tokens under the key 'stoi', found no such key"}, mapping);

  std::string sides = kMapping;
  sides.replace(sides.find("tie: all"), 8, "tie: target");
  sides.replace(
      sides.find("{from: words, to: embedding.weight}"), 35,
      "{from: words, to: target_embedding.weight}\n  - {from: words.source, to: source_embedding.weight}");
  sides.erase(sides.find("vocabulary:"));
  sides +=
      "vocabulary:\n  source: {file: tokens.txt, end: '[eos]', first: '[bos]'}\n"
      "  target: {file: tokens.txt, unknown: '[unk]', pad: '[pad]', begin: '[bos]', end: '[eos]'}\n";
  MappedFiles both;
  both.theirs["words.source"] = both.theirs.at("words").clone();
  const auto loaded = both.import(sides);
  const auto ids = loaded.tokenizers.source->encode("a b");
  REQUIRE(ids.size() == 3);
  CHECK(loaded.tokenizers.source->piece_of(ids.front()) == "\u2581[bos]");
}

}  // namespace
}  // namespace transformer::formats
