# Installs the engine as the component `egraph` of the package `flipsat`:
#
#   cmake --install build --component egraph --prefix P
#
# gives include/flipsat/egraph/*.h, the library, and the files that find_package(flipsat) reads. The
# package is relocatable. Other folders become components by the same three lines; what is not
# installed is refused by name (flipsat-config.cmake.in).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/flipsat)

set_target_properties(flipsat_egraph PROPERTIES EXPORT_NAME egraph)
add_library(flipsat::egraph ALIAS flipsat_egraph)
target_compile_features(flipsat_egraph PUBLIC cxx_std_20)
target_include_directories(flipsat_egraph PUBLIC
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/flipsat>)

install(TARGETS flipsat_egraph EXPORT flipsat_egraph
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT egraph)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/egraph
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/flipsat COMPONENT egraph
  FILES_MATCHING PATTERN "*.h")
install(EXPORT flipsat_egraph NAMESPACE flipsat:: FILE flipsat-egraph-targets.cmake
  DESTINATION ${package_dir} COMPONENT egraph)

configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/flipsat-config.cmake.in
  ${CMAKE_BINARY_DIR}/flipsat-config.cmake INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break clients.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/flipsat-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/flipsat-config.cmake
              ${CMAKE_BINARY_DIR}/flipsat-config-version.cmake
  DESTINATION ${package_dir} COMPONENT egraph)
