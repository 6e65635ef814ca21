# mpi_of_another(<libraries> <libraries of MPI> <variable>): the MPI library that one of these shared libraries needs,
# where it is none of MPI's, such as libmpich.so.12 beside Open MPI's libmpi.so.40. "" where all need this MPI, or where
# no file tells (static libraries, a compiler that links MPI by itself).

function(elf_names files tag variable)
  set(names "")
  foreach(file ${files})
    execute_process(COMMAND ${CMAKE_READELF} -d ${file} OUTPUT_VARIABLE text ERROR_QUIET)
    string(REGEX REPLACE "[][;]" "|" text "${text}") # CMake's lists keep brackets together
    string(REGEX MATCHALL "\\(${tag}\\)[^|\n]*[|][^|\n]*" entries "${text}")
    list(TRANSFORM entries REPLACE ".*[|]" "")
    list(APPEND names ${entries})
  endforeach()
  set(${variable} "${names}" PARENT_SCOPE)
endfunction()

function(mpi_of_another libraries mpi_libraries variable)
  elf_names("${libraries}" NEEDED needed)
  elf_names("${mpi_libraries}" SONAME own)
  list(FILTER needed INCLUDE REGEX "^libmpi[a-z0-9_]*[.]so")
  set(other "")
  foreach(name ${needed})
    if(name IN_LIST own)
      set(${variable} "" PARENT_SCOPE)
      return()
    endif()
    set(other ${name})
  endforeach()
  if(NOT own)
    set(other "")
  endif()
  set(${variable} "${other}" PARENT_SCOPE)
endfunction()
