# Finds Zstandard (older ones ship no CMake package) and defines Zstd::Zstd.
find_path(Zstd_INCLUDE_DIR zstd.h)
find_library(Zstd_LIBRARY zstd)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Zstd REQUIRED_VARS Zstd_LIBRARY Zstd_INCLUDE_DIR)
mark_as_advanced(Zstd_INCLUDE_DIR Zstd_LIBRARY)

if(Zstd_FOUND AND NOT TARGET Zstd::Zstd)
  add_library(Zstd::Zstd INTERFACE IMPORTED)
  target_include_directories(Zstd::Zstd SYSTEM INTERFACE ${Zstd_INCLUDE_DIR})
  target_link_libraries(Zstd::Zstd INTERFACE ${Zstd_LIBRARY})
endif()
