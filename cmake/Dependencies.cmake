# Every third-party package, found once. Folders link the imported targets they are allowed to name.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(MPI REQUIRED COMPONENTS C)
# mpi.h would declare the old C++ bindings to a C++ compiler, and want their library.
target_compile_definitions(MPI::MPI_C INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
find_package(Boost REQUIRED COMPONENTS program_options)
find_package(fmt REQUIRED)

find_path(RANDOM123_INCLUDE_DIR Random123/philox.h)
if(NOT RANDOM123_INCLUDE_DIR)
  message(FATAL_ERROR "Random123 was not found (package librandom123-dev on Debian).")
endif()
add_library(Random123::Random123 INTERFACE IMPORTED)
target_include_directories(Random123::Random123 SYSTEM INTERFACE ${RANDOM123_INCLUDE_DIR})

find_path(HWLOC_INCLUDE_DIR hwloc.h)
find_library(HWLOC_LIBRARY hwloc)
if(NOT HWLOC_INCLUDE_DIR OR NOT HWLOC_LIBRARY)
  message(FATAL_ERROR "hwloc was not found (package libhwloc-dev on Debian).")
endif()
add_library(hwloc::hwloc INTERFACE IMPORTED)
target_include_directories(hwloc::hwloc SYSTEM INTERFACE ${HWLOC_INCLUDE_DIR})
target_link_libraries(hwloc::hwloc INTERFACE ${HWLOC_LIBRARY})

# Parallel HDF5 only: the serial build lacks H5Pset_fapl_mpio.
set(HDF5_PREFER_PARALLEL ON)
find_package(HDF5 REQUIRED COMPONENTS C)
if(NOT HDF5_IS_PARALLEL)
  message(FATAL_ERROR "HDF5 was found without MPI support (${HDF5_C_INCLUDE_DIRS}). "
                      "Install the parallel build (libhdf5-openmpi-dev on Debian) or set HDF5_ROOT to one.")
endif()
add_library(sheaf_hdf5_c INTERFACE)
target_include_directories(sheaf_hdf5_c SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(sheaf_hdf5_c INTERFACE ${HDF5_C_LIBRARIES} MPI::MPI_C)

# LibTorch: CMAKE_PREFIX_PATH first (pip wheel, pytorch.org archive, CUDA build), then the distribution's.
find_package(Torch REQUIRED)
# Its flags are global strings (old C++ ABI switch among them); they belong to every object of the program.
separate_arguments(SHEAF_TORCH_FLAGS UNIX_COMMAND "${TORCH_CXX_FLAGS}")
add_compile_options(${SHEAF_TORCH_FLAGS})

set(SHEAF_HAVE_CUDA OFF)
if(SHEAF_CUDA)
  find_package(CUDAToolkit QUIET)
  set(SHEAF_HAVE_CUDA ${CUDAToolkit_FOUND})
endif()
