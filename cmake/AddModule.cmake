# add_module(<folder> [LOADED] SOURCES <files...> [DEPENDS <folders...>] [PRIVATE_LIBRARIES <targets...>] [PUBLIC_LIBRARIES <targets...>])
# One static library for each folder of src/: sheaf_core_random is that of core/random. DEPENDS are the folders that it
# may include. LOADED: a shared
# library instead, beside the program, which loads it. It holds nothing of the folders that it includes, and finds their
# one copy in the program, which exports them.
function(add_module folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LOADED" "" "SOURCES;DEPENDS;PRIVATE_LIBRARIES;PUBLIC_LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "add_module(${folder}): SOURCES are required, and these are unknown: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  string(REPLACE "/" "_" target sheaf_${folder})
  list(TRANSFORM arg_DEPENDS PREPEND sheaf_)
  list(TRANSFORM arg_DEPENDS REPLACE "/" "_")
  if(arg_LOADED)
    add_library(${target} SHARED ${arg_SOURCES})
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    target_link_libraries(${target} INTERFACE ${arg_DEPENDS})
    foreach(other ${arg_DEPENDS})
      set(includes $<TARGET_PROPERTY:${other},INTERFACE_INCLUDE_DIRECTORIES>)
      target_include_directories(${target} SYSTEM PRIVATE $<FILTER:${includes},EXCLUDE,^${PROJECT_SOURCE_DIR}/src$>)
      target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:${other},INTERFACE_COMPILE_DEFINITIONS>)
    endforeach()
    # Also for a test that calls nothing of it by name.
    target_link_options(${target} INTERFACE -Wl,--no-as-needed)
  else()
    add_library(${target} STATIC ${arg_SOURCES})
    target_link_libraries(${target} PUBLIC ${arg_DEPENDS})
  endif()
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target}
    PUBLIC ${arg_PUBLIC_LIBRARIES}
    PRIVATE sheaf_flags ${arg_PRIVATE_LIBRARIES})
endfunction()

# Warnings and sanitizers of our own code.
add_library(sheaf_flags INTERFACE)
target_compile_options(sheaf_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
if(SHEAF_WARNINGS_AS_ERRORS)
  target_compile_options(sheaf_flags INTERFACE -Werror)
endif()
if(SHEAF_SANITIZE)
  # A finding ends the program: it would be one more line of a passing test's output otherwise.
  add_compile_options(-fsanitize=${SHEAF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SHEAF_SANITIZE})
endif()
