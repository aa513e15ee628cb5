#include "transformer/checkpoints/beginning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/checkpoints/model_files.h"
#include "transformer/checkpoints/safetensors.h"

namespace transformer::checkpoints {
namespace fs = std::filesystem;
namespace {

using Weights = std::map<std::string, torch::Tensor>;

std::string described(const std::string& name, const torch::Tensor& tensor) {
  return fmt::format("{} [{}]", name, fmt::join(tensor.sizes(), ", "));
}

/// Tables with a row for each piece; those of a side's vocabulary stand for each other.
const std::vector<std::string> kTables{"embedding.weight", "source_embedding.weight",
                                       "target_embedding.weight", "output.weight"};
constexpr std::string_view kOutputBias = "output_bias";

bool is_of_vocabulary(const std::string& name) {
  return name == kOutputBias || std::ranges::find(kTables, name) != kTables.end();
}

/// A table without a side in its name is of both, or of the texts that an encoder reads, whose labels are the
/// target.
const data::Tokenizer& tokenizer_of(const std::string& name, const Tokenizers& tokenizers) {
  return name.starts_with("source") || name == kTables.front() ? *tokenizers.source : *tokenizers.target;
}

/// The tensor that stands there for one of this model, or the end. A table that is missing there is one that
/// its model shares, such as the embedding that is the output projection, too. An encoder alone reads
/// sources.
Weights::const_iterator find_there(const std::string& name, const Weights& there,
                                   const models::Stacks& stacks) {
  const auto found = there.find(name);
  if (found != there.end() || std::ranges::find(kTables, name) == kTables.end()) return found;
  const bool source = name.starts_with("source") || (stacks.encoder && !stacks.decoder);
  for (const auto* other :
       {"embedding.weight", source ? "source_embedding.weight" : "target_embedding.weight",
        source ? "target_embedding.weight" : "source_embedding.weight"})
    if (const auto table = there.find(other); table != there.end()) return table;
  return there.end();
}

/// The ids there of the pieces that a piece of here is cut into; none where they would say nothing.
std::vector<std::int64_t> parts_of(const std::string& piece, const data::Tokenizer& there) {
  constexpr std::string_view kBlank = "▁";
  const bool begins_word = piece.starts_with(kBlank);
  std::string text = piece;
  for (auto at = text.find(kBlank); at != std::string::npos; at = text.find(kBlank, at))
    text.replace(at, kBlank.size(), " ");
  auto ids = there.encode(begins_word && !text.empty() ? text.substr(1) : text);
  // A tokenizer that adds a blank in front makes a piece of it where the piece here has none.
  if (!begins_word && !ids.empty() && there.piece_of(ids.front()) == kBlank) ids.erase(ids.begin());
  std::erase(ids, kUnknown);
  return {ids.begin(), ids.end()};
}

/// By piece, how a vocabulary follows from another one.
class PieceMap {
 public:
  PieceMap(const data::Tokenizer& here, const data::Tokenizer& there, train::NewPieces new_pieces)
      : here_(here.all_pieces()), there_(there), new_pieces_(new_pieces) {
    const auto pieces = there.all_pieces();
    for (std::size_t id = kSpecial; id < pieces.size(); ++id)
      ids_.emplace(pieces[id], static_cast<std::int64_t>(id));
    same_ = pieces == here_;
  }

  bool is_same() const { return same_; }

  /// Fills rows of `table`, (V, …), from those there.
  CommonRows copy(torch::Tensor table, const torch::Tensor& there) const {
    CommonRows rows;
    std::vector<std::int64_t> own, theirs;  // rows of each that are equal
    std::vector<torch::Tensor> means;
    std::vector<std::int64_t> of_means;
    for (std::size_t id = 0; id < here_.size(); ++id) {
      const auto row = static_cast<std::int64_t>(id);
      if (const auto found = id_there(id)) {
        own.push_back(row);
        theirs.push_back(*found);
        continue;
      }
      const auto parts =
          new_pieces_ == train::NewPieces::parts ? parts_of(here_[id], there_) : std::vector<std::int64_t>{};
      if (parts.empty()) {
        ++rows.drawn;
        continue;
      }
      of_means.push_back(row);
      means.push_back(there.index_select(0, torch::tensor(parts)).mean(0));
    }
    const auto fill = [&](const std::vector<std::int64_t>& places, const torch::Tensor& values) {
      table.index_copy_(0, torch::tensor(places, table.options().dtype(torch::kLong)),
                        values.to(table.device()));
    };
    fill(own, there.index_select(0, torch::tensor(theirs)));
    if (!means.empty()) fill(of_means, torch::stack(means));
    rows.copied = std::ssize(own);
    rows.from_parts = std::ssize(of_means);
    return rows;
  }

 private:
  static constexpr std::size_t kSpecial = kEos + 1;

  std::optional<std::int64_t> id_there(std::size_t id) const {
    if (id < kSpecial) return static_cast<std::int64_t>(id);
    const auto found = ids_.find(here_[id]);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }

  std::vector<std::string> here_;
  const data::Tokenizer& there_;
  train::NewPieces new_pieces_;
  std::unordered_map<std::string, std::int64_t> ids_;
  bool same_ = false;
};

/// Whether two shapes differ in their numbers of rows at most.
bool have_like_rows(const torch::Tensor& a, const torch::Tensor& b) {
  return a.dim() > 0 && a.dim() == b.dim() && a.sizes().slice(1) == b.sizes().slice(1);
}

bool are_positions(const std::string& name) {
  return name.find("positions") != std::string::npos;
}

CommonRows copy_first_rows(torch::Tensor table, const torch::Tensor& there) {
  const auto rows = std::min(table.size(0), there.size(0));
  table.narrow(0, 0, rows).copy_(there.narrow(0, 0, rows));
  return {.copied = rows, .drawn = table.size(0) - rows};
}

/// The source of what is copied.
struct Origin {
  Weights weights;
  Tokenizers tokenizers;
};

/// Whether a tensor, or some rows of it, can be copied.
bool fits(const std::string& name, const torch::Tensor& value, const torch::Tensor& there) {
  if (!have_like_rows(value, there)) return false;
  return is_of_vocabulary(name) || are_positions(name) || value.size(0) == there.size(0);
}

/// The name of the module that a tensor belongs to.
std::string module_of(const std::string& name) {
  return name.substr(0, name.rfind('.'));
}

void take(const std::string& name, torch::Tensor value, const std::string& name_there, const Origin& origin,
          const Tokenizers& tokenizers, train::NewPieces new_pieces, Beginning& beginning) {
  const auto& there = origin.weights.at(name_there);
  std::optional<CommonRows> rows;
  if (is_of_vocabulary(name)) {
    const PieceMap map(tokenizer_of(name, tokenizers), tokenizer_of(name_there, origin.tokenizers),
                       new_pieces);
    if (!map.is_same()) rows = map.copy(value, there);
  } else if (value.size(0) != there.size(0)) {
    rows = copy_first_rows(value, there);
  }
  if (rows) {
    rows->name = name;
    beginning.by_row.push_back(*rows);
  } else {
    value.copy_(there);
  }
  ++beginning.taken;
}

[[noreturn]] void refuse(const Beginning& beginning, const models::Model& model, const Origin& origin) {
  const auto example = !beginning.unfit.empty() ? beginning.unfit.front()
                       : origin.weights.empty()
                           ? std::string("no tensor")
                           : described(origin.weights.begin()->first, origin.weights.begin()->second);
  throw InputError(fmt::format(
      "{}: expected weights that fit this model (model.kind {}, d_model {}), found none, but {} (train.from)",
      beginning.directory.string(), models::kind_of(model.options()), model.options().d_model, example));
}

}  // namespace

Beginning begin_from(const fs::path& path, models::Model& model, const Tokenizers& tokenizers,
                     train::NewPieces new_pieces) {
  const torch::NoGradGuard no_gradients;
  Beginning beginning;
  beginning.directory = resolve_model_directory(path);
  verify_checksums(beginning.directory, {kWeightsFile, kConfigFile});  // tokenizers, too
  const auto file = beginning.directory / kWeightsFile;
  const Origin origin{load_weights(file), load_tokenizers(beginning.directory)};
  beginning.checksum = checksum_of_weights(path);
  std::set<std::string> used, unfit_modules;
  const auto parameters = model.named_parameters();
  const auto stacks = models::stacks_of(model.options());
  for (const auto& parameter : parameters) {
    const auto there = find_there(parameter.key(), origin.weights, stacks);
    if (there == origin.weights.end() || fits(parameter.key(), parameter.value(), there->second)) continue;
    unfit_modules.insert(module_of(parameter.key()));
    beginning.unfit.push_back(fmt::format("{}, there [{}]", described(parameter.key(), parameter.value()),
                                          fmt::join(there->second.sizes(), ", ")));
  }
  for (const auto& parameter : parameters) {
    const auto& name = parameter.key();
    const auto there = find_there(name, origin.weights, stacks);
    if (there == origin.weights.end() || unfit_modules.contains(module_of(name))) {
      beginning.fresh.push_back(described(name, parameter.value()));
      continue;
    }
    take(name, parameter.value(), there->first, origin, tokenizers, new_pieces, beginning);
    used.insert(there->first);
  }
  if (beginning.taken == 0) refuse(beginning, model, origin);
  for (const auto& [name, tensor] : origin.weights)
    if (!used.contains(name)) beginning.left.push_back(described(name, tensor));
  return beginning;
}

}  // namespace transformer::checkpoints
