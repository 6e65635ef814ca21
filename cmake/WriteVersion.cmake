# Run at every build: writes ${OUTPUT} with the version and the git revision, only if they changed.
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
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "// Written by the build.
#include \"core/version.hpp\"

namespace sheaf {

std::string program_version() { return \"@VERSION@\"; }
std::string git_revision() { return \"@revision@\"; }

}  // namespace sheaf
")
