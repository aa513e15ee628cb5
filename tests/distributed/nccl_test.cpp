#include "transformer/distributed/nccl.h"

#include "tests/catch.h"

namespace transformer::distributed {
namespace {

TEST_CASE("types have the numbers of nccl.h") {
  CHECK(Nccl::type_of(torch::kByte) == 1);
  CHECK(Nccl::type_of(torch::kInt) == 2);
  CHECK(Nccl::type_of(torch::kLong) == 4);
  CHECK(Nccl::type_of(torch::kHalf) == 6);
  CHECK(Nccl::type_of(torch::kFloat) == 7);
  CHECK(Nccl::type_of(torch::kDouble) == 8);
  CHECK(Nccl::type_of(torch::kBFloat16) == 9);
  CHECK_FALSE(Nccl::type_of(torch::kBool));
  CHECK(sizeof(Nccl::UniqueId) == 128);
}

TEST_CASE("a library that is absent, or is no NCCL, is a problem with its name") {
  CHECK_THAT(load_nccl("libnowhere.so").problem, ContainsSubstring("libnowhere.so"));
  CHECK(load_nccl("libm.so.6").problem ==
        "libm.so.6: expected the functions of NCCL, found no ncclGetUniqueId");
}

TEST_CASE("NCCL itself has all functions, where it is installed") {
  const auto loaded = load_nccl("libnccl.so.2");
  if (!loaded.functions.get_unique_id) return;
  CHECK(loaded.problem.empty());
  CHECK(loaded.functions.error_text(Nccl::kSuccess) != nullptr);
}

}  // namespace
}  // namespace transformer::distributed
