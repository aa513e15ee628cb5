#include "transformer/kernels/row_attention.h"

#include <torch/torch.h>

#include "tests/catch.h"
#include "tests/kernels/levels.h"

namespace transformer::kernels {

using test::floats;

TEST_CASE("attention over named rows of a cache is softmax(q kᵀ) v") {
  torch::manual_seed(1);
  for (const auto isa : test::levels()) {
    for (const auto& [heads, kv_heads, key_size, value_size] : {std::tuple{1, 1, 16, 16},
                                                                {4, 4, 64, 64},
                                                                {2, 2, 32, 80},
                                                                {3, 3, 128, 16},
                                                                {8, 8, 64, 64},
                                                                {6, 2, 16, 80},
                                                                {4, 1, 32, 16}}) {
      for (const std::int64_t count : {1, 2, 3, 7, 16, 17, 40, 100}) {
        INFO("level " << static_cast<int>(isa) << ", " << heads << " heads of " << key_size << " and "
                      << value_size << ", " << kv_heads << " of keys, " << count << " rows");
        const std::int64_t keys_width = kv_heads * key_size;
        const auto stride = kv_heads * (key_size + value_size) + 3;
        const auto cache = torch::randn({120, stride}), query = torch::randn({heads, key_size});
        const auto rows = torch::randperm(120).slice(0, 0, count).to(torch::kInt).contiguous();
        const auto scores = torch::empty({heads * (count + 16)}), y = torch::empty({heads, value_size});
        RowAttention attention{.heads = heads,
                               .key_size = key_size,
                               .value_size = value_size,
                               .kv_heads = kv_heads,
                               .query = floats(query),
                               .keys = floats(cache),
                               .values = floats(cache) + kv_heads * key_size,
                               .stride = stride,
                               .rows = rows.data_ptr<std::int32_t>(),
                               .count = count,
                               .scores = floats(scores),
                               .y = floats(y)};
        row_attention(isa).attend(attention);
        const auto named = cache.index_select(0, rows).to(torch::kDouble);
        const auto of_readers = [&, readers = heads / kv_heads](std::int64_t first, std::int64_t size) {
          const auto own = named.slice(1, first, first + kv_heads * size).reshape({count, -1, size});
          return own.repeat_interleave(readers, 1);
        };
        const auto keys = of_readers(0, key_size), values = of_readers(keys_width, value_size);
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
