# Runs at every build and rewrites its outputs only if they changed: ${PROGRAM_OUTPUT} with version, git revision and
# build id, ${LIBRARY_OUTPUT} with the build id alone. The build id is a hash of all sources and of ${TRAITS}, the compiler
# and its flags: program and library of one build have the same one, wherever and however often it is built.
cmake_minimum_required(VERSION 3.21)
find_package(Git QUIET)
set(revision "unknown")
if(Git_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE_DIR} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    set(revision ${commit})
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE_DIR} status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      string(APPEND revision "+changes")
    endif()
  endif()
endif()

file(GLOB_RECURSE sources LIST_DIRECTORIES false RELATIVE ${SOURCE_DIR}
  ${SOURCE_DIR}/src/*.cpp ${SOURCE_DIR}/src/*.hpp ${SOURCE_DIR}/src/CMakeLists.txt ${SOURCE_DIR}/cmake/*.cmake)
list(FILTER sources EXCLUDE REGEX "(^|/)[.]")  # hidden: left by editors
set(listing "${TRAITS}")
foreach(source CMakeLists.txt ${sources})
  file(SHA256 ${SOURCE_DIR}/${source} hash)
  string(APPEND listing "\n${source} ${hash}")
endforeach()
string(SHA256 build_id "${listing}")
string(SUBSTRING ${build_id} 0 16 build_id)

file(CONFIGURE OUTPUT ${PROGRAM_OUTPUT} @ONLY CONTENT "// Written by the build.
#include \"core/version.hpp\"

namespace sheaf {

std::string program_version() { return \"@VERSION@\"; }
std::string git_revision() { return \"@revision@\"; }
std::string build_id() { return \"@build_id@\"; }

}  // namespace sheaf
")
if(LIBRARY_OUTPUT)
  file(CONFIGURE OUTPUT ${LIBRARY_OUTPUT} @ONLY CONTENT "// Written by the build.
extern \"C\" const char* sheaf_libtorch_build();
extern \"C\" const char* sheaf_libtorch_build() { return \"@build_id@\"; }
")
endif()
