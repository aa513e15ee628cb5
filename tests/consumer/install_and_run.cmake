# Run by ctest with -D build, work, project, generator, compiler, launcher, build_type, sanitize, libtorch.
set(flags "")
if(sanitize)
  set(flags "-fsanitize=${sanitize}")
endif()
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
