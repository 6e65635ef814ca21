# Finds a shared LibTorch 1.13 or newer and defines
#   LibTorch::LibTorch   headers and libraries, all from the same installation
#   LibTorch_VERSION     for example 2.15.0
#   LibTorch_c10_cuda    its library for CUDA streams, in a LibTorch with CUDA
#   LibTorch_HAS_CUDA    whether LibTorch was built with CUDA
#   LibTorch_PYTHON      the Python of the installation, for example of a wheel's virtual environment; or empty
# The search order is that of every package: Torch_DIR, Torch_ROOT, CMAKE_PREFIX_PATH, then the system.
#
# LibTorch's own TorchConfig.cmake is not loaded. It searches libc10.so in the system's folders first, which mixes a
# wheel with the distribution's LibTorch, and in CUDA builds it requires nvcc, even if no source file does.

# Version 9999 does not exist, so find_package does not load any package and lists all candidates in search order.
set(Torch_CONSIDERED_CONFIGS "")
find_package(Torch 9999 CONFIG QUIET)
list(LENGTH Torch_CONSIDERED_CONFIGS candidate_count)
if(candidate_count GREATER 0)
  list(GET Torch_CONSIDERED_CONFIGS 0 LibTorch_CONFIG)
  list(GET Torch_CONSIDERED_VERSIONS 0 LibTorch_VERSION)
  get_filename_component(config_dir ${LibTorch_CONFIG} DIRECTORY)
  set(Torch_DIR ${config_dir} CACHE PATH "Folder of LibTorch's TorchConfig.cmake" FORCE)

  # PREFIX/share/cmake/Torch in wheels and archives, PREFIX/lib/ARCHITECTURE/cmake/Torch in distributions.
  foreach(library torch torch_cpu c10)
    find_library(LibTorch_${library} ${library} PATHS ${Torch_DIR}/../../../lib ${Torch_DIR}/../..
                 NO_CACHE NO_DEFAULT_PATH)
  endforeach()
  foreach(library torch_cuda c10_cuda)
    find_library(LibTorch_${library} ${library} PATHS ${Torch_DIR}/../../../lib ${Torch_DIR}/../..
                 NO_CACHE NO_DEFAULT_PATH)
  endforeach()
  set(LibTorch_HAS_CUDA OFF)
  if(LibTorch_torch_cuda)
    set(LibTorch_HAS_CUDA ON)
  endif()
  find_path(LibTorch_INCLUDE_DIR torch/script.h PATHS ${Torch_DIR}/../../../include ${Torch_DIR}/../../../../include
            NO_CACHE NO_DEFAULT_PATH)
  get_filename_component(LibTorch_INCLUDE_DIR ${LibTorch_INCLUDE_DIR} ABSOLUTE)

  # The Python in the nearest parent folder that has one, except /bin.
  set(LibTorch_PYTHON "")
  get_filename_component(folder ${Torch_DIR} DIRECTORY)
  while(NOT LibTorch_PYTHON AND NOT folder STREQUAL "/")
    if(EXISTS ${folder}/bin/python3)
      set(LibTorch_PYTHON ${folder}/bin/python3)
    endif()
    get_filename_component(folder ${folder} DIRECTORY)
  endwhile()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_torch LibTorch_torch_cpu LibTorch_c10 LibTorch_INCLUDE_DIR
  VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "Install libtorch-dev (Debian), run cmake/setup.sh --torch=pip, or set Torch_DIR.")

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  file(READ ${LibTorch_CONFIG} config)
  if(config MATCHES "GLIBCXX_USE_CXX11_ABI=0")
    message(FATAL_ERROR "LibTorch in ${Torch_DIR} uses the old C++ ABI, so it cannot be linked with the system's "
                        "libraries. Use another LibTorch: pip's torch 2.6 or newer has the new ABI.")
  endif()
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  target_include_directories(LibTorch::LibTorch SYSTEM INTERFACE
    ${LibTorch_INCLUDE_DIR} ${LibTorch_INCLUDE_DIR}/torch/csrc/api/include)
  # libtorch.so defines no symbols, but it depends on libtorch_cuda.so in CUDA builds. The options are one list item, so
  # that CMake does not separate them; CMake does not quote the path.
  target_link_libraries(LibTorch::LibTorch INTERFACE
    "-Wl,--push-state,--no-as-needed,\"${LibTorch_torch}\",--pop-state" ${LibTorch_torch_cpu} ${LibTorch_c10})
  if(config MATCHES "cxx_std_[0-9]+")
    target_compile_features(LibTorch::LibTorch INTERFACE ${CMAKE_MATCH_0})
  endif()
  # Wheels contain headers of {fmt} without the library. They come before the system's.
  if(EXISTS ${LibTorch_INCLUDE_DIR}/fmt AND NOT LibTorch_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    target_compile_definitions(LibTorch::LibTorch INTERFACE FMT_HEADER_ONLY)
  endif()
  # The CUDA libraries that pip installs beside the wheel. Without these folders, the linker may find older libraries of
  # the system, for example by LD_LIBRARY_PATH, and report undefined references in libtorch_cuda.so.
  file(GLOB cuda_folders ${Torch_DIR}/../../../../nvidia/*/lib)
  foreach(folder ${cuda_folders})
    get_filename_component(folder ${folder} ABSOLUTE)
    target_link_options(LibTorch::LibTorch INTERFACE LINKER:-rpath-link,${folder})
  endforeach()
endif()
