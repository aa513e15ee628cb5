# Files of `cmake --install`: the programs, and with COMPONENT development the library, for
# find_package(transformer).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/transformer)

get_property(components GLOBAL PROPERTY TRANSFORMER_COMPONENTS)
add_library(transformer_transformer INTERFACE)
add_library(transformer::transformer ALIAS transformer_transformer)
set_target_properties(transformer_transformer PROPERTIES EXPORT_NAME transformer)
list(TRANSFORM components PREPEND transformer_)
target_link_libraries(transformer_transformer INTERFACE ${components})

install(TARGETS transformer_transformer ${components} EXPORT transformer
        ARCHIVE COMPONENT development)
install(EXPORT transformer FILE transformerTargets.cmake NAMESPACE transformer::
        DESTINATION ${package_folder} COMPONENT development)
install(CODE "set(include_folder ${CMAKE_INSTALL_INCLUDEDIR})" COMPONENT development)
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/install_headers.cmake COMPONENT development)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/transformerConfig.cmake.in
  ${PROJECT_BINARY_DIR}/transformerConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/transformerConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/transformerConfig.cmake
              ${PROJECT_BINARY_DIR}/transformerConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindLibTorch.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindSentencePiece.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindZstd.cmake
        DESTINATION ${package_folder} COMPONENT development)
