#include "transformer/nn/variants.h"

#include <ATen/CPUGeneratorImpl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "transformer/base/error.h"
#include "transformer/base/shared_library.h"
#include "transformer/nn/variant_parts.h"
#include "transformer/ops/tracing.h"

namespace transformer::nn {
namespace {

using variants::Choice;
using variants::Kind;
using variants::Part;

std::map<std::pair<Kind, std::string>, MakeVariant>& makers() {
  static std::map<std::pair<Kind, std::string>, MakeVariant> all;
  return all;
}

bool is_of_kind(const torch::nn::Module& module, Kind kind) {
  switch (kind) {
    case Kind::attention:
      return dynamic_cast<const AttentionVariant*>(&module) != nullptr;
    case Kind::feed_forward:
      return dynamic_cast<const FeedForwardVariant*>(&module) != nullptr;
    case Kind::norm:
      return dynamic_cast<const NormVariant*>(&module) != nullptr;
    case Kind::positions:
      return dynamic_cast<const PositionsVariant*>(&module) != nullptr;
    case Kind::optimizer:
    case Kind::schedule:
    case Kind::loss:
    case Kind::model:
      return false;
  }
  no_such_choice();
}

std::shared_ptr<torch::nn::Module> make(Kind kind, const std::string& name, const variants::Place& place,
                                        const variants::Values& values) {
  std::shared_ptr<torch::nn::Module> module;
  try {
    module = makers().at({kind, name})(place, values);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}: {}", variants::key_of(kind), name, error.what()));
  }
  if (!module || !is_of_kind(*module, kind))
    throw InputError(fmt::format("{}: {}: expected a module of the class for this key, found another",
                                 variants::key_of(kind), name));
  return module;
}

/// Leaves the caller's random numbers as they were.
std::int64_t count(Kind kind, const std::string& name, const variants::Place& place,
                   const variants::Values& values) {
  auto generator = at::detail::getDefaultCPUGenerator();
  const auto state = [&] {
    const std::lock_guard lock(generator.mutex());
    return generator.get_state().clone();
  }();
  std::int64_t numbers = 0;
  for (const auto& parameter : make(kind, name, place, values)->parameters()) numbers += parameter.numel();
  const std::lock_guard lock(generator.mutex());
  generator.set_state(state);
  return numbers;
}

/// As the variant's parameters are.
torch::Tensor in_its_type(const torch::nn::Module& variant, const torch::Tensor& x) {
  if (!x.defined() || !x.is_floating_point()) return x;
  const auto parameters = variant.parameters();
  return parameters.empty() ? x : x.to(parameters.front().scalar_type());
}

/// In the type of x, after a look at its shape. (A trace has no sizes to look at.)
torch::Tensor checked(const torch::Tensor& result, const torch::Tensor& x, Kind kind,
                      const torch::nn::Module& variant, at::IntArrayRef expected) {
  if (!ops::tracing() && result.sizes() != expected)
    throw RunError(fmt::format("{}: {}: expected a result of shape [{}], found [{}]", variants::key_of(kind),
                               variant.name(), fmt::join(expected, ", "), fmt::join(result.sizes(), ", ")));
  return result.to(x.scalar_type());
}

using Version = const char* (*)();
using Register = void (*)();

template <typename Function>
Function entry(void* library, const char* name, const std::string& file) {
  auto* found = dlsym(library, name);
  if (found == nullptr)
    throw InputError(
        fmt::format("{}: expected a plug-in, which TRANSFORMER_PLUGIN makes of a shared library, found one "
                    "without {}",
                    file, name));
  return reinterpret_cast<Function>(found);
}

}  // namespace

AttentionVariant::~AttentionVariant() = default;
FeedForwardVariant::~FeedForwardVariant() = default;
NormVariant::~NormVariant() = default;
PositionsVariant::~PositionsVariant() = default;

void add_variant(Kind kind, variants::Declaration declaration, MakeVariant maker) {
  const auto name = declaration.name;
  variants::add(kind, std::move(declaration),
                [kind, name](const variants::Place& place, const variants::Values& values) {
                  return count(kind, name, place, values);
                });
  makers().emplace(std::pair{kind, name}, std::move(maker));
}

void load_plugin(const std::string& file) {
  const auto path = std::filesystem::absolute(file);  // a bare name would be looked for elsewhere
  if (!std::filesystem::is_regular_file(path))
    throw InputError(fmt::format("{}: expected a shared library, found {}", file,
                                 std::filesystem::exists(path) ? "something else" : "nothing of that name"));
  expect_whole_library(file);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw InputError(fmt::format("{}: expected a shared library for {}, found one that cannot be loaded: {}",
                                 file, TRANSFORMER_PLUGIN_VERSION, dlerror()));
  const auto version = std::string(entry<Version>(library, "transformer_plugin_version", file)());
  if (version != TRANSFORMER_PLUGIN_VERSION)
    throw InputError(fmt::format("{}: expected a plug-in that was compiled for {}, found one for {}", file,
                                 TRANSFORMER_PLUGIN_VERSION, version));
  const auto add = entry<Register>(library, "transformer_plugin_register", file);
  try {
    add();
  } catch (const std::exception& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
}

torch::Tensor apply_variant(AttentionVariant& variant, const torch::Tensor& query, const torch::Tensor& key,
                            const torch::Tensor& value, const torch::Tensor& mask,
                            const torch::Tensor& bias) {
  const auto result = variant.forward(in_its_type(variant, query), in_its_type(variant, key),
                                      in_its_type(variant, value), mask, in_its_type(variant, bias));
  return checked(result, query, Kind::attention, variant,
                 {query.size(0), query.size(1), query.size(2), value.size(3)});
}

torch::Tensor weights_of_variant(AttentionVariant& variant, const torch::Tensor& query,
                                 const torch::Tensor& key, const torch::Tensor& value,
                                 const torch::Tensor& mask, const torch::Tensor& bias) {
  const torch::NoGradGuard none;
  const auto exact = [](const torch::Tensor& x) {
    return x.defined() && x.scalar_type() != torch::kDouble ? x.to(torch::kFloat) : x;
  };
  const auto result = [&](const torch::Tensor& values) {
    return apply_variant(variant, exact(query), exact(key), values, mask, exact(bias));
  };
  const auto own = exact(value);
  const auto keys = own.size(2), width = own.size(3);
  std::vector<torch::Tensor> weights;  // as many keys at a time as a value has numbers
  for (std::int64_t first = 0; first < keys; first += width) {
    auto unit = torch::zeros({keys, width}, own.options());
    const auto some = std::min(width, keys - first);
    unit.slice(0, first, first + some).slice(1, 0, some).copy_(torch::eye(some, own.options()));
    weights.push_back(result(unit.expand_as(own)).slice(-1, 0, some));
  }
  auto all = torch::cat(weights, -1);
  const auto expected = result(own);
  const auto apart = (torch::matmul(all, own) - expected).abs().max().item<double>();
  if (!(apart <= 1e-3 * std::max(1.0, expected.abs().max().item<double>())))
    throw InputError(fmt::format(
        "{}: expected attention whose result is a sum of the values by weights, which can be shown, "
        "found another: its results differ from such a sum by {:.1e}",
        variants::key_of(Kind::attention), apart));
  return all;
}

torch::Tensor apply_variant(FeedForwardVariant& variant, const torch::Tensor& x) {
  if (x.dim() == 2) return apply_variant(variant, x.unsqueeze(0)).squeeze(0);  // packed
  return checked(variant.forward(in_its_type(variant, x)), x, Kind::feed_forward, variant, x.sizes());
}

torch::Tensor apply_variant(NormVariant& variant, const torch::Tensor& x) {
  return checked(variant.forward(in_its_type(variant, x)), x, Kind::norm, variant, x.sizes());
}

torch::Tensor add_vectors(PositionsVariant& variant, const torch::Tensor& x, const torch::Tensor& positions) {
  const auto rows = positions.reshape({-1});  // (T), or (1) for all of x
  return x + checked(variant.forward(rows), x, Kind::positions, variant, {rows.size(0), x.size(-1)});
}

template <typename Variant>
std::shared_ptr<Variant> make_variant(const Part& part) {
  constexpr auto kind = kind_of_variant<Variant>();
  const auto values = variants::values_of(part.choice, kind);
  return std::dynamic_pointer_cast<Variant>(make(kind, part.choice.name, part.place, values));
}

template std::shared_ptr<AttentionVariant> make_variant(const Part&);
template std::shared_ptr<FeedForwardVariant> make_variant(const Part&);
template std::shared_ptr<NormVariant> make_variant(const Part&);
template std::shared_ptr<PositionsVariant> make_variant(const Part&);

void check_has_weights(const Part& attention) {
  for (const auto role : {variants::Role::encoder, variants::Role::decoder, variants::Role::source}) {
    auto part = attention;
    part.place.role = role;
    const auto variant = make_variant<AttentionVariant>(part);
    variant->eval();
    const auto rows = [&](std::int64_t width) { return torch::randn({1, part.place.heads, 3, width}); };
    weights_of_variant(*variant, rows(part.place.d_k), rows(part.place.d_k), rows(part.place.d_v), {}, {});
  }
}

}  // namespace transformer::nn
