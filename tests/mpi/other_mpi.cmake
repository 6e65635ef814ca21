# Tests that cmake/SameMpi.cmake finds libraries that were built with another MPI. Builds small libraries to do so.
# Usage: cmake -DSOURCE_DIR=. -DCMAKE_CXX_COMPILER=c++ -DCMAKE_READELF=readelf -P other_mpi.cmake
cmake_minimum_required(VERSION 3.21)
include(${SOURCE_DIR}/cmake/SameMpi.cmake)

set(work ${CMAKE_CURRENT_BINARY_DIR}/other_mpi)
file(REMOVE_RECURSE ${work})
file(WRITE ${work}/empty.cpp "")

# link(<file> [<required libraries>...])
function(link file)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -shared -fPIC -o ${work}/${file} -Wl,-soname,${file} ${work}/empty.cpp
                          -L${work} -Wl,--no-as-needed ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# expect(<library of the other MPI, or ""> <libraries> <libraries of this build's MPI>)
function(expect expected libraries mpi_libraries)
  list(TRANSFORM libraries PREPEND ${work}/)
  list(TRANSFORM mpi_libraries PREPEND ${work}/)
  mpi_of_another("${libraries}" "${mpi_libraries}" found)
  if(NOT found STREQUAL expected)
    message(FATAL_ERROR "'${libraries}' with MPI '${mpi_libraries}': '${found}' instead of '${expected}'")
  endif()
endfunction()

link(libmpi.so.40)
link(libmpi_cxx.so.40 -l:libmpi.so.40)
link(libmpich.so.12)
link(libhdf5_openmpi.so -l:libmpi_cxx.so.40 -l:libmpi.so.40)
link(libhdf5_mpich.so -l:libmpich.so.12)
link(libsz.so)
file(WRITE ${work}/libhdf5.a "!<arch>\n")

expect("" "libhdf5_openmpi.so;libsz.so" libmpi.so.40)
expect("" "libhdf5_openmpi.so;libsz.so" "libmpi_cxx.so.40;libmpi.so.40")
expect("" "libsz.so;libhdf5_mpich.so" libmpich.so.12)
expect(libmpich.so.12 "libsz.so;libhdf5_mpich.so" libmpi.so.40)
expect(libmpi.so.40 libhdf5_openmpi.so libmpich.so.12)
expect("" "libhdf5.a;libsz.so" libmpi.so.40)
expect("" libhdf5_mpich.so "")
