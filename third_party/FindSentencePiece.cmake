# Finds SentencePiece (it ships no CMake package) and defines SentencePiece::SentencePiece.
#
# It must be loaded before LibTorch: both libraries define FLAGS_minloglevel, SentencePiece's is the larger one, and the
# first definition serves both. The other way round SentencePiece overwrites a lock of libc10. So it is named among the
# options too, which stand before all libraries.
find_path(SentencePiece_INCLUDE_DIR sentencepiece_processor.h)
find_library(SentencePiece_LIBRARY sentencepiece)
find_library(SentencePiece_TRAIN_LIBRARY sentencepiece_train)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SentencePiece
  REQUIRED_VARS SentencePiece_LIBRARY SentencePiece_TRAIN_LIBRARY SentencePiece_INCLUDE_DIR)
mark_as_advanced(SentencePiece_INCLUDE_DIR SentencePiece_LIBRARY SentencePiece_TRAIN_LIBRARY)

if(SentencePiece_FOUND AND NOT TARGET SentencePiece::SentencePiece)
  add_library(SentencePiece::SentencePiece INTERFACE IMPORTED)
  target_include_directories(SentencePiece::SentencePiece SYSTEM INTERFACE ${SentencePiece_INCLUDE_DIR})
  target_link_libraries(SentencePiece::SentencePiece INTERFACE
                        ${SentencePiece_TRAIN_LIBRARY} ${SentencePiece_LIBRARY})
  target_link_options(SentencePiece::SentencePiece INTERFACE
                      "LINKER:--push-state,--no-as-needed" ${SentencePiece_LIBRARY} LINKER:--pop-state)
endif()
