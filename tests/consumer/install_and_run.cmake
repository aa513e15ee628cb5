# Run by ctest with -D build, work, project, generator, compiler, launcher, build_type, sanitize, libtorch.
set(flags "")
if(sanitize)
  set(flags "-fsanitize=${sanitize}")
endif()
file(REMOVE_RECURSE ${work}/prefix/include)  # of an earlier version
execute_process(
  COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(  # in an environment that does not lead it to its libraries
  COMMAND ${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH ${work}/prefix/bin/transformer-inspect --help
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${project} -B ${work}/build -G ${generator}
    -D CMAKE_PREFIX_PATH=${work}/prefix -D CMAKE_CXX_COMPILER=${compiler}
    -D "CMAKE_CXX_COMPILER_LAUNCHER=${launcher}" -D CMAKE_BUILD_TYPE=${build_type}
    -D "CMAKE_CXX_FLAGS=${flags}" -D LIBTORCH=${libtorch}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${work}/build COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${work}/build/consumer COMMAND_ERROR_IS_FATAL ANY)

# The headers that are installed are those that transformer/transformer.h reaches, by the word of the preprocessor.
execute_process(
  COMMAND ${compiler} -std=c++20 -MM -MG -I ${work}/prefix/include ${project}/main.cpp
  OUTPUT_VARIABLE reached COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE installed RELATIVE ${work}/prefix/include ${work}/prefix/include/*)
string(REGEX MATCHALL "[^ ]*/prefix/include/[^ \n]+" reached "${reached}")
list(TRANSFORM reached REPLACE ".*/prefix/include/" "")
list(SORT installed)
list(SORT reached)
if(NOT installed STREQUAL reached)
  message(FATAL_ERROR "headers: expected\n${reached}\nfound\n${installed}")
endif()
