#include "transformer/runtime/cuda.h"

#include <ATen/Context.h>
#include <dlfcn.h>

#include "tests/catch.h"
#include "tests/cuda.h"
#include "tests/temporary_folder.h"

namespace transformer::runtime {
namespace {

/// The loader's words about a file of that name.
std::string words_about(const std::string& file) {
  REQUIRE(dlopen(file.c_str(), RTLD_NOW) == nullptr);
  return dlerror();
}

TEST_CASE("libraries that are not there are told from libraries that cannot be loaded") {
  const test::TemporaryFolder folder;
  const auto missing = words_about("libsurely_missing.so.7");
  for (const bool driver : {false, true}) {
    const auto found = not_loaded(missing, driver);
    CHECK(found.devices == 0);
    CHECK_THAT(found.problem, ContainsSubstring("not installed: libsurely_missing.so.7: ") &&
                                  ContainsSubstring("./dev setup --gpu"));
    CHECK(found.unexpected == driver);  // without a GPU nobody misses them
  }
  const auto broken = words_about(folder.write("libbroken.so", "no library"));
  const auto found = not_loaded(broken, false);
  CHECK_THAT(found.problem, ContainsSubstring("cannot be loaded: ") && ContainsSubstring(broken) &&
                                ContainsSubstring("install them anew"));
  CHECK(found.unexpected);
}

TEST_CASE("without a device, CUDA's own words say why") {
  const auto found = no_device("Found no NVIDIA driver on your system.", false);
  CHECK(found.problem == "CUDA finds no device: Found no NVIDIA driver on your system. (use --device cpu)");
  CHECK_FALSE(found.unexpected);
  CHECK(no_device("The NVIDIA driver on your system is too old", true).unexpected);
}

TEST_CASE("what this machine has is said, and loaded once") {
  const auto& cuda = load_cuda();
  CHECK(&cuda == &load_cuda());
  CHECK(cuda.problem.empty() == (cuda.devices > 0));
  CHECK((cuda.devices > 0) == test::has_cuda);
  if (test::has_cuda) CHECK_FALSE(at::globalContext().userEnabledCuDNNSDP());
}

TEST_CASE("seeded generators repeat themselves") {
  seed_generators(5);
  const auto first = torch::rand({4});
  seed_generators(5);
  CHECK(torch::rand({4}).equal(first));
  CHECK_FALSE(chose_device_too_late());  // tests/cuda.h was first
}

}  // namespace
}  // namespace transformer::runtime
