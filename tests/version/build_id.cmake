# cmake -DSOURCE_DIR=. -P build_id.cmake: the build id follows from the sources and the compiler alone. It is the same
# for an unchanged copy of the sources, whatever editors leave beside them, and another one after a change of one header,
# one new file or another compiler.
cmake_minimum_required(VERSION 3.21)

set(copy ${CMAKE_CURRENT_BINARY_DIR}/copy)
file(REMOVE_RECURSE ${copy})
file(COPY ${SOURCE_DIR}/src ${SOURCE_DIR}/cmake ${SOURCE_DIR}/CMakeLists.txt DESTINATION ${copy})

# build_id_of(<source directory> <traits> <variable>): what WriteVersion.cmake writes for the program and the library.
function(build_id_of directory traits variable)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${directory} -DVERSION=1 -DTRAITS=${traits} -DPROGRAM_OUTPUT=${copy}/version.cpp
            -DLIBRARY_OUTPUT=${copy}/build_id.cpp -P ${directory}/cmake/WriteVersion.cmake
    COMMAND_ERROR_IS_FATAL ANY)
  foreach(name version build_id)
    file(READ ${copy}/${name}.cpp text)
    if(NOT text MATCHES "build[a-z_]*\\(\\) { return \"([0-9a-f]+)\"; }")
      message(FATAL_ERROR "${name}.cpp has no build id:\n${text}")
    endif()
    set(${name}_id ${CMAKE_MATCH_1})
  endforeach()
  if(NOT version_id STREQUAL build_id_id)
    message(FATAL_ERROR "program and library differ: ${version_id}, ${build_id_id}")
  endif()
  set(${variable} ${version_id} PARENT_SCOPE)
endfunction()

macro(require_another what)
  if(id STREQUAL original)
    message(FATAL_ERROR "the build id is the same after: ${what}")
  endif()
endmacro()

build_id_of(${SOURCE_DIR} "GCC 12" original)
build_id_of(${copy} "GCC 12" id)
if(NOT id STREQUAL original)
  message(FATAL_ERROR "an unchanged copy has another build id: ${id}, not ${original}")
endif()
build_id_of(${copy} "GCC 13" id)
require_another("another compiler")
file(READ ${copy}/src/training/trainer.hpp header)
file(APPEND ${copy}/src/training/trainer.hpp "// one line more\n")
build_id_of(${copy} "GCC 12" id)
require_another("one header changed")
file(WRITE ${copy}/src/training/trainer.hpp "${header}")
file(WRITE ${copy}/src/training/another.hpp "")
build_id_of(${copy} "GCC 12" id)
require_another("a new header")
file(REMOVE ${copy}/src/training/another.hpp)
build_id_of(${copy} "GCC 12" id)
if(NOT id STREQUAL original)
  message(FATAL_ERROR "the build id does not come back with the sources: ${id}, not ${original}")
endif()
# Hidden files and directories, and a link to nothing, as Emacs makes it for a file that is being edited.
file(WRITE ${copy}/src/training/.trainer.hpp "")
file(WRITE ${copy}/src/.backup/trainer.hpp "")
file(CREATE_LINK user@host "${copy}/src/training/.#trainer.hpp" SYMBOLIC)
build_id_of(${copy} "GCC 12" id)
if(NOT id STREQUAL original)
  message(FATAL_ERROR "hidden files change the build id: ${id}, not ${original}")
endif()
