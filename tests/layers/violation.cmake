# cmake -DCHECK=cmake/CheckLayers.cmake -P violation.cmake: runs the check on the sources in violation/, which break each
# rule once, and compares what it says, line by line. The right lines among them must not be reported.
cmake_minimum_required(VERSION 3.21)

set(expected
"mpi/CMakeLists.txt: DEPENDS partition, which is not below mpi
core/clock.hpp: includes <torch/torch.h>, which only libtorch/ may name
core/clock.hpp: includes \"options/study.hpp\", but options is not below core
dataset/dataset.hpp: includes <H5Ipublic.h>, which only hdf5/ may name
dataset/dataset.hpp: includes \"mpi.h\", which does not begin with a folder of src/ (others' headers stand in <>)
dataset/dataset.hpp: includes \"mpi/communicator.hpp\", but the DEPENDS of dataset do not reach mpi
helpers/helpers.hpp: is in a folder that the table of cmake/CheckLayers.cmake does not know
options/study.hpp: includes <cuda_runtime.h>, which only device/ may name
options/study.hpp: includes <hwloc.h>, which only device/ may name
options/study.hpp: includes <hwy/highway.h>, which only core/, dataset/transform/, engine/ may name
options/study.hpp: includes <boost/program_options.hpp>, which only options/parse_study.cpp may name
results/table.hpp: includes <mpi.h>, which only mpi/ may name
results/table.hpp: includes \"partition/chunk_rules.hpp\", but partition is not below results
stray.cpp: is in no folder
core/clock.hpp: includes \"options/study.hpp\", which includes core/clock
options/study.hpp: includes \"core/clock.hpp\", which includes options/study
partition/chunk_rules.hpp: includes \"partition/node_pool.hpp\", which includes partition/chunk_rules
partition/node_pool.cpp: includes \"partition/chunk_rules.hpp\", which includes partition/node_pool
")

execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${CMAKE_CURRENT_LIST_DIR}/violation -P ${CHECK}
  RESULT_VARIABLE result ERROR_VARIABLE said OUTPUT_QUIET)
if(result EQUAL 0)
  message(FATAL_ERROR "the check passed sources that break every rule")
endif()
string(REGEX REPLACE "CMake Error.*" "" reported "${said}")
if(NOT reported STREQUAL expected)
  message(FATAL_ERROR "expected:\n${expected}\nreported:\n${said}")
endif()
