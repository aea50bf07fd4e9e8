# Debian packages, by CPack: libskein0, libskein-dev, skein, python3-skein. `make deb` builds them in build/package, for any
# machine of the architecture, with the prefix /usr.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME skein)
set(CPACK_PACKAGE_CONTACT "The Skein contributors <skein@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL library development command python)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(same "(= ${PROJECT_VERSION})")

set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Exact Coulomb friction for fibres, rigid bodies and finite elements: the library
 Skein solves the law of Coulomb itself for assemblies of thin fibres and whatever else touches, and simulates rods with
 contacts. This is the shared library.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libskein${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/triggers)
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")

set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Exact Coulomb friction for fibres, rigid bodies and finite elements: headers
 What programs in C need to be built with libskein: headers, pkg-config file, CMake package.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libskein-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libskein${PROJECT_VERSION_MAJOR} ${same}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)

set(CPACK_COMPONENT_COMMAND_DESCRIPTION "Exact Coulomb friction for fibres, rigid bodies and finite elements: the command
 Simulates scenes of hair, ropes and rigid bodies, solves friction problems, shows and exports what happened. With scenes,
 manual pages and completion.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME skein)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "libskein${PROJECT_VERSION_MAJOR} ${same}")
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "gnuplot-nox, librsvg2-bin, ffmpeg")

set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Exact Coulomb friction for fibres, rigid bodies and finite elements: Python
 The Python module skein: friction problems as arrays of numpy, rods, scenes, worlds and runs.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-skein)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, python3-numpy, libskein${PROJECT_VERSION_MAJOR} ${same}")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
include(CPack)
