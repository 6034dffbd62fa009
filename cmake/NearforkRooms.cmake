# Helpers for the rooms' CMakeLists.txt.

# Flags of every target of the project itself (not passed on to users).
add_library(nearfork_flags INTERFACE)
target_compile_features(nearfork_flags INTERFACE cxx_std_20)
target_compile_options(nearfork_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                -Wnon-virtual-dtor)
# libstdc++ 12's own std::stable_sort uses what it marks as deprecated, and clang tells us.
target_compile_options(nearfork_flags INTERFACE
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
if(NEARFORK_WERROR)
  target_compile_options(nearfork_flags INTERFACE -Werror)
endif()

# Sanitizers reach everything, also the link line of tests and examples.
if(NEARFORK_SANITIZE)
  add_compile_options(-fsanitize=${NEARFORK_SANITIZE} -fno-omit-frame-pointer -g1)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=${NEARFORK_SANITIZE})
  if(NEARFORK_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()

# nearfork_room(NAME SOURCES ... [USES rooms...] [PRIVATE targets...]): one room as an object
# library that sees only its own headers and those of the rooms it uses.
function(nearfork_room name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;PRIVATE" ${ARGN})
  if(NOT arg_SOURCES)  # a room of headers alone
    set(arg_SOURCES "${CMAKE_CURRENT_BINARY_DIR}/headers_only.cpp")
    file(CONFIGURE OUTPUT "${arg_SOURCES}" CONTENT "")
  endif()
  add_library(nearfork_${name} OBJECT ${arg_SOURCES})
  set_target_properties(nearfork_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(nearfork_${name} PUBLIC
    "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>")
  target_include_directories(nearfork_${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(nearfork_${name} PRIVATE nearfork_flags ${arg_PRIVATE} Threads::Threads)
  foreach(room IN LISTS arg_USES)
    target_include_directories(nearfork_${name} PUBLIC
      $<TARGET_PROPERTY:nearfork_${room},INTERFACE_INCLUDE_DIRECTORIES>)
  endforeach()
endfunction()

# The library that users link: the objects of all rooms, and their public headers.
function(nearfork_library)
  add_library(nearfork)
  add_library(nearfork::nearfork ALIAS nearfork)
  target_compile_features(nearfork PUBLIC cxx_std_20)
  foreach(room topology alloc core)
    target_sources(nearfork PRIVATE $<TARGET_OBJECTS:nearfork_${room}>)
    target_include_directories(nearfork PUBLIC
      "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/${room}/include>")
  endforeach()
  target_link_libraries(nearfork PUBLIC Threads::Threads PRIVATE PkgConfig::HWLOC PkgConfig::NUMA)
  set_target_properties(nearfork PROPERTIES LINKER_LANGUAGE CXX
    ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
endfunction()

# nearfork_program(NAME SOURCES ... [LINK targets...]): a command or an example.
function(nearfork_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE nearfork_flags nearfork::nearfork ${arg_LINK})
endfunction()
