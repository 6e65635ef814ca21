# Finds all third-party packages. Each folder links the imported targets that it may use.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(MPI REQUIRED COMPONENTS C)
# Otherwise mpi.h declares the old C++ bindings, which need another library.
target_compile_definitions(MPI::MPI_C INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
find_package(Boost REQUIRED COMPONENTS program_options)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
find_package(nlohmann_json 3 REQUIRED)

# Decompresses the chunks of HDF5 files two to three times as fast as zlib. Importers use zlib, because it reads
# streams.
find_path(LIBDEFLATE_INCLUDE_DIR libdeflate.h)
find_library(LIBDEFLATE_LIBRARY deflate)
if(NOT LIBDEFLATE_INCLUDE_DIR OR NOT LIBDEFLATE_LIBRARY)
  message(FATAL_ERROR "libdeflate was not found (package libdeflate-dev on Debian).")
endif()
add_library(sheaf_libdeflate INTERFACE)
target_include_directories(sheaf_libdeflate SYSTEM INTERFACE ${LIBDEFLATE_INCLUDE_DIR})
target_link_libraries(sheaf_libdeflate INTERFACE ${LIBDEFLATE_LIBRARY})

# Highway compiles a file that includes foreach_target.h for several instruction sets; the program chooses one at run
# time. On x86 the lowest is SSE4.2 (x86-64-v2), so that no file needs scalar code.
find_package(hwy 1.0 CONFIG QUIET)
if(NOT TARGET hwy::hwy)
  message(FATAL_ERROR "Highway 1.0 was not found (package libhwy-dev on Debian).")
endif()
add_library(sheaf_highway INTERFACE)
target_link_libraries(sheaf_highway INTERFACE hwy::hwy)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  target_compile_options(sheaf_highway INTERFACE -msse4.2)
  target_compile_definitions(sheaf_highway INTERFACE HWY_DISABLE_PCLMUL_AES)
endif()

find_path(HWLOC_INCLUDE_DIR hwloc.h)
find_library(HWLOC_LIBRARY hwloc)
if(NOT HWLOC_INCLUDE_DIR OR NOT HWLOC_LIBRARY)
  message(FATAL_ERROR "hwloc was not found (package libhwloc-dev on Debian).")
endif()
add_library(hwloc::hwloc INTERFACE IMPORTED)
target_include_directories(hwloc::hwloc SYSTEM INTERFACE ${HWLOC_INCLUDE_DIR})
target_link_libraries(hwloc::hwloc INTERFACE ${HWLOC_LIBRARY})

# Only parallel HDF5: the serial build lacks H5Pset_fapl_mpio.
set(HDF5_PREFER_PARALLEL ON)
find_package(HDF5 REQUIRED COMPONENTS C)
if(NOT HDF5_IS_PARALLEL)
  message(FATAL_ERROR "HDF5 was found without MPI support (${HDF5_C_INCLUDE_DIRS}). "
                      "Install the parallel build (libhdf5-openmpi-dev on Debian) or set HDF5_ROOT to one.")
endif()
include(SameMpi)
mpi_of_another("${HDF5_C_LIBRARIES}" "${MPI_C_LIBRARIES}" other_mpi)
if(other_mpi)
  message(FATAL_ERROR "HDF5 was built with a different MPI (${HDF5_C_INCLUDE_DIRS} needs ${other_mpi}, but "
                      "MPI is ${MPI_C_LIBRARIES}). Install the build for this MPI (libhdf5-openmpi-dev on Debian for "
                      "Open MPI) or set HDF5_ROOT to one.")
endif()
add_library(sheaf_hdf5_c INTERFACE)
target_include_directories(sheaf_hdf5_c SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(sheaf_hdf5_c INTERFACE ${HDF5_C_LIBRARIES} MPI::MPI_C)

# The fuzz targets do not need the other packages.
if(SHEAF_FUZZ)
  return()
endif()

find_package(LibTorch 1.13 REQUIRED)

# Matrix products of the native engine: LIBXSMM if it supports the processor, otherwise BLAS, which is loaded on demand
# by the name that programs linked to it contain. libblas is preferred, because LibTorch uses the same library.
find_library(BLAS_LIBRARY NAMES blas openblas flexiblas mkl_rt)
if(NOT BLAS_LIBRARY)
  message(FATAL_ERROR "No BLAS library was found (package libopenblas-openmp-dev on Debian).")
endif()
get_filename_component(blas_folder ${BLAS_LIBRARY} DIRECTORY)
get_filename_component(blas_name ${BLAS_LIBRARY} NAME)
execute_process(COMMAND ${CMAKE_READELF} -d ${BLAS_LIBRARY} OUTPUT_VARIABLE blas_entries ERROR_QUIET)
if(blas_entries MATCHES "SONAME[^[]*\\[([^]]+)\\]")
  set(blas_name ${CMAKE_MATCH_1})
endif()
add_library(sheaf_blas INTERFACE)
target_compile_definitions(sheaf_blas INTERFACE SHEAF_BLAS_NAME="${blas_name}")
# The loader does not search other folders than the system's.
if(blas_folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES OR NOT EXISTS ${blas_folder}/${blas_name})
  target_compile_definitions(sheaf_blas INTERFACE SHEAF_BLAS_FILE="${blas_name}")
else()
  target_compile_definitions(sheaf_blas INTERFACE SHEAF_BLAS_FILE="${blas_folder}/${blas_name}")
endif()

find_path(LIBXSMM_INCLUDE_DIR libxsmm.h PATH_SUFFIXES libxsmm)
find_library(LIBXSMM_LIBRARY xsmm)
add_library(sheaf_libxsmm INTERFACE)
set(SHEAF_HAVE_LIBXSMM OFF)
if(LIBXSMM_INCLUDE_DIR AND LIBXSMM_LIBRARY)
  # Only release series 1; series 2 has different functions.
  file(STRINGS ${LIBXSMM_INCLUDE_DIR}/libxsmm.h LIBXSMM_OF_SERIES_1 REGEX "libxsmm_smmdispatch\\(")
  if(LIBXSMM_OF_SERIES_1)
    set(SHEAF_HAVE_LIBXSMM ON)
    target_include_directories(sheaf_libxsmm SYSTEM INTERFACE ${LIBXSMM_INCLUDE_DIR})
    target_link_libraries(sheaf_libxsmm INTERFACE ${LIBXSMM_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS} rt m)
    target_compile_definitions(sheaf_libxsmm INTERFACE SHEAF_HAVE_LIBXSMM)
  endif()
endif()
if(NOT SHEAF_HAVE_LIBXSMM)
  message(WARNING "LIBXSMM 1.x was not found (package libxsmm-dev on Debian). The native engine uses BLAS instead, "
                  "which is several times slower for small networks.")
endif()

set(SHEAF_HAVE_CUDA OFF)
if(SHEAF_CUDA)
  find_package(CUDAToolkit QUIET)
  set(SHEAF_HAVE_CUDA ${CUDAToolkit_FOUND})
endif()

# nvcc compiles the kernels for GPUs if LibTorch was built with CUDA. Code for a GPU also runs on those of the same generation,
# such as that of 8.0 on 8.9, and the driver translates the last one for later generations.
set(SHEAF_HAVE_GPU_KERNELS OFF)
set(SHEAF_GPU_OPTIONS -fmad=false)  # a product and a sum are rounded twice, as by LibTorch's operators
if(SHEAF_HAVE_CUDA AND TARGET LibTorch::CUDA)
  if(NOT DEFINED ENV{CUDACXX})
    set(ENV{CUDACXX} ${CUDAToolkit_NVCC_EXECUTABLE})
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    set(SHEAF_HAVE_GPU_KERNELS ON)
    set(SHEAF_GPU_ARCHITECTURES 80)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 11.8)
      set(SHEAF_GPU_ARCHITECTURES 80-real 90)
    endif()
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
      set(SHEAF_GPU_ARCHITECTURES 80-real 90-real 100-real 120)
    endif()
  endif()
endif()
