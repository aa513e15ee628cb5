# ctest runs this with -D example, tests, library, build, work, source, generator, compiler, launcher,
# build_type, sanitize, libtorch, after install_and_run.cmake. It builds examples/EXAMPLE with the installed
# package. Then TEST_test.sh of each of `tests` tries it with the installed programs. These scripts translate
# with the program that install_and_run.cmake built.
set(flags "")
if(sanitize)
  set(flags "-fsanitize=${sanitize}")
endif()
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${source}/examples/${example} -B ${work}/${example} -G ${generator}
    -D CMAKE_PREFIX_PATH=${work}/prefix -D CMAKE_CXX_COMPILER=${compiler}
    -D "CMAKE_CXX_COMPILER_LAUNCHER=${launcher}" -D CMAKE_BUILD_TYPE=${build_type}
    -D "CMAKE_CXX_FLAGS=-Wall -Wextra -Werror -fvisibility=hidden ${flags}" -D LIBTORCH=${libtorch}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${work}/${example} COMMAND_ERROR_IS_FATAL ANY)
set(library ${work}/${example}/lib${library}.so)
set(ENV{PATH} "${work}/prefix/bin:${work}/build:${build}/bin:$ENV{PATH}")
foreach(test ${tests})
  execute_process(
    COMMAND bash ${source}/tests/consumer/${test}_test.sh ${source} ${library}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
