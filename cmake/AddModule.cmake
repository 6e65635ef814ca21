# add_module(<folder> [LOADED] SOURCES <files...> [DEPENDS <folders...>]
#            [PRIVATE_LIBRARIES <targets...>] [PUBLIC_LIBRARIES <targets...>])
# Adds a static library for a folder of src/: sheaf_core_random for core/random. DEPENDS are the folders that it may
# include. With LOADED, it is a shared library that the program loads while it runs. That library does not
# contain code of the folders in DEPENDS, but uses the copy that the program exports.
function(add_module folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LOADED" "" "SOURCES;DEPENDS;PRIVATE_LIBRARIES;PUBLIC_LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "add_module(${folder}): SOURCES are missing or arguments are unknown: "
                        "'${arg_UNPARSED_ARGUMENTS}'")
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
    # Links the library even to a test that uses none of its symbols.
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

# Warnings for our own code, and sanitizers.
add_library(sheaf_flags INTERFACE)
target_compile_options(sheaf_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
if(SHEAF_WARNINGS_AS_ERRORS)
  target_compile_options(sheaf_flags INTERFACE -Werror)
endif()
if(SHEAF_SANITIZE)
  # A finding ends the program. Otherwise it would only be a line in the output of a passing test.
  add_compile_options(-fsanitize=${SHEAF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SHEAF_SANITIZE})
endif()
