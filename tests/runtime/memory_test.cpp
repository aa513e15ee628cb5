#include "transformer/runtime/memory.h"

#include <torch/torch.h>

#include <cstring>
#include <new>
#include <stdexcept>

#include "tests/catch.h"
#include "transformer/base/large_memory.h"

using namespace transformer;

TEST_CASE("tensors lie in the memory that is kept") {
  runtime::keep_freed_memory();
  const auto before = large_memory_use();
  const void* place = nullptr;
  {
    const auto x = torch::empty({1 << 20});  // 4 MiB
    place = x.const_data_ptr();
    CHECK(large_memory_use().in_use >= before.in_use + (4 << 20));
  }
  CHECK(large_memory_use().in_use == before.in_use);
  CHECK(torch::empty({1 << 20}).const_data_ptr() == place);
  CHECK_THROWS_AS(torch::empty({std::int64_t{1} << 55}), c10::OutOfMemoryError);
  CHECK(torch::empty({1 << 20}).const_data_ptr() == place);
}

TEST_CASE("a shortage of memory is known by whoever reports it") {
  const auto reported = [](const std::string& words) {
    return runtime::is_out_of_memory(std::runtime_error(words));
  };
  CHECK(runtime::is_out_of_memory(std::bad_alloc()));
  CHECK(runtime::is_out_of_memory(
      c10::OutOfMemoryError({__func__, __FILE__, __LINE__}, "CUDA out of memory.")));
  CHECK(reported("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"));
  CHECK(reported("CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported"));
  CHECK(reported("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"));
  CHECK(reported("cuDNN error: CUDNN_STATUS_ALLOC_FAILED"));
  CHECK(reported("cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"));
  CHECK(reported("cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED"));
  try {
    TORCH_CHECK(false, "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`");
  } catch (const c10::Error& error) {
    CHECK(runtime::is_out_of_memory(error));
  }
  CHECK_FALSE(reported("CUDA error: an illegal memory access was encountered"));
  CHECK_FALSE(reported("CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasGemmEx`"));
  CHECK_FALSE(reported("out of range"));
}

TEST_CASE("small, empty and resized tensors keep their values") {
  runtime::keep_freed_memory();
  CHECK(torch::empty({0}).numel() == 0);
  auto x = torch::arange(10);
  x.resize_({100000});
  CHECK(x[9].item<std::int64_t>() == 9);
  std::vector<torch::Tensor> many;
  for (std::int64_t i = 0; i < 2000; ++i) many.push_back(torch::full({i % 50 + 1}, i));
  for (std::int64_t i = 0; i < 2000; ++i) CHECK(many[static_cast<std::size_t>(i)].eq(i).all().item<bool>());
}
