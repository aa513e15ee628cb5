# Where each third-party library comes from. Everything is found, nothing is vendored:
# LibTorch by FindLibTorch.cmake, the rest from the system's packages.
# What the library needs stands in transformerConfig.cmake.in once more, for those who use it installed.
find_package(Threads REQUIRED)
find_package(LibTorch 2.7 REQUIRED)
find_package(SentencePiece REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(spdlog REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ICU REQUIRED COMPONENTS uc)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(ZLIB REQUIRED)
find_package(Zstd REQUIRED)
find_package(LibArchive REQUIRED)
if(TRANSFORMER_BUILD_APPS)
  find_package(CLI11 REQUIRED)
endif()
if(TRANSFORMER_BUILD_TESTS)
  find_package(Catch2 REQUIRED)
endif()

# yaml-cpp renamed its target in 0.8.
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
