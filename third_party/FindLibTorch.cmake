# Finds LibTorch and defines the imported target LibTorch::LibTorch.
#
# Looked for in this order: the CMake variable or environment variable LIBTORCH, CMAKE_PREFIX_PATH,
# an importable Python torch, and the folder that `./dev setup` fills.
# TorchConfig.cmake is not used: that of a CUDA wheel demands a CUDA toolkit even for programs that
# only need its CPU libraries. Programs open libtorch_cuda.so at run time instead (transformer/runtime/device.h).
set(_libtorch_hints ${LIBTORCH} $ENV{LIBTORCH} ${CMAKE_PREFIX_PATH})
string(REPLACE ":" ";" _libtorch_env_prefixes "$ENV{CMAKE_PREFIX_PATH}")
list(APPEND _libtorch_hints ${_libtorch_env_prefixes})

find_path(LibTorch_INCLUDE_DIR torch/script.h HINTS ${_libtorch_hints} PATH_SUFFIXES include NO_DEFAULT_PATH)
if(NOT LibTorch_INCLUDE_DIR)
  execute_process(
    COMMAND python3 -c "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
    OUTPUT_VARIABLE _libtorch_python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  find_path(LibTorch_INCLUDE_DIR torch/script.h
            HINTS ${_libtorch_python} ${PROJECT_SOURCE_DIR}/.deps/libtorch/torch PATH_SUFFIXES include)
endif()
get_filename_component(LibTorch_ROOT "${LibTorch_INCLUDE_DIR}" DIRECTORY)
find_library(LibTorch_CPU_LIBRARY torch_cpu HINTS ${LibTorch_ROOT}/lib NO_DEFAULT_PATH)
find_library(LibTorch_C10_LIBRARY c10 HINTS ${LibTorch_ROOT}/lib NO_DEFAULT_PATH)

# Newer versions keep the numbers in the first of these files, older ones in the second.
foreach(_libtorch_file torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
  if(NOT LibTorch_VERSION AND EXISTS ${LibTorch_INCLUDE_DIR}/${_libtorch_file})
    file(STRINGS ${LibTorch_INCLUDE_DIR}/${_libtorch_file} _libtorch_version
         REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
    string(REGEX MATCHALL "[0-9]+" _libtorch_version "${_libtorch_version}")
    string(REPLACE ";" "." LibTorch_VERSION "${_libtorch_version}")
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_DIR
  VERSION_VAR LibTorch_VERSION)
mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY)

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  add_library(LibTorch::c10 SHARED IMPORTED)
  set_target_properties(LibTorch::c10 PROPERTIES IMPORTED_LOCATION ${LibTorch_C10_LIBRARY})
  add_library(LibTorch::LibTorch SHARED IMPORTED)
  set_target_properties(LibTorch::LibTorch PROPERTIES IMPORTED_LOCATION ${LibTorch_CPU_LIBRARY})
  # LibTorch's headers lie beside a newer fmt whose library the wheel does not export. The system's, which
  # spdlog and we link, has to be found before it.
  find_package(fmt QUIET)
  if(TARGET fmt::fmt)
    get_target_property(_libtorch_fmt fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
    list(GET _libtorch_fmt 0 _libtorch_fmt)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/fmt_of_the_system)
    file(CREATE_LINK ${_libtorch_fmt}/fmt ${CMAKE_BINARY_DIR}/fmt_of_the_system/fmt SYMBOLIC)
    target_include_directories(LibTorch::LibTorch SYSTEM INTERFACE
      ${CMAKE_BINARY_DIR}/fmt_of_the_system)
  endif()
  target_include_directories(LibTorch::LibTorch SYSTEM INTERFACE
    ${LibTorch_INCLUDE_DIR} ${LibTorch_INCLUDE_DIR}/torch/csrc/api/include)
  target_link_libraries(LibTorch::LibTorch INTERFACE LibTorch::c10)
endif()
