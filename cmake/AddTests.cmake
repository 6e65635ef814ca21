# add_unit_test(<name> SOURCES <files...> DEPENDS <folders...> [LIBRARIES <targets...>])
#   adds a serial Catch2 program.
# add_mpi_test(<name> RANKS <n...> [LONG_RANKS <n...>] SOURCES <files...> DEPENDS <folders...> [LIBRARIES ...]
#              [TIMEOUT s])
#   adds a Catch2 program and runs it as <name>.np<n> for each n, with LONG_RANKS only with ctest -C long.
# add_program_test(<name> COMMAND <arguments...> [TIMEOUT s] [PROCESSORS n] [LABELS ...] [LONG])
#   adds any other test. With LONG it has the label long and runs only with ctest -C long.
# A test that uses LibTorch must have engines/libtorch in DEPENDS, which links the library instead of loading it.
# Timeouts are for tests that hang. They must be long enough for slow or busy machines.
# MPI tests may use more ranks than cores, and may run as root. pml=ob1: Open MPI does not search for fast networks,
# which halves the startup time of a job.

set(SHEAF_MPI_ENVIRONMENT OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_pml=ob1 OMP_NUM_THREADS=1)
if(UNIX)
  execute_process(COMMAND id -u OUTPUT_VARIABLE SHEAF_USER_ID OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(SHEAF_USER_ID EQUAL 0)
    list(APPEND SHEAF_MPI_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
  endif()
endif()

# The Python of LibTorch's installation. Its PyTorch has the same version, so float32 results agree.
set(SHEAF_TEST_PYTHON ${LibTorch_PYTHON})
if(NOT EXISTS ${SHEAF_TEST_PYTHON})
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(SHEAF_TEST_PYTHON ${Python3_EXECUTABLE})
endif()

find_package(Catch2 REQUIRED)
# Tests are not optimized: assertions would take twice as long to compile, and the tested code is in the libraries.
set(SHEAF_TEST_OPTIONS -O0)
# The implementation of Catch2 2 takes 10 seconds to compile, so it is compiled only once.
add_library(sheaf_catch STATIC ${PROJECT_SOURCE_DIR}/tests/support/catch.cpp)
target_link_libraries(sheaf_catch PUBLIC Catch2::Catch2)
target_include_directories(sheaf_catch PUBLIC ${PROJECT_SOURCE_DIR}/tests)
target_compile_options(sheaf_catch PRIVATE ${SHEAF_TEST_OPTIONS})
add_library(sheaf_test_main STATIC ${PROJECT_SOURCE_DIR}/tests/support/unit_main.cpp)
target_link_libraries(sheaf_test_main PUBLIC sheaf_catch)
add_library(sheaf_mpi_test_main STATIC ${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp)
target_link_libraries(sheaf_mpi_test_main PUBLIC sheaf_catch MPI::MPI_C)

function(sheaf_test_executable name main)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;DEPENDS;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES OR NOT arg_DEPENDS)
    message(FATAL_ERROR "test ${name}: SOURCES or DEPENDS are missing or arguments are unknown: "
                        "'${arg_UNPARSED_ARGUMENTS}'")
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND sheaf_)
  list(TRANSFORM arg_DEPENDS REPLACE "/" "_")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${main} ${arg_DEPENDS} ${arg_LIBRARIES} sheaf_flags)
  target_compile_options(${name} PRIVATE ${SHEAF_TEST_OPTIONS})
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${name}.work)
endfunction()

function(add_unit_test name)
  sheaf_test_executable(${name} sheaf_test_main ${ARGN})
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${name}.work)
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS unit ENVIRONMENT "OMP_NUM_THREADS=1")
endfunction()

function(add_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 mpi "" "TIMEOUT" "RANKS;LONG_RANKS;SOURCES;DEPENDS;LIBRARIES")
  if(NOT mpi_RANKS)
    message(FATAL_ERROR "add_mpi_test(${name}): RANKS is required")
  endif()
  if(NOT mpi_TIMEOUT)
    set(mpi_TIMEOUT 600)
  endif()
  sheaf_test_executable(${name} sheaf_mpi_test_main ${mpi_UNPARSED_ARGUMENTS}
    SOURCES ${mpi_SOURCES} DEPENDS ${mpi_DEPENDS} LIBRARIES ${mpi_LIBRARIES})
  foreach(ranks ${mpi_RANKS} ${mpi_LONG_RANKS})
    set(labels mpi np${ranks})
    set(configurations "")
    if(ranks IN_LIST mpi_LONG_RANKS)
      set(labels long)
      set(configurations CONFIGURATIONS long)
    endif()
    set(work ${CMAKE_CURRENT_BINARY_DIR}/${name}.np${ranks}.work)
    file(MAKE_DIRECTORY ${work})
    add_test(NAME ${name}.np${ranks}
      COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS}
              $<TARGET_FILE:${name}> ${MPIEXEC_POSTFLAGS}
      WORKING_DIRECTORY ${work} ${configurations})
    set_tests_properties(${name}.np${ranks} PROPERTIES
      PROCESSORS ${ranks} TIMEOUT ${mpi_TIMEOUT} LABELS "${labels}"
      ENVIRONMENT "${SHEAF_MPI_ENVIRONMENT};SHEAF_TEST_RANKS=${ranks}")
  endforeach()
endfunction()

function(add_program_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LONG" "TIMEOUT;PROCESSORS" "COMMAND;LABELS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_COMMAND)
    message(FATAL_ERROR "add_program_test(${name}): COMMAND is missing or arguments are unknown: "
                        "'${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  if(NOT arg_PROCESSORS)
    set(arg_PROCESSORS 1)
  endif()
  set(work ${CMAKE_CURRENT_BINARY_DIR}/${name}.work)
  file(MAKE_DIRECTORY ${work})
  if(arg_LONG)
    set(arg_LABELS long)
    set(configurations CONFIGURATIONS long)
  else()
    list(PREPEND arg_LABELS app)
    set(configurations "")
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${work} ${configurations})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} PROCESSORS ${arg_PROCESSORS} LABELS "${arg_LABELS}"
    ENVIRONMENT "${SHEAF_MPI_ENVIRONMENT}" SKIP_RETURN_CODE 77)
endfunction()
