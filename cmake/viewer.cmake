# The page of `skein view`: packages of viewer/package-lock.json, bundled by esbuild into one file that is put into the tool.
# Builds of one source folder share the packages, so that the network is needed once.
find_package(ZLIB REQUIRED)
find_program(NODE_PROGRAM NAMES node nodejs)
find_program(NPM_PROGRAM NAMES npm)
if(NOT NODE_PROGRAM OR NOT NPM_PROGRAM)
  message(FATAL_ERROR "node and npm are needed for the page of 'skein view': run scripts/setup")
endif()
set(SKEIN_NODE_DIR "${PROJECT_SOURCE_DIR}/build/viewer" CACHE PATH "Where npm puts the packages of the viewer")

set(VIEWER_DIR ${PROJECT_SOURCE_DIR}/viewer)
set(VIEW_PAGE ${PROJECT_BINARY_DIR}/viewer_page.html)
file(GLOB VIEWER_SOURCES CONFIGURE_DEPENDS ${VIEWER_DIR}/src/*.js)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/viewer_packages.stamp
  COMMAND ${VIEWER_DIR}/install.sh ${SKEIN_NODE_DIR}
  COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/viewer_packages.stamp
  DEPENDS ${VIEWER_DIR}/install.sh ${VIEWER_DIR}/package.json ${VIEWER_DIR}/package-lock.json
  COMMENT "Packages of the viewer" VERBATIM)
add_custom_command(OUTPUT ${VIEW_PAGE}
  COMMAND ${NODE_PROGRAM} ${VIEWER_DIR}/build.mjs ${SKEIN_NODE_DIR} ${VIEW_PAGE}
  DEPENDS ${PROJECT_BINARY_DIR}/viewer_packages.stamp ${VIEWER_DIR}/build.mjs ${VIEWER_DIR}/page.html ${VIEWER_DIR}/style.css
    ${VIEWER_SOURCES}
  COMMENT "Page of the viewer" VERBATIM)
add_custom_target(viewer_page DEPENDS ${VIEW_PAGE})
add_dependencies(skein_tool viewer_page)
set_source_files_properties(${PROJECT_SOURCE_DIR}/tool/view_page.c PROPERTIES OBJECT_DEPENDS ${VIEW_PAGE}
  COMPILE_DEFINITIONS "VIEW_PAGE=\"${VIEW_PAGE}\"")
target_link_libraries(skein_tool PRIVATE ZLIB::ZLIB)
