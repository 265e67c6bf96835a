# Installs the whole optimizer as the component `optimizer` of the package `flipsat`, which needs the
# component `egraph` beside it:
#
#   cmake --install build --prefix P
#
# gives both, and the commands. Headers are those that say what a folder does; the readers of protos are
# not among them, but for frontends/proto/proto.h, so that clients need none of protoc's.
set(optimizer_folders hlo frontends language rules extract passes verify solvers optimizer)

foreach(folder hlo_proto ${optimizer_folders})
  set_target_properties(flipsat_${folder} PROPERTIES EXPORT_NAME ${folder})
  add_library(flipsat::${folder} ALIAS flipsat_${folder})
  target_compile_features(flipsat_${folder} PUBLIC cxx_std_20)
  target_include_directories(flipsat_${folder} PUBLIC
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/flipsat>)
  install(TARGETS flipsat_${folder} EXPORT flipsat_optimizer
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT optimizer)
endforeach()

foreach(folder ${optimizer_folders})
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${folder}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/flipsat COMPONENT optimizer
    FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "frontends/proto" EXCLUDE)
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/frontends/proto/proto.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/flipsat/frontends/proto COMPONENT optimizer)
install(EXPORT flipsat_optimizer NAMESPACE flipsat:: FILE flipsat-optimizer-targets.cmake
  DESTINATION ${package_dir} COMPONENT optimizer)
