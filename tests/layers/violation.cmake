# cmake -DCHECK=cmake/CheckLayers.cmake -P violation.cmake: runs the check on the sources in violation/ and a page, which
# break each rule once, and compares the reported lines. Valid lines must not be reported.
cmake_minimum_required(VERSION 3.21)

set(expected
"parallel/mpi/CMakeLists.txt: DEPENDS parallel/partition, which is not below parallel/mpi
README.md: the diagram of the folders has the line 'models, training/loss' instead of 'models, training/losses'
README.md: the table of the folders has no row for data/stream
README.md: the table of the folders has a row for data/streams, which is not in src/folders.cmake
core/clock.hpp: includes <torch/torch.h>, which only engines/libtorch/ may include
core/clock.hpp: includes <sheaf/plugin.hpp>, which only engines/libtorch/ may include
core/clock.hpp: includes \"study/study.hpp\", but study is not below core
data/dataset.hpp: includes <H5Ipublic.h>, which only files/hdf5/ may include
data/dataset.hpp: includes \"mpi.h\", which is not in a folder of src/ (use <> for third-party headers)
data/dataset.hpp: includes \"parallel/mpi/communicator.hpp\", but the DEPENDS of data do not reach parallel/mpi
helpers/helpers.hpp: is in a folder that is not in src/folders.cmake
runs/results/table.hpp: includes <mpi.h>, which only parallel/mpi/ may include
runs/results/table.hpp: includes \"engines/native/native_trainer.hpp\", but the DEPENDS of runs/results do not reach engines/native
runs/results/table.hpp: includes \"engines/native/native_trainer.hpp\", which only engines/ may include
runs/results/table.hpp: includes \"engines/torch_backend.hpp\", which only engines/ may include
runs/results/table.hpp: includes \"runs/journal/journal_line.hpp\", but runs/journal is not below runs/results
stray.cpp: is not in a folder
study/study.hpp: includes <cuda_runtime.h>, which only parallel/devices/ may include
study/study.hpp: includes <hwloc.h>, which only parallel/devices/ may include
study/study.hpp: includes <hwy/highway.h>, which only core/, data/transform/, training/losses/, engines/native/ may include
study/study.hpp: includes <boost/program_options.hpp>, which only study/parse_study.cpp may include
core/clock.hpp: includes \"study/study.hpp\", which includes core/clock
parallel/partition/chunk_rules.hpp: includes \"parallel/partition/node_pool.hpp\", which includes parallel/partition/chunk_rules
parallel/partition/node_pool.cpp: includes \"parallel/partition/chunk_rules.hpp\", which includes parallel/partition/node_pool
study/study.hpp: includes \"core/clock.hpp\", which includes study/study
")

file(READ ${CMAKE_CURRENT_LIST_DIR}/../../src/README.md page)
string(REPLACE "    models, training/losses\n" "    models, training/loss\n" page "${page}")
string(REPLACE "| `data/stream` |" "| `data/streams` |" page "${page}")
file(WRITE page.md "${page}")
execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${CMAKE_CURRENT_LIST_DIR}/violation -DPAGE=page.md -P ${CHECK}
  RESULT_VARIABLE result ERROR_VARIABLE output OUTPUT_QUIET)
if(result EQUAL 0)
  message(FATAL_ERROR "the check accepted sources that break every rule")
endif()
string(REGEX REPLACE "CMake Error.*" "" reported "${output}")
if(NOT reported STREQUAL expected)
  message(FATAL_ERROR "expected:\n${expected}\nreported:\n${output}")
endif()
