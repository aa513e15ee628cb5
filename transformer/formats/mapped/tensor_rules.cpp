#include "transformer/formats/mapped/tensor_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"

namespace transformer::formats {
namespace mapping {
namespace {

using torch::Tensor;

class Rules {
 public:
  Rules(const MappingFile& mapping, const std::filesystem::path& file) : mapping_(mapping), file_(file) {}

  void add(const std::string& name, const Tensor& tensor) {
    for (std::size_t i = 0; i < mapping_.tensors.size(); ++i) {
      const auto& rule = mapping_.tensors[i];
      if (!rule.from.matches(name)) continue;
      used_.resize(mapping_.tensors.size());
      used_[i] = true;
      return add(name, tensor, rule);
    }
    const auto ignored = [&](const NamePattern& pattern) { return pattern.matches(name); };
    if (std::ranges::any_of(mapping_.ignore, ignored)) return;
    throw InputError(fmt::format("{}: expected a rule of {} for each tensor, found none for '{}' [{}]",
                                 file_.string(), mapping_.path.string(), printable(name),
                                 fmt::join(tensor.sizes(), ", ")));
  }

  std::map<std::string, MappedTensor> take() {
    used_.resize(mapping_.tensors.size());
    const auto idle = std::ranges::find(used_, false);
    if (idle != used_.end()) {
      const auto& rule = mapping_.tensors[static_cast<std::size_t>(idle - used_.begin())];
      throw InputError(fmt::format("{}: expected a tensor of {} for each rule, found none for '{}'",
                                   rule.place, file_.string(), rule.from.expression()));
    }
    return std::move(ours_);
  }

 private:
  void add(const std::string& name, const Tensor& tensor, const TensorRule& rule) {
    const auto refuse = [&](const std::string& problem) {
      throw InputError(fmt::format("{}: '{}' by the rule of {}: {}", file_.string(), printable(name),
                                   rule.place, problem));
    };
    if (!tensor.is_floating_point())
      refuse(fmt::format("expected floating-point numbers, found {}", c10::toString(tensor.scalar_type())));
    auto numbers = tensor;
    if (rule.transform == TensorTransform::transposed) {
      if (tensor.dim() != 2) refuse(fmt::format("expected a matrix, found {} dimensions", tensor.dim()));
      numbers = tensor.t();
    } else if (rule.transform == TensorTransform::squeezed) {
      numbers = tensor.squeeze();
    }
    const auto parts = std::ssize(rule.to);
    if (numbers.dim() == 0 || numbers.size(0) % parts != 0 || numbers.numel() == 0)
      refuse(fmt::format("expected rows for {} parameters, found [{}]", parts,
                         fmt::join(numbers.sizes(), ", ")));
    const auto rows = numbers.size(0) / parts;
    for (std::int64_t i = 0; i < parts; ++i) {
      const auto ours = *rule.from.replace(name, rule.to[static_cast<std::size_t>(i)]);
      const auto part = numbers.narrow(0, i * rows, rows);
      const auto copy = part.to(torch::kFloat, /*non_blocking=*/false, /*copy=*/true).contiguous();
      if (!torch::isfinite(copy).all().item<bool>())
        refuse("expected finite numbers of fp32, found NaN, an infinity or more");
      const auto [place, is_new] = ours_.emplace(ours, MappedTensor{copy, name, rule.place});
      if (!is_new)
        refuse(fmt::format("expected one tensor for '{}', found '{}' as well", printable(ours),
                           printable(place->second.theirs)));
    }
  }

  const MappingFile& mapping_;
  const std::filesystem::path& file_;
  std::vector<bool> used_;
  std::map<std::string, MappedTensor> ours_;
};

}  // namespace
}  // namespace mapping

std::map<std::string, MappedTensor> apply_rules(const MappingFile& mapping,
                                                const std::map<std::string, torch::Tensor>& tensors,
                                                const std::filesystem::path& file) {
  mapping::Rules rules(mapping, file);
  for (const auto& [name, tensor] : tensors) rules.add(name, tensor);
  return rules.take();
}

}  // namespace transformer::formats
