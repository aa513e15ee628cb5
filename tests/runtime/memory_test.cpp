#include "transformer/runtime/memory.h"

#include <torch/torch.h>

#include <cstring>
#include <new>
#include <stdexcept>

#include "tests/catch.h"

using namespace transformer;

TEST_CASE("memory that tensors give back is used again, and what is kept is bounded") {
  runtime::keep_freed_memory();
  const auto before = runtime::memory_use();
  const void* place = nullptr;
  {
    const auto x = torch::empty({1 << 20});  // 4 MiB
    place = x.const_data_ptr();
    CHECK(reinterpret_cast<std::uintptr_t>(place) % 64 == 0);
    CHECK(runtime::memory_use().in_use >= before.in_use + (4 << 20));
  }
  CHECK(runtime::memory_use().in_use == before.in_use);
  CHECK(runtime::memory_use().kept >= before.kept + (4 << 20));
  CHECK(torch::empty({1 << 20}).const_data_ptr() == place);
  CHECK(torch::empty({(1 << 20) - 5000}).const_data_ptr() == place);

  // Ever new sizes.
  for (std::int64_t i = 1; i <= 200; ++i) CHECK(torch::full({i << 16}, 1.0F).sum().item<float>() == i << 16);
  const auto after = runtime::memory_use();
  CHECK(after.in_use + after.kept <= after.most + after.most / 4);
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
