#include "transformer/kernels/row_attention.h"

#include <torch/torch.h>

#include "tests/catch.h"
#include "tests/kernels/levels.h"

namespace transformer::kernels {

using test::floats;

TEST_CASE("attention over named rows of a cache is softmax(q kᵀ) v") {
  torch::manual_seed(1);
  for (const auto isa : test::levels()) {
    for (const auto& [heads, key_size, value_size] :
         {std::tuple{1, 16, 16}, {4, 64, 64}, {2, 32, 80}, {3, 128, 16}, {8, 64, 64}}) {
      for (const std::int64_t count : {1, 2, 3, 7, 16, 17, 40, 100}) {
        INFO("level " << static_cast<int>(isa) << ", " << heads << " heads of " << key_size << " and "
                      << value_size << ", " << count << " rows");
        const auto stride = heads * (key_size + value_size) + 3;
        const auto cache = torch::randn({120, stride}), query = torch::randn({heads, key_size});
        const auto rows = torch::randperm(120).slice(0, 0, count).to(torch::kInt).contiguous();
        const auto scores = torch::empty({heads * (count + 16)}), y = torch::empty({heads, value_size});
        RowAttention attention{heads,         key_size,
                               value_size,    floats(query),
                               floats(cache), floats(cache) + heads * key_size,
                               stride,        rows.data_ptr<std::int32_t>(),
                               count,         floats(scores),
                               floats(y)};
        row_attention(isa).attend(attention);
        const auto named = cache.index_select(0, rows).to(torch::kDouble);
        const auto keys = named.slice(1, 0, heads * key_size).view({count, heads, key_size});
        const auto values = named.slice(1, heads * key_size, heads * (key_size + value_size))
                                .view({count, heads, value_size});
        const auto products = torch::einsum("hk,chk->hc", {query.to(torch::kDouble), keys});
        const auto mixed = [&](const torch::Tensor& of) {
          return torch::einsum("hc,chv->hv", {torch::softmax(of, 1), values});
        };
        CHECK(torch::allclose(y.to(torch::kDouble), mixed(products), 1e-5, 1e-5));
        const auto bias = torch::randn({heads, count + 5});
        attention.bias = floats(bias) + 2;
        attention.bias_stride = count + 5;
        row_attention(isa).attend(attention);
        const auto biased = mixed(products + bias.slice(1, 2, 2 + count).to(torch::kDouble));
        CHECK(torch::allclose(y.to(torch::kDouble), biased, 1e-5, 1e-5));
      }
    }
  }
}

}  // namespace transformer::kernels
