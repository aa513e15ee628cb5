#include "transformer/config/yaml.h"

#include <unistd.h>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/log.h"
#include "transformer/config/keys.h"

using namespace transformer;
using namespace transformer::config;
using transformer::test::TemporaryFolder;

namespace {

Experiment parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_experiment(text, "/here/c.yaml", overrides);
}

/// The message with which `text` is refused.
std::string refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parse(text, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("an empty file gives the defaults") {
  CHECK(parse("") == Experiment{});
  CHECK(parse("# nothing\n") == Experiment{});
  CHECK(parse("model:\n") == Experiment{});
  CHECK(parse("{}") == Experiment{});
}

TEST_CASE("values of every type arrive") {
  const auto e = parse(R"(
seed: 7
data: {source: fr, target: "no", train: text/train, shared_vocabulary: false}
model: {heads: 4, dropout: 0.25, positions: tensor2tensor, tie: target, norm: pre}
train: {steps: 1e5, schedule: inverse_sqrt, epsilon: 1e-8}
decode: {length_penalty: length}
)");
  CHECK(e.seed == 7);
  CHECK(e.data.source == "fr");
  CHECK(e.data.target == "no");
  CHECK(e.data.train == "/here/text/train");
  CHECK_FALSE(e.data.shared_vocabulary);
  CHECK(e.model.heads == 4);
  CHECK(e.model.dropout == 0.25);
  CHECK(e.model.positions == nn::Positions::tensor2tensor);
  CHECK(e.model.tie == nn::Tie::target);
  CHECK(e.model.norm == nn::NormPlacement::pre);
  CHECK(e.train.steps == 100000);
  CHECK(e.train.schedule == train::Schedule::inverse_sqrt);
  CHECK(e.train.epsilon == 1e-8);
  CHECK(e.decode.length_penalty == search::LengthPenalty::length);
  CHECK(e.model.d_k == 64);  // independent of d_model / heads
}

TEST_CASE("wrong keys and values are refused with file, line, key and what was expected") {
  CHECK(refusal("model:\n  headz: 4\n") ==
        "/here/c.yaml:2: key 'model.headz': unknown; did you mean 'model.heads'?");
  CHECK(refusal("heads: 4\n") == "/here/c.yaml:1: key 'heads': unknown; did you mean 'model.heads'?");
  CHECK(refusal("\nmodle: {heads: 4}\n") == "/here/c.yaml:2: key 'modle': unknown; did you mean 'model'?");
  CHECK(refusal("model: {heads: abc}") ==
        "/here/c.yaml:1: key 'model.heads': expected a whole number from 1 to 1000000, found 'abc'");
  CHECK(refusal("train: {steps: 0}") ==
        "/here/c.yaml:1: key 'train.steps': expected a whole number from 1 to 1000000000000, found '0'");
  CHECK(refusal("train: {steps: 1.5}") ==
        "/here/c.yaml:1: key 'train.steps': expected a whole number from 1 to 1000000000000, found '1.5'");
  CHECK(refusal("train: {steps: \"100\"}") ==
        "/here/c.yaml:1: key 'train.steps': expected a whole number from 1 to 1000000000000, found the text "
        "'100'");
  CHECK(refusal("train: {steps: [1, 2]}") ==
        "/here/c.yaml:1: key 'train.steps': expected a whole number from 1 to 1000000000000, found a list");
  CHECK(refusal("train:\n  steps:\n  warmup: 1\n") ==
        "/here/c.yaml:2: key 'train.steps': expected a whole number from 1 to 1000000000000, found nothing");
  CHECK(refusal("train: {steps: 2e12}") ==
        "/here/c.yaml:1: key 'train.steps': expected a whole number from 1 to 1000000000000, found '2e12'");
  CHECK(refusal("model: {dropout: 1}") ==
        "/here/c.yaml:1: key 'model.dropout': expected a number from 0 and below 1, found '1'");
  CHECK(refusal("model: {dropout: nan}") ==
        "/here/c.yaml:1: key 'model.dropout': expected a number from 0 and below 1, found 'nan'");
  CHECK(refusal("model: {norm: middle}") ==
        "/here/c.yaml:1: key 'model.norm': expected one of post, pre, sandwich, found 'middle'");
  CHECK(refusal("data: {byte_fallback: yes}") ==
        "/here/c.yaml:1: key 'data.byte_fallback': expected true or false, found 'yes'");
  CHECK(refusal("model: 5") == "/here/c.yaml:1: key 'model': expected keys below it, found '5'");
  CHECK(refusal("- 5") == "/here/c.yaml:1: expected keys with values, found a list");
  CHECK(refusal("just words") == "/here/c.yaml:1: expected keys with values, found 'just words'");
  CHECK(refusal("[a]: 5") == "/here/c.yaml:1: expected a key, found a list");
  CHECK(refusal("data: {source: a/b}") ==
        "/here/c.yaml:1: key 'data.source': expected the ending of a file name, such as de, found 'a/b'");
}

TEST_CASE("columns of tables are two numbers or two names") {
  const auto columns = [](const std::string& text) {
    return parse("data: {train: pairs.tsv, columns: \"" + text + "\"}").data.columns;
  };
  CHECK(parse("data: {train: pairs.tsv, columns: [2, 1]}").data.columns == data::Columns{"2", "1"});
  CHECK(parse("data: {train: pairs.tsv}", {"data.columns=3, 1"}).data.columns == data::Columns{"3", "1"});
  CHECK(refusal("data: {train: t.tsv, columns: [2, [1]]}").find("found '2,'") != std::string::npos);
  CHECK(columns("English text,fr") == data::Columns{"English text", "fr"});
  for (const auto* text :
       {"2", "2,", "1,1", "0,1", "01,2", "1,fr", "en,en", "1,2,3", "a,b,c", "-1,2", "1.5,2"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(columns(text), InputError);
  }
  CHECK(refusal("data: {train: t.tsv, columns: 2}") ==
        "/here/c.yaml:1: key 'data.columns': expected two different columns, by number from 1 or by name, "
        "as in [2, 1] or [de, en], found '2'");
  CHECK(parse_experiment(to_yaml(parse("data: {dev: d.tsv, columns: [a, b]}")), "c.yaml").data.columns ==
        data::Columns{"a", "b"});
}

TEST_CASE("a key or section that stands twice is refused") {
  CHECK(refusal("seed: 1\nmodel: {heads: 2}\nseed: 2\n") ==
        "/here/c.yaml:3: key 'seed': stands already at /here/c.yaml:1");
  CHECK(refusal("model:\n  heads: 2\n  heads: 2\n") ==
        "/here/c.yaml:3: key 'model.heads': stands already at /here/c.yaml:2");
  CHECK(refusal("model: {heads: 2}\nmodel: {d_k: 2}\n") ==
        "/here/c.yaml:2: key 'model': stands already at /here/c.yaml:1");
}

TEST_CASE("what is no text is refused before YAML is made of it") {
  CHECK(refusal("data: {train: \"\xff\"}") == "/here/c.yaml:1: expected UTF-8, found byte 0xFF at byte 16");
  CHECK(refusal(std::string("seed: 1\na\0b: 3\n", 16)) ==
        "/here/c.yaml:2: expected text, found a NUL byte at byte 2");
  CHECK(refusal("extends: ''") ==
        "/here/c.yaml:1: key 'extends': expected the path of a configuration file, found ''");
  CHECK(refusal("seed: " + std::string(100'000, '9')).size() < 200);
}

TEST_CASE("broken YAML is refused in one line with its place") {
  for (const auto* text :
       {"a: [1, 2\nb: 3\n", "model:\n\theads: 4\n", "model: {heads: 4", "a: b: c\n", "seed: *x",
        "--- 1\n--- 2\n", "\"\n", ",", "seed: 1\n, steps: 2\n", "---\n---\nseed: 1\n"}) {
    const auto message = refusal(text);
    CAPTURE(text, message);
    CHECK_THAT(message, ContainsSubstring("/here/c.yaml:"));
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("a quoted text that nobody closes does not take the rest of the file") {
  for (const char* quote : {"\"", "'"}) {
    const auto text = std::string("data:\n  prepared: ") + quote + "x\nmodel:\n  d_model: 0\n";
    CHECK_THAT(refusal(text), ContainsSubstring("not valid YAML"));
    CHECK_THAT(refusal(text + "\n\n"), ContainsSubstring("not valid YAML"));
  }
  CHECK(refusal("data:\n  prepared: \"x\"\n") == "accepted");
}

TEST_CASE("a message is one line, whatever the value") {
  for (const auto& message :
       {refusal("seed: \"1\\n2\""), refusal("data: {source: \"x\\n\", target: \"x\\n\"}"),
        refusal("extends: \"no\\nfile\""), refusal("", {"seed=1\n2"}), refusal("", {"a\nb"}),
        refusal(std::string("seed: 1\0\n", 9))}) {
    CAPTURE(message);
    CHECK(message.find("accepted") == std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("text is UTF-8 and holds no NUL, at which the system would end a path") {
  CHECK(refusal("seed: 1\ndata: {train: \xff}\n") ==
        "/here/c.yaml:2: expected UTF-8, found byte 0xFF at byte 15");
  CHECK(refusal("data: {train: \"a\\0b\"}") ==
        "/here/c.yaml:1: key 'data.train': expected a path, or a list of paths, found text with a NUL "
        "character");
  CHECK(refusal("extends: \"base.yaml\\0\"").find("NUL") != std::string::npos);
  CHECK(refusal("", {"data.train=\xff"}).find("expected UTF-8") != std::string::npos);
  CHECK_THROWS_WITH(parse_experiment("data: {prepared: p}", "/h\xff/c.yaml"),
                    ContainsSubstring("key 'data.prepared': expected a path in UTF-8, found '/h"));
  CHECK(parse_experiment("seed: 2", "/h\xff/c.yaml").seed == 2);
}

TEST_CASE("overrides come last and name themselves in errors") {
  const auto e = parse("model: {heads: 4, d_k: 8}",
                       {"model.heads=2", "train.steps=1e3", "data.test=", "model.heads=16"});
  CHECK(e.model.heads == 16);
  CHECK(e.model.d_k == 8);
  CHECK(e.train.steps == 1000);
  CHECK(e.data.test.empty());
  CHECK(refusal("", {"model.headz=2"}) ==
        "--set model.headz=2: key 'model.headz': unknown; did you mean 'model.heads'?");
  CHECK(refusal("", {"model.heads=x"}) ==
        "--set model.heads=x: key 'model.heads': expected a whole number from 1 to 1000000, found 'x'");
  CHECK(refusal("", {"model.heads"}) == "--set model.heads: expected key.path=value, found no '='");
  CHECK(refusal("", {"model=2"}).find("did you mean") != std::string::npos);
  CHECK(refusal("", {"extends=x"}) == "--set extends=x: key 'extends': can stand in a file only");
  CHECK(parse("", {"data.train=x"}).data.train == (std::filesystem::current_path() / "x").string());
}

TEST_CASE("layers sets both stacks, and a stack's own key wins within a file") {
  const auto both = parse("model: {layers: 3}");
  CHECK(both.model.encoder_layers == 3);
  CHECK(both.model.decoder_layers == 3);
  for (const auto* text :
       {"model: {layers: 3, decoder_layers: 1}", "model: {decoder_layers: 1, layers: 3}"}) {
    CHECK(parse(text).model.encoder_layers == 3);
    CHECK(parse(text).model.decoder_layers == 1);
  }
  const auto over = parse("model: {decoder_layers: 1}", {"model.encoder_layers=5", "model.layers=4"});
  CHECK(over.model.encoder_layers == 5);
  CHECK(over.model.decoder_layers == 4);
}

TEST_CASE("extends: the nearer file wins, and paths belong to the file in which they stand") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "sub");
  folder.write("base.yaml",
               "model: {decoder_layers: 5, heads: 4, d_k: 9}\ndata: {train: t/train, dev: dev}\n");
  folder.write("sub/middle.yaml",
               "extends: ../base.yaml\nmodel: {layers: 2, heads: 3}\ndata: {dev: ../x/dev}\n");
  const auto top = folder.write("top.yaml", "model: {heads: 1}\nextends: sub/middle.yaml\n");
  const auto e = load_experiment(top);
  CHECK(e.model.heads == 1);
  CHECK(e.model.encoder_layers == 2);
  CHECK(e.model.decoder_layers == 2);  // `layers` of the nearer file over the farther one's own key
  CHECK(e.model.d_k == 9);
  CHECK(e.data.train == (folder.path() / "t/train").string());
  CHECK(e.data.dev == (folder.path() / "x/dev").string());
}

TEST_CASE("extends: circles and missing files are refused") {
  const TemporaryFolder folder;
  const auto a = folder.write("a.yaml", "extends: b.yaml\n");
  const auto b = folder.write("b.yaml", "seed: 1\nextends: a.yaml\n");
  CHECK_THROWS_WITH(load_experiment(a), b.string() + ":2: key 'extends': circular: " + a.string() + " → " +
                                            b.string() + " → " + a.string());
  const auto self = folder.write("self.yaml", "extends: ./self.yaml\n");
  CHECK_THROWS_WITH(load_experiment(self), ContainsSubstring("circular"));
  const auto lost = folder.write("lost.yaml", "extends: nowhere.yaml\n");
  CHECK_THROWS_WITH(load_experiment(lost), ContainsSubstring(lost.string() + ":1: key 'extends'") &&
                                               ContainsSubstring("nowhere.yaml"));
  // As README's my.yaml says, in a folder that has no configs/.
  std::filesystem::create_directories(folder.path() / "far");
  const auto far = folder.write("far/my.yaml", "extends: configs/base.yaml\n");
  CHECK_THROWS_WITH(load_experiment(far),
                    ContainsSubstring("found none at " + (folder.path() / "far/configs/base.yaml").string() +
                                      "; a path is relative to the folder of the file"));
  CHECK_THROWS_AS(load_experiment(folder.path() / "none.yaml"), InputError);
  CHECK_THROWS_AS(load_experiment(folder.path()), InputError);
}

TEST_CASE("a configuration is a file of a sensible size") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(load_experiment("/dev/zero"),
                    ContainsSubstring("/dev/zero: expected a file, found a device"));
  const auto endless = folder.write("endless.yaml", "extends: /dev/zero\n");
  CHECK_THROWS_WITH(load_experiment(endless), ContainsSubstring(endless.string() + ":1: key 'extends'") &&
                                                  ContainsSubstring("found a device"));
  const auto long_one = folder.write("long.yaml", "seed: 1\n" + std::string(1 << 20, '#'));
  CHECK_THROWS_WITH(load_experiment(long_one),
                    ContainsSubstring("long.yaml: expected at most 1048576 bytes"));
}

TEST_CASE("a configuration may come out of a pipe that this process was given") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const std::string text = "seed: 3\ndata: {train: text/train}\n";
  REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  const auto e = load_given_experiment("/dev/fd/" + std::to_string(ends[0]), {"decode.beam=2"});
  ::close(ends[0]);
  CHECK(e.seed == 3);
  CHECK(e.decode.beam == 2);
  CHECK(e.data.train == (std::filesystem::current_path() / "text/train").string());

  const TemporaryFolder folder;
  CHECK(load_given_experiment(folder.write("c.yaml", text)).data.train ==
        (folder.path() / "text/train").string());
  CHECK_THROWS_WITH(load_given_experiment("/dev/zero"), ContainsSubstring("found a device"));
}

TEST_CASE("whoever sets d_model or heads hears of widths of heads that do not follow") {
  const TemporaryFolder folder;
  folder.write("base.yaml", "model: {d_model: 512, heads: 8, d_k: 64, d_v: 64}\n");
  const auto note = [&](const std::string& text, const std::vector<std::string>& set = {}) {
    std::string found;
    load_ranked_experiment(folder.write("my.yaml", text), {set}, &found);
    return found;
  };
  const auto small = note("model:\n  d_model: 128\n  heads: 4\n");
  CHECK(small == (folder.path() / "my.yaml").string() +
                     ":3: model.heads 4 · model.d_k 64 = 256 is not model.d_model 128: model.d_k and "
                     "model.d_v do not follow model.d_model, so set them beside it (32 keeps heads as wide "
                     "together as the model)");
  CHECK_FALSE(note("extends: base.yaml\nmodel: {d_model: 128}\n").empty());  // what it extends chose for 512
  CHECK_FALSE(note("extends: base.yaml\n", {"model.heads=4"}).empty());
  CHECK_THAT(note("model: {heads: 3}\n"), !ContainsSubstring("keeps"));  // no whole number does
  CHECK(note("model: {d_model: 128, heads: 4, d_k: 64}\n").empty());     // chosen
  CHECK(note("model: {d_model: 128, heads: 4}\n", {"model.d_v=64"}).empty());
  CHECK(note("extends: base.yaml\nmodel: {d_k: 16}\n").empty());  // as Table 3's rows B
  CHECK(note("model: {d_model: 256, heads: 4}\n").empty());
  CHECK(note("").empty());
  folder.write("wide.yaml", "model: {d_model: 128, heads: 8, d_k: 32, d_v: 32}\n");  // twice as wide together
  CHECK(note("extends: wide.yaml\nmodel: {d_model: 256, heads: 16}\n").empty());     // and still so
  CHECK_FALSE(note("extends: wide.yaml\nmodel: {heads: 2}\n").empty());

  start_logging("info", true);
  const auto log = folder.path() / "log.txt";
  add_log_file(log);
  load_given_experiment(folder.write("my.yaml", "model: {d_model: 128}\n"));
  start_logging("info", true);
  CHECK_THAT(test::content_of(log), ContainsSubstring("model.heads 8 · model.d_k 64 = 512"));
}

TEST_CASE("a resolved configuration leads nowhere else") {
  const TemporaryFolder folder;
  folder.write("secret", "a line that is nobody's business\n");
  const auto file = folder.write("config.yaml", "seed: 3\nextends: secret\n");
  CHECK_THROWS_AS(load_resolved_experiment(file), InputError);
  CHECK_THROWS_WITH(load_resolved_experiment(file),
                    file.string() +
                        ":2: key 'extends': expected a configuration that is complete by itself, "
                        "found 'secret'");
  const auto whole = folder.write("whole.yaml", to_yaml(parse("seed: 3")));
  CHECK(load_resolved_experiment(whole, {"decode.beam=2"}).seed == 3);
}

TEST_CASE("an error in an extended file names that file") {
  const TemporaryFolder folder;
  const auto base = folder.write("base.yaml", "\nseed: x\n");
  const auto top = folder.write("top.yaml", "extends: base.yaml\n");
  CHECK_THROWS_WITH(load_experiment(top), ContainsSubstring(base.string() + ":2: key 'seed'"));
}

TEST_CASE("what is written reads back equal, whatever the values") {
  CHECK(parse(to_yaml({})) == Experiment{});
  auto e = parse("", {"model.dropout=0.333333333333333314829616256247", "train.epsilon=1.7e-13",
                      "model.encoder_layers=1", "model.decoder_layers=9", "model.positions=halves",
                      "train.schedule=constant", "decode.length_penalty=length", "model.activation=swish",
                      "data.normalization=identity", "data.byte_fallback=true", "train.best=bleu",
                      "train.bleu_every=5", "model.tie=none", "model.norm=pre"});
  e.data.train = "/a b/\"quoted\" \\ back: #x/größe\n{}";
  e.data.source = "no";
  e.data.target = "123";
  CHECK(parse(to_yaml(e)) == e);
  CHECK(to_yaml(parse(to_yaml(e))) == to_yaml(e));
}

TEST_CASE("the written file is complete and in the order of the table") {
  const auto text = to_yaml({});
  std::size_t last = 0;
  for (const Key& key : keys()) {
    if (!is_written(key.kind)) continue;
    const auto name = key.name.substr(key.name.find('.') + 1) + ": ";
    const auto at = text.find(name, last);
    CAPTURE(key.name);
    REQUIRE(at != std::string::npos);
    last = at;
  }
}

TEST_CASE("a training is as long as the nearer of steps and epochs says, and one level says one of them") {
  const auto epochs = parse("train: {steps: 7000}", {"train.epochs=5"});
  CHECK(epochs.train.epochs == 5);
  CHECK(parse(to_yaml(epochs)) == epochs);
  CHECK_THAT(to_yaml(epochs), !ContainsSubstring("\n  steps:"));
  const auto steps = parse("train: {epochs: 5}", {"train.steps=7000"});
  CHECK((steps.train.epochs == 0 && steps.train.steps == 7000));
  CHECK(parse(to_yaml(steps)) == steps);
  CHECK(parse("train: {steps: 7000, epochs: 0}").train.steps == 7000);
  CHECK(refusal("train:\n  epochs: 5\n  steps: 7000\n") ==
        "/here/c.yaml:2: key 'train.epochs': expected one of train.steps and train.epochs, found '5' beside "
        "train.steps '7000'");
  CHECK(refusal("", {"train.steps=7000", "train.epochs=5"}) ==
        "--set train.epochs=5: key 'train.epochs': expected one of train.steps and train.epochs, found '5' "
        "beside train.steps '7000'");
}

TEST_CASE("differences list keys with both values") {
  CHECK(differences({}, {}).empty());
  const auto found = differences({}, parse("", {"train.steps=5", "model.norm=pre"}));
  CHECK(found == std::vector<Difference>{{"model.norm", "post", "pre"}, {"train.steps", "100000", "5"}});
}
