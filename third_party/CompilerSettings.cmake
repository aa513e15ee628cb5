# Flags that every target of this project shares: warnings and sanitizers.
add_library(transformer_settings INTERFACE)
target_compile_features(transformer_settings INTERFACE cxx_std_20)
target_compile_options(transformer_settings INTERFACE -Wall -Wextra)
if(TRANSFORMER_WARNINGS_AS_ERRORS)
  target_compile_options(transformer_settings INTERFACE -Werror)
endif()
if(TRANSFORMER_SANITIZE)
  target_compile_options(transformer_settings INTERFACE
                         -fsanitize=${TRANSFORMER_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(transformer_settings INTERFACE -fsanitize=${TRANSFORMER_SANITIZE})
endif()
