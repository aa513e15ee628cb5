#include "transformer/nn/variant_check.h"

#include <fmt/format.h>
#include <torch/utils.h>

#include <functional>

#include "transformer/nn/check_list.h"
#include "transformer/nn/variant_parts.h"
#include "transformer/runtime/cuda.h"

namespace transformer::nn {
namespace {

using torch::Tensor;
using variants::Kind;
using variants::Role;

using Tensors = std::vector<std::pair<std::string, Tensor>>;
using Function = CheckedFunction;

constexpr variants::Place kPlace{.d_model = 12, .d_ff = 20, .heads = 3, .d_k = 4, .d_v = 6};
constexpr std::int64_t kKeys = 5, kPadding = 2;  // of the second of two sentences
constexpr double kTolerance = 1e-4;              // relative; of what is computed in fp32 on the way, too

const char* name_of(Role role) {
  switch (role) {
    case Role::encoder:
      return "encoder";
    case Role::decoder:
      return "decoder";
    case Role::source:
      return "over the source";
  }
  no_such_choice();
}

Tensor numbers(at::IntArrayRef shape) {
  return torch::randn(shape, torch::kDouble);
}

/// In fp64 and evaluation mode; no gradient hides behind a parameter that begins at 0.
template <typename Variant>
std::shared_ptr<Variant> ready(const variants::Part& part) {
  auto variant = make_variant<Variant>(part);
  variant->to(torch::kDouble);
  variant->eval();
  const torch::NoGradGuard none;
  for (auto& parameter : variant->parameters()) parameter.add_(0.1 * torch::randn_like(parameter));
  return variant;
}

/// What holds for all kinds.
void check_result(CheckList& checks, const Function& function, const std::vector<Tensor>& inputs,
                  const std::vector<Tensor>& parameters) {
  checks.add("shape, and the same a second time", [&] {
    const torch::NoGradGuard none;
    const auto result = function(inputs);
    if (!result.isfinite().all().item<bool>())
      throw std::runtime_error("expected finite numbers, found others");
    return difference(function(inputs), result);
  });
  checks.add("gradients", [&] { return worst_gradient(function, inputs, parameters); });
}

/// Of attention in one of its roles.
class AttentionCheck {
 public:
  AttentionCheck(const variants::Choice& choice, Role role)
      : role_(role), checks_(fmt::format("attention, {}", name_of(role)), kTolerance) {
    auto place = kPlace;
    place.role = role;
    variant_ = ready<AttentionVariant>({choice, place});
    const auto queries = variants::is_self_attention(role) ? kKeys : kKeys - 1;
    query_ = numbers({2, place.heads, queries, place.d_k});
    key_ = numbers({2, place.heads, kKeys, place.d_k});
    value_ = numbers({2, place.heads, kKeys, place.d_v});
    if (role == Role::decoder) {
      mask_ = torch::ones({1, 1, kKeys, kKeys}, torch::kBool).tril();
    } else {
      mask_ = torch::ones({2, 1, 1, kKeys}, torch::kBool);
      mask_[1].slice(-1, kKeys - kPadding).fill_(false);
    }
  }

  std::vector<VariantCheck> run() {
    const auto parameters = variant_->parameters();
    check_result(
        checks_,
        [&](const std::vector<Tensor>& x) { return apply_variant(*variant_, x[0], x[1], x[2], mask_, {}); },
        {query_, key_, value_}, parameters);
    const torch::NoGradGuard none;
    checks_.add(role_ == Role::decoder ? "step by step as at once" : "alone as beside others",
                [&] { return alone(); });
    checks_.add("what the mask forbids moves nothing", [&] { return moved_by_forbidden(); });
    checks_.add("finite where the mask forbids all", [&] {
      auto mask = torch::ones({2, 1, query_.size(2), kKeys}, torch::kBool);
      mask[1][0][0].fill_(false);
      const bool finite =
          apply_variant(*variant_, query_, key_, value_, mask, {}).isfinite().all().item<bool>();
      if (!finite) throw std::runtime_error("expected finite numbers, found others");
      return 0.0;
    });
    return checks_.take();
  }

 private:
  Tensor whole() { return apply_variant(*variant_, query_, key_, value_, mask_, {}); }

  double alone() {
    const auto expected = whole();
    double worst = 0;
    const auto compare = [&](const Tensor& found, const Tensor& part) {
      worst = std::max(worst, difference(found, part));
    };
    const auto queries = query_.size(2);
    switch (role_) {
      case Role::decoder:
        for (std::int64_t t = 0; t < queries; ++t)
          compare(apply_variant(*variant_, query_.slice(2, t, t + 1), key_.slice(2, 0, t + 1),
                                value_.slice(2, 0, t + 1), {}, {}),
                  expected.slice(2, t, t + 1));
        break;
      case Role::source:
        for (std::int64_t t = 0; t < queries; ++t)
          compare(apply_variant(*variant_, query_.slice(2, t, t + 1), key_, value_, mask_, {}),
                  expected.slice(2, t, t + 1));
        break;
      case Role::encoder: {
        const auto length = kKeys - kPadding;
        const auto own = [&](const Tensor& x) { return x.slice(0, 1, 2).slice(2, 0, length); };
        compare(apply_variant(*variant_, own(query_), own(key_), own(value_), {}, {}), own(expected));
      }
    }
    return worst;
  }

  double moved_by_forbidden() {
    const auto expected = whole();
    // The last keys: padding of the second sentence, or what earlier positions have not read.
    const auto last = kKeys - (role_ == Role::decoder ? 1 : kPadding);
    const auto moved = [&](const Tensor& x) {
      auto other = x.clone();
      other[1].slice(1, last).add_(100);
      return other;
    };
    const auto found = apply_variant(*variant_, query_, moved(key_), moved(value_), mask_, {});
    const auto unmoved = role_ == Role::source ? query_.size(2) : last;
    return difference(found.slice(2, 0, unmoved), expected.slice(2, 0, unmoved));
  }

  Role role_;
  CheckList checks_;
  std::shared_ptr<AttentionVariant> variant_;
  Tensor query_, key_, value_, mask_;
};

/// For variants that compute each row alone: compares x (1, T, D) as a whole with its rows one by one.
template <typename Variant>
std::vector<VariantCheck> check_rows(const variants::Choice& choice, Kind kind) {
  const auto variant = ready<Variant>({choice, kPlace});
  CheckList checks(variants::name_of(kind), kTolerance);
  const auto x = numbers({1, kKeys, kPlace.d_model});
  const auto function = [&](const std::vector<Tensor>& inputs) { return apply_variant(*variant, inputs[0]); };
  check_result(checks, function, {x}, variant->parameters());
  checks.add("each row alone", [&] {
    const torch::NoGradGuard none;
    const auto expected = function({x});
    double worst = 0;
    for (std::int64_t t = 0; t < kKeys; ++t)
      worst = std::max(worst, difference(function({x.slice(1, t, t + 1)}), expected.slice(1, t, t + 1)));
    return worst;
  });
  return checks.take();
}

std::vector<VariantCheck> check_positions(const variants::Choice& choice) {
  const auto variant = ready<PositionsVariant>({choice, kPlace});
  CheckList checks(variants::name_of(Kind::positions), kTolerance);
  const auto x = torch::zeros({1, kKeys, kPlace.d_model}, torch::kDouble);
  const auto at = [&](std::int64_t first, std::int64_t count) {
    return add_vectors(*variant, x.slice(1, 0, count), torch::arange(first, first + count));
  };
  check_result(
      checks, [&](const std::vector<Tensor>&) { return at(0, kKeys); }, {}, variant->parameters());
  checks.add("each position alone", [&] {
    const torch::NoGradGuard none;
    const auto expected = at(0, kKeys);
    double worst = 0;
    for (std::int64_t t = 0; t < kKeys; ++t)
      worst = std::max(worst, difference(at(t, 1), expected.slice(1, t, t + 1)));
    return worst;
  });
  return checks.take();
}

}  // namespace

std::vector<VariantCheck> check_variant(const variants::Choice& choice, Kind kind) {
  runtime::seed_generators(1);
  switch (kind) {
    case Kind::attention: {
      std::vector<VariantCheck> all;
      for (const auto role : {Role::encoder, Role::decoder, Role::source})
        for (auto& check : AttentionCheck(choice, role).run()) all.push_back(std::move(check));
      return all;
    }
    case Kind::feed_forward:
      return check_rows<FeedForwardVariant>(choice, kind);
    case Kind::norm:
      return check_rows<NormVariant>(choice, kind);
    case Kind::positions:
      return check_positions(choice);
    case Kind::optimizer:
    case Kind::schedule:
    case Kind::loss:
    case Kind::model:
      throw std::invalid_argument("check_variant: expected a part of a model");
  }
  no_such_choice();
}

}  // namespace transformer::nn
