# mpi_of_another(<libraries> <libraries of MPI> <variable>): returns the MPI library that one of these shared libraries
# needs if it is a different MPI, such as libmpich.so.12 instead of Open MPI's libmpi.so.40. Returns "" if all need this
# MPI, or if the files do not show it (static libraries, or a compiler that links MPI implicitly).

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
