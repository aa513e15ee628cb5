// config.json of a Marian model.
#include <cmath>

#include "tests/fuzz/check.h"
#include "tests/fuzz/scratch_file.h"
#include "tests/fuzz/target.h"
#include "transformer/formats/marian/marian_config.h"

namespace transformer::fuzz {
namespace {

/// A folder in which config.json is a file in memory.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("fuzz-marian-" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(path_);
    std::filesystem::create_symlink(file_.write(""), path_ / "config.json");
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(std::string_view bytes) const { file_.write(bytes); }

 private:
  ScratchFile file_;
  std::filesystem::path path_;
};

}  // namespace

std::vector<std::string> seeds() {
  return {
      R"({"model_type": "marian", "d_model": 64, "encoder_layers": 2, "decoder_layers": 2, "encoder_ffn_dim": 96,
"decoder_ffn_dim": 96, "encoder_attention_heads": 4, "decoder_attention_heads": 4, "vocab_size": 101,
"activation_function": "swish", "scale_embedding": true, "pad_token_id": 100, "eos_token_id": 0,
"decoder_start_token_id": 100, "max_position_embeddings": 512, "static_position_embeddings": true,
"bad_words_ids": [[100]], "num_beams": 4, "max_length": 512, "share_encoder_decoder_embeddings": true})"};
}

std::vector<std::string> words() {
  return {"null",
          "1.5",
          "1e300",
          "-1",
          "0",
          "true",
          "false",
          "[[[[[[[[",
          "{}",
          "[]",
          "\"relu\"",
          "18446744073709551615",
          "\"decoder_vocab_size\":7,",
          "\"tie_word_embeddings\":false,",
          "\"length_penalty\":0.5,",
          "\"forced_bos_token_id\":1,",
          "\"forced_eos_token_id\":0,",
          "\"bad_words_ids\":[[1,2]],"};
}

}  // namespace transformer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace transformer;
  static const fuzz::Folder folder;
  folder.write(fuzz::text_of(data, size));
  const auto config = fuzz::accepted([&] { return formats::read_marian_config({folder.path()}); });
  if (!config) return 0;
  const auto& model = config->model;
  fuzz::require(model.d_model > 0 && model.heads > 0 && model.d_model == model.heads * model.d_k,
                "sizes fit");
  fuzz::require(config->vocabulary.source > 0 && config->vocabulary.target > 0, "there is a vocabulary");
  fuzz::require(config->decode.beam > 0 && std::isfinite(config->decode.alpha), "a search is possible");
  return 0;
}
