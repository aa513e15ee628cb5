# Flags that every target of this project shares: warnings and sanitizers.
add_library(transformer_settings INTERFACE)
target_compile_features(transformer_settings INTERFACE cxx_std_20)
target_compile_options(transformer_settings INTERFACE -Wall -Wextra)
if(TRANSFORMER_WARNINGS_AS_ERRORS)
  target_compile_options(transformer_settings INTERFACE -Werror)
endif()
if(TRANSFORMER_SANITIZE)
  # vptr is left out: it wants the type information of LibTorch's hidden classes.
  target_compile_options(transformer_settings INTERFACE
    -fsanitize=${TRANSFORMER_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Instrumented code makes gcc suspect variables that are set, even in the standard library.
  target_compile_options(transformer_settings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  # The address sanitizer sees these faults at the access itself. Checks before each access take a third of
  # the compiler's time.
  if(TRANSFORMER_SANITIZE MATCHES address.*undefined)
    target_compile_options(transformer_settings INTERFACE -fno-sanitize=null,object-size,pointer-overflow)
  endif()
  target_compile_definitions(transformer_settings INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(transformer_settings INTERFACE -fsanitize=${TRANSFORMER_SANITIZE})
endif()

# ccache, where it is installed; what it must overlook so that precompiled headers do not defeat it.
find_program(TRANSFORMER_CCACHE ccache)
mark_as_advanced(TRANSFORMER_CCACHE)
if(PROJECT_IS_TOP_LEVEL AND TRANSFORMER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${TRANSFORMER_CCACHE})
endif()
