# cmake -DCHECK=cmake/CheckLayers.cmake -P violation.cmake: runs the check on the sources in violation/, which break
# each rule once, and compares the reported lines. Valid lines must not be reported.
cmake_minimum_required(VERSION 3.21)

set(expected
"parallel/mpi/CMakeLists.txt: DEPENDS parallel/partition, which is not below parallel/mpi
core/clock.hpp: includes <torch/torch.h>, which only engines/libtorch/ may name
core/clock.hpp: includes <sheaf/plugin.hpp>, which only engines/libtorch/ may name
core/clock.hpp: includes \"study/study.hpp\", but study is not below core
data/dataset.hpp: includes <H5Ipublic.h>, which only files/hdf5/ may name
data/dataset.hpp: includes \"mpi.h\", which is in no folder of src/ (others' headers stand in <>)
data/dataset.hpp: includes \"parallel/mpi/communicator.hpp\", but the DEPENDS of data do not reach parallel/mpi
helpers/helpers.hpp: is in a folder that the table of cmake/CheckLayers.cmake does not know
runs/results/table.hpp: includes <mpi.h>, which only parallel/mpi/ may name
runs/results/table.hpp: includes \"runs/journal/journal_line.hpp\", but runs/journal is not below runs/results
stray.cpp: is in no folder
study/study.hpp: includes <cuda_runtime.h>, which only parallel/devices/ may name
study/study.hpp: includes <hwloc.h>, which only parallel/devices/ may name
study/study.hpp: includes <hwy/highway.h>, which only core/, data/transform/, training/losses/, engines/native/ may name
study/study.hpp: includes <boost/program_options.hpp>, which only study/parse_study.cpp may name
core/clock.hpp: includes \"study/study.hpp\", which includes core/clock
parallel/partition/chunk_rules.hpp: includes \"parallel/partition/node_pool.hpp\", which includes parallel/partition/chunk_rules
parallel/partition/node_pool.cpp: includes \"parallel/partition/chunk_rules.hpp\", which includes parallel/partition/node_pool
study/study.hpp: includes \"core/clock.hpp\", which includes study/study
")

execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${CMAKE_CURRENT_LIST_DIR}/violation -P ${CHECK}
  RESULT_VARIABLE result ERROR_VARIABLE output OUTPUT_QUIET)
if(result EQUAL 0)
  message(FATAL_ERROR "the check accepted sources that break every rule")
endif()
string(REGEX REPLACE "CMake Error.*" "" reported "${output}")
if(NOT reported STREQUAL expected)
  message(FATAL_ERROR "expected:\n${expected}\nreported:\n${output}")
endif()
