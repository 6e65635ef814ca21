# cmake -DSOURCE_DIR=. -P find_libtorch.cmake: checks that cmake/FindLibTorch.cmake uses a single LibTorch installation.
# Configures a small project with an installation of empty files that has the layout of a pip wheel.
cmake_minimum_required(VERSION 3.21)

set(work ${CMAKE_CURRENT_BINARY_DIR}/find_libtorch)
set(environment "${work}/an environment")
set(torch ${environment}/lib/python3.11/site-packages/torch)
file(REMOVE_RECURSE ${work})
file(WRITE ${work}/project/CMakeLists.txt "
cmake_minimum_required(VERSION 3.21)
project(finds CXX)
list(APPEND CMAKE_MODULE_PATH ${SOURCE_DIR}/cmake)
find_package(LibTorch 1.13 REQUIRED)
message(STATUS \"version \${LibTorch_VERSION}\")
message(STATUS \"cuda \${LibTorch_HAS_CUDA}\")
message(STATUS \"python \${LibTorch_PYTHON}\")
foreach(property INCLUDE_DIRECTORIES LINK_LIBRARIES LINK_OPTIONS COMPILE_FEATURES COMPILE_DEFINITIONS)
  get_target_property(value LibTorch::LibTorch INTERFACE_\${property})
  message(STATUS \"\${property} \${value}\")
endforeach()
")
set(config ${torch}/share/cmake/Torch/TorchConfig.cmake)
file(WRITE ${config} "message(FATAL_ERROR \"TorchConfig.cmake was loaded\")  # cxx_std_20")
file(WRITE ${torch}/share/cmake/Torch/TorchConfigVersion.cmake "set(PACKAGE_VERSION 2.99.1)")
foreach(file torch/include/torch/script.h torch/include/fmt/format.h torch/lib/libtorch.so torch/lib/libtorch_cpu.so
             nvidia/nccl/lib/libnccl.so.2 ../../../bin/python3)
  file(WRITE ${torch}/../${file} "")
endforeach()

# configure(<code> <pattern> <arguments...>): runs cmake, whose exit code and output must match. Sets output.
function(configure code pattern)
  execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja ${ARGN} ${work}/project
    WORKING_DIRECTORY ${work} OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE result)
  if(NOT result STREQUAL code OR NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "${ARGN}: exit code ${result} (expected ${code}), with output that must match '${pattern}':\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

# libc10.so is missing, and that of the system must not be used instead.
configure(1 "LibTorch_c10" -B no_c10 -DTorch_DIR=${torch}/share/cmake/Torch)

file(WRITE ${torch}/lib/libc10.so "")
foreach(option -DTorch_DIR=${torch}/share/cmake/Torch -DCMAKE_PREFIX_PATH=${torch}/share/cmake -DCMAKE_PREFIX_PATH=${torch})
  file(REMOVE_RECURSE ${work}/found)
  configure(0 "version 2.99.1\n" -B found ${option})
  foreach(line
      "python ${environment}/bin/python3"
      "INCLUDE_DIRECTORIES ${torch}/include;${torch}/include/torch/csrc/api/include"
      "LINK_LIBRARIES [^\n]*\"${torch}/lib/libtorch.so\"[^\n]*;${torch}/lib/libtorch_cpu.so;${torch}/lib/libc10.so"
      "LINK_OPTIONS LINKER:-rpath-link,[^\n]*/site-packages/nvidia/nccl/lib"
      "COMPILE_FEATURES cxx_std_20"
      "COMPILE_DEFINITIONS FMT_HEADER_ONLY")
    if(NOT output MATCHES "-- (${line})\n")
      message(FATAL_ERROR "${option}: no line matches '${line}' in:\n${output}")
    endif()
  endforeach()
endforeach()

# The LibTorch of a build folder can be changed.
file(COPY ${torch} DESTINATION ${work}/other)
configure(0 "LINK_LIBRARIES [^\n]*${work}/other/torch/lib/libc10.so\n" -B found
          -DTorch_DIR=${work}/other/torch/share/cmake/Torch)

# LibTorch has CUDA if libtorch_cuda.so exists.
if(NOT output MATCHES "-- cuda OFF\n")
  message(FATAL_ERROR "CUDA without libtorch_cuda.so:\n${output}")
endif()
file(WRITE ${torch}/lib/libtorch_cuda.so "")
configure(0 "cuda ON\n" -B found -DTorch_DIR=${torch}/share/cmake/Torch)

file(APPEND ${config} "\nset(TORCH_CXX_FLAGS \"-D_GLIBCXX_USE_CXX11_ABI=0\")")
configure(1 "old C\\+\\+ ABI" -B old_abi -DTorch_DIR=${torch}/share/cmake/Torch)
