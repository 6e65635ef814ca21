# cmake [-DSOURCE_DIR=src] -P cmake/CheckLayers.cmake
# Checks the #include lines and the add_module calls of every folder in src/. Fails and prints one line per violation.
# Files with the same name (x.hpp, x.cpp) are a unit. Units must not include each other in a cycle, not even in the same
# folder.
cmake_minimum_required(VERSION 3.21)

# The folders, lowest layer first. A folder may use the folders on the lines before its own; main.cpp may use all.
set(layers
  "core"
  "core/random files"
  "files/hdf5 study"
  "parallel/mpi"
  "parallel/devices parallel/partition"
  "data"
  "data/import data/transform data/stream"
  "models training/losses"
  "training/metrics"
  "training"
  "search engines/native/kernels"
  "engines/native/layers"
  "engines/native"
  "engines"
  "engines/libtorch runs/directory runs/journal runs/results"
  "runs"
  "commands/line"
  "commands/train commands/evaluate commands/preprocess commands/import commands/info commands/status"
  "commands")

# Third-party and public headers that only some files may include: pattern of the header | prefixes of the paths of
# those files.
set(third_party
  "mpi\\.h|parallel/mpi/"
  "(hdf5|hdf5_hl|H5[A-Za-z]+)\\.h|files/hdf5/"
  "(torch|ATen|c10|caffe2)/.*|engines/libtorch/"
  "sheaf/.*|engines/libtorch/"
  "boost/.*|study/parse_study.cpp"
  "hwloc(\\.h|/.*)|parallel/devices/"
  "(cuda|cu|nvml|nvToolsExt|thrust/)[A-Za-z_0-9./]*|parallel/devices/"
  "libxsmm.*|engines/native/kernels/product.cpp"
  "hwy/.*|core/ data/transform/ training/losses/ engines/native/"
  "libdeflate\\.h|files/"
  "zlib\\.h|files/"
  "nlohmann/.*|data/data_description.cpp runs/journal/ runs/results/run_description.cpp commands/evaluate/evaluation_report.cpp commands/status/status_report.cpp")

if(NOT DEFINED SOURCE_DIR)
  set(SOURCE_DIR ${CMAKE_CURRENT_LIST_DIR}/../src)
endif()
get_filename_component(SOURCE_DIR ${SOURCE_DIR} ABSOLUTE)
set(problems "")
macro(report text)
  list(APPEND problems "${text}")
endmacro()

# ---- lower_<folder>: the folders that it may use

set(folders "")
foreach(layer ${layers})
  separate_arguments(siblings UNIX_COMMAND "${layer}")
  foreach(folder ${siblings})
    set(lower_${folder} ${folders})
  endforeach()
  list(APPEND folders ${siblings})
endforeach()

# ---- reached_<folder>: its DEPENDS, recursively

# depends_of(<folder> <variable>): returns the folders after DEPENDS in the folder's add_module calls.
function(depends_of folder variable)
  set(depends "")
  if(EXISTS ${SOURCE_DIR}/${folder}/CMakeLists.txt)
    file(READ ${SOURCE_DIR}/${folder}/CMakeLists.txt text)
    string(REGEX REPLACE "#[^\n]*" "" text "${text}")
    string(REGEX MATCHALL "add_module\\([^)]*\\)" calls "${text}")
    foreach(call ${calls})
      string(REGEX MATCH "[ \n]DEPENDS([ \n]+[a-z0-9_/]+)+" named "${call}")
      string(REGEX MATCHALL "[a-z0-9_/]+" named "${named}")
      list(APPEND depends ${named})
    endforeach()
  endif()
  set(${variable} ${depends} PARENT_SCOPE)
endfunction()

foreach(folder ${folders})
  depends_of(${folder} depends)
  set(reached_${folder} ${depends})
  foreach(other ${depends})
    list(APPEND reached_${folder} ${reached_${other}})
    if(NOT other IN_LIST lower_${folder})
      report("${folder}/CMakeLists.txt: DEPENDS ${other}, which is not below ${folder}")
    endif()
  endforeach()
endforeach()

# ---- Every #include line

# check_own(<file> <folder> <header> <its folder>)
function(check_own file folder header other)
  if(NOT other IN_LIST folders)
    report("${file}: includes \"${header}\", which is not in a folder of src/ (use <> for third-party headers)")
  elseif(NOT folder STREQUAL "" AND NOT folder STREQUAL other)
    if(NOT other IN_LIST lower_${folder})
      report("${file}: includes \"${header}\", but ${other} is not below ${folder}")
    elseif(NOT other IN_LIST reached_${folder})
      report("${file}: includes \"${header}\", but the DEPENDS of ${folder} do not reach ${other}")
    endif()
  endif()
  set(problems "${problems}" PARENT_SCOPE)
endfunction()

# check_third_party(<file> <header>)
function(check_third_party file header)
  foreach(entry ${third_party})
    string(REGEX MATCH "^(.*)\\|([^|]*)$" entry "${entry}")
    set(pattern "${CMAKE_MATCH_1}")
    string(REPLACE " " ";" prefixes "${CMAKE_MATCH_2}")
    if(header MATCHES "^(${pattern})$")
      set(allowed OFF)
      foreach(prefix ${prefixes})
        string(FIND "${file}" "${prefix}" position)
        if(position EQUAL 0)
          set(allowed ON)
        endif()
      endforeach()
      if(NOT allowed)
        list(JOIN prefixes ", " prefixes)
        report("${file}: includes <${header}>, which only ${prefixes} may include")
      endif()
    endif()
  endforeach()
  set(problems "${problems}" PARENT_SCOPE)
endfunction()

set(units "")
# remember_include(<file> <header>): records an #include line for the search for cycles.
macro(remember_include file header)
  string(REGEX REPLACE "\\.[a-z]+$" "" unit ${file})
  string(REGEX REPLACE "\\.[a-z]+$" "" other_unit ${header})
  list(APPEND units ${unit})
  if(NOT unit STREQUAL other_unit)
    list(APPEND used_${unit} ${other_unit})
    list(APPEND lines_${unit} "${file}|${header}|${other_unit}")
  endif()
endmacro()

# remove_units_below_cycles(): removes from `units` those that include none of the remaining units, until none is left
# to remove. The remaining units are in cycles or include units in cycles.
function(remove_units_below_cycles)
  set(changed ON)
  while(changed)
    set(changed OFF)
    foreach(unit ${units})
      set(remaining OFF)
      foreach(other ${used_${unit}})
        if(other IN_LIST units)
          set(remaining ON)
          break()
        endif()
      endforeach()
      if(NOT remaining)
        list(REMOVE_ITEM units ${unit})
        set(changed ON)
      endif()
    endforeach()
  endwhile()
  set(units "${units}" PARENT_SCOPE)
endfunction()

# find_reached(<unit> <variable>): returns the units that it includes, directly or indirectly.
function(find_reached unit variable)
  set(reached "")
  set(new ${used_${unit}})
  while(new)
    list(POP_FRONT new next)
    if(NOT next IN_LIST reached)
      list(APPEND reached ${next})
      list(APPEND new ${used_${next}})
    endif()
  endwhile()
  set(${variable} ${reached} PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE files RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/*.cpp ${SOURCE_DIR}/*.hpp ${SOURCE_DIR}/*.cu ${SOURCE_DIR}/*.cuh)
if(NOT files)
  message(FATAL_ERROR "No sources were found in ${SOURCE_DIR}. Set SOURCE_DIR to the folder of the sources.")
endif()
list(SORT files)
foreach(file ${files})
  set(folder "")
  if(file MATCHES "^(.+)/[^/]+$")
    string(REGEX REPLACE "/include/.*" "" folder ${CMAKE_MATCH_1})  # public headers, <sheaf/...>
    if(NOT folder IN_LIST folders)
      report("${file}: is in a folder that is not in the table of cmake/CheckLayers.cmake")
      continue()
    endif()
  elseif(NOT file STREQUAL "main.cpp")
    report("${file}: is not in a folder")
  endif()
  file(STRINGS ${SOURCE_DIR}/${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
  foreach(line ${lines})
    string(REGEX MATCH "[<\"]([^>\"]+)" header "${line}")
    set(header "${CMAKE_MATCH_1}")
    get_filename_component(other "${header}" DIRECTORY)
    if(line MATCHES "include[ \t]*\"" OR (other IN_LIST folders AND header MATCHES "/"))
      check_own(${file} "${folder}" "${header}" "${other}")
      remember_include(${file} ${header})
    else()
      check_third_party(${file} "${header}")
    endif()
  endforeach()
endforeach()

# ---- Cycles

list(REMOVE_DUPLICATES units)
remove_units_below_cycles()
foreach(unit ${units})
  foreach(line ${lines_${unit}})
    string(REPLACE "|" ";" line "${line}")
    list(GET line 0 file)
    list(GET line 1 header)
    list(GET line 2 other_unit)
    find_reached(${other_unit} reached)
    if(unit IN_LIST reached)
      report("${file}: includes \"${header}\", which includes ${unit}")
    endif()
  endforeach()
endforeach()

list(LENGTH files count)
if(problems)
  list(JOIN problems "\n" text)
  message("${text}")
  list(LENGTH problems wrong)
  message(FATAL_ERROR "${wrong} violation(s) of the layers. The table is in cmake/CheckLayers.cmake.")
endif()
message(STATUS "layers: ${count} files checked, no violations")
