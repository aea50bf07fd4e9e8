# Rooms: the parts of the library. A room sees its own folder, the doors of the rooms it names, and include/; it is
# linked as a shared library of its own with nothing but those rooms and the libraries it names. So the header of a
# foreign room, or an inner header of any other, is not found, and a call that no rule declares does not link.
# docs/architecture.md shows them all.

set(SKEIN_DOORS ${PROJECT_BINARY_DIR}/doors)

function(skein_link to at) # a link at `at`, in folders that are made
  get_filename_component(folder ${at} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${to} ${at} SYMBOLIC)
endfunction()

# skein_doors(NAME FOLDER room...): what NAME may include, as a folder of links: its own FOLDER whole, of each room its
# doors. A door may include doors of its own room and of the rooms that one names: they lie beside it, where the
# compiler looks first, and not where NAME would find them.
function(skein_doors name folder)
  set(doors ${SKEIN_DOORS}/${name})
  file(REMOVE_RECURSE ${doors})
  skein_link(${folder} ${doors}/${name})
  foreach(room ${ARGN})
    foreach(door ${SKEIN_DOORS_OF_${room}})
      skein_link(${PROJECT_SOURCE_DIR}/src/${room}/${door} ${doors}/${room}/${door})
    endforeach()
    foreach(next ${SKEIN_DEPENDS_OF_${room}})
      skein_link(${SKEIN_DOORS}/${room}/${next} ${doors}/${room}/${next})
    endforeach()
  endforeach()
endfunction()

# skein_room(NAME [NO_DOOR] [DEPENDS room...] [DOORS header...] [LIBRARIES library...]): the sources of src/NAME. Its
# door is NAME.h unless DOORS says otherwise; with NO_DOOR, others use what it has in include/skein.
function(skein_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "NO_DOOR" "" "DEPENDS;DOORS;LIBRARIES")
  if(NOT room_DOORS AND NOT room_NO_DOOR)
    set(room_DOORS ${name}.h)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
  skein_doors(${name} ${PROJECT_SOURCE_DIR}/src/${name} ${room_DEPENDS})
  add_library(room_${name} SHARED ${sources})
  target_include_directories(room_${name} PRIVATE ${SKEIN_DOORS}/${name} ${PROJECT_SOURCE_DIR}/include)
  list(TRANSFORM room_DEPENDS PREPEND room_ OUTPUT_VARIABLE rooms)
  target_link_libraries(room_${name} PRIVATE skein_flags ${rooms} ${room_LIBRARIES} m)
  target_link_options(room_${name} PRIVATE ${SKEIN_CLOSED})
  set_target_properties(room_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/rooms)
  set(SKEIN_DOORS_OF_${name} ${room_DOORS} PARENT_SCOPE)
  set(SKEIN_DEPENDS_OF_${name} ${room_DEPENDS} PARENT_SCOPE)
  set(SKEIN_OBJECTS ${SKEIN_OBJECTS} $<TARGET_OBJECTS:room_${name}> PARENT_SCOPE)
  set(SKEIN_LIBRARIES ${SKEIN_LIBRARIES} ${room_LIBRARIES} PARENT_SCOPE)
endfunction()

# skein_planted(NAME LIKE FILE): FILE alone, compiled and linked as the target LIKE is; built only when it is asked for.
function(skein_planted name like file)
  get_target_property(kind ${like} TYPE)
  if(kind STREQUAL "EXECUTABLE")
    add_executable(${name} EXCLUDE_FROM_ALL ${file})
  else()
    add_library(${name} SHARED EXCLUDE_FROM_ALL ${file})
  endif()
  foreach(property INCLUDE_DIRECTORIES LINK_LIBRARIES LINK_OPTIONS)
    get_target_property(value ${like} ${property})
    if(value)
      set_target_properties(${name} PROPERTIES ${property} "${value}")
    endif()
  endforeach()
endfunction()
