# cmake -DSOURCE_DIR=. -P build_id.cmake: checks that the build id depends on the sources and the compiler only. An
# unchanged copy of the sources has the same id, even with temporary files of editors. A changed header, a new file or
# another compiler gives a different id.
cmake_minimum_required(VERSION 3.21)

set(copy ${CMAKE_CURRENT_BINARY_DIR}/copy)
file(REMOVE_RECURSE ${copy})
file(COPY ${SOURCE_DIR}/src ${SOURCE_DIR}/cmake ${SOURCE_DIR}/CMakeLists.txt DESTINATION ${copy})

# build_id_of(<source directory> <traits> <variable>): the build id that WriteVersion.cmake writes for the program and
# the library.
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
    message(FATAL_ERROR "program and library have different build ids: ${version_id}, ${build_id_id}")
  endif()
  set(${variable} ${version_id} PARENT_SCOPE)
endfunction()

macro(require_another change)
  if(id STREQUAL original)
    message(FATAL_ERROR "the build id has not changed after: ${change}")
  endif()
endmacro()

build_id_of(${SOURCE_DIR} "GCC 12" original)
build_id_of(${copy} "GCC 12" id)
if(NOT id STREQUAL original)
  message(FATAL_ERROR "an unchanged copy has a different build id: ${id}, not ${original}")
endif()
build_id_of(${copy} "GCC 13" id)
require_another("another compiler")
file(READ ${copy}/src/training/trainer.hpp header)
file(APPEND ${copy}/src/training/trainer.hpp "// one line more\n")
build_id_of(${copy} "GCC 12" id)
require_another("a changed header")
file(WRITE ${copy}/src/training/trainer.hpp "${header}")
file(WRITE ${copy}/src/training/another.hpp "")
build_id_of(${copy} "GCC 12" id)
require_another("a new header")
file(REMOVE ${copy}/src/training/another.hpp)
build_id_of(${copy} "GCC 12" id)
if(NOT id STREQUAL original)
  message(FATAL_ERROR "restored sources have a different build id: ${id}, not ${original}")
endif()
# Hidden files and directories, and a dangling link, which Emacs creates for a file that is being edited.
file(WRITE ${copy}/src/training/.trainer.hpp "")
file(WRITE ${copy}/src/.backup/trainer.hpp "")
file(CREATE_LINK user@host "${copy}/src/training/.#trainer.hpp" SYMBOLIC)
build_id_of(${copy} "GCC 12" id)
if(NOT id STREQUAL original)
  message(FATAL_ERROR "hidden files change the build id: ${id}, not ${original}")
endif()
