# cmake [-DSOURCE_DIR=src] [-DPAGE=src/README.md] -P cmake/CheckLayers.cmake
# Checks the #include lines and the add_module calls of every folder in src/, and the folders that src/README.md names.
# Fails and prints one line per violation.
# Files with the same name (x.hpp, x.cpp) are a unit. Units must not include each other in a cycle, not even in the same
# folder.
cmake_minimum_required(VERSION 3.21)

include(${CMAKE_CURRENT_LIST_DIR}/../src/folders.cmake)

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
  "nlohmann/.*|data/description_text.cpp models/tree_model_file.cpp runs/journal/ runs/results/feature_importance.cpp runs/results/run_description.cpp runs/results/trial_ensemble.cpp commands/evaluate/evaluation_report.cpp commands/report/stored_summary.cpp report/status_report.cpp report/report_json.cpp report/trace.cpp")

# The same for own headers: those of one engine, since other folders use all engines in the same way, by their rows.
set(own
  "engines/[a-z]+/.*|engines/"
  "engines/torch_(backend|engine)\\.hpp|engines/")

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

# ---- The diagram and the table of src/README.md

# diagram_line(<folders of a layer> <variable>): "runs/{directory, journal}, search" for runs/directory runs/journal search
function(diagram_line siblings variable)
  set(names "")
  set(parents "")
  foreach(folder ${siblings})
    get_filename_component(parent "${folder}" DIRECTORY)
    get_filename_component(name "${folder}" NAME)
    set(of_parent ${siblings})
    list(FILTER of_parent INCLUDE REGEX "^${parent}/[^/]+$")
    list(LENGTH of_parent count)
    if(parent STREQUAL "" OR count EQUAL 1)
      list(APPEND names ${folder})
    elseif(NOT parent IN_LIST parents)
      list(APPEND parents ${parent})
      list(TRANSFORM of_parent REPLACE "^.*/" "")
      list(JOIN of_parent ", " of_parent)
      list(APPEND names "${parent}/{${of_parent}}")
    endif()
  endforeach()
  list(JOIN names ", " line)
  set(${variable} "    ${line}\n" PARENT_SCOPE)
endfunction()

# check_diagram(<text of the page>): the lines below main.cpp are the layers, from the highest to the lowest.
function(check_diagram page)
  string(REGEX REPLACE "^.*\n    main[.]cpp\n" "" rest "${page}")
  list(REVERSE layers)
  foreach(layer ${layers})
    separate_arguments(siblings UNIX_COMMAND "${layer}")
    diagram_line("${siblings}" expected)
    string(REGEX MATCH "^[^\n]*\n" line "${rest}")
    if(NOT line STREQUAL expected)
      string(STRIP "${line}" line)
      string(STRIP "${expected}" expected)
      report("README.md: the diagram of the folders has the line '${line}' instead of '${expected}'")
      break()
    endif()
    string(LENGTH "${line}" length)
    string(SUBSTRING "${rest}" ${length} -1 rest)
  endforeach()
  set(problems "${problems}" PARENT_SCOPE)
endfunction()

if(NOT DEFINED PAGE)
  set(PAGE ${SOURCE_DIR}/README.md)
endif()
file(READ ${PAGE} page)
check_diagram("${page}")
foreach(folder ${folders})
  string(FIND "${page}" "\n| `${folder}` |" position)
  if(position EQUAL -1 AND NOT folder MATCHES "^commands/.*")
    report("README.md: the table of the folders has no row for ${folder}")
  endif()
endforeach()
string(REGEX MATCHALL "\n\\| `[a-z/]+` \\|" rows "${page}")
foreach(row ${rows})
  string(REGEX MATCH "[a-z/]+" row "${row}")
  if(NOT row IN_LIST folders)
    report("README.md: the table of the folders has a row for ${row}, which is not in src/folders.cmake")
  endif()
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

# check_allowed(<file> <header> <the header as it is included> <table>): the file may include the header, by the table
# with this name.
function(check_allowed file header included table)
  foreach(entry ${${table}})
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
        report("${file}: includes ${included}, which only ${prefixes} may include")
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
      report("${file}: is in a folder that is not in src/folders.cmake")
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
      check_allowed(${file} "${header}" "\"${header}\"" own)
      remember_include(${file} ${header})
    else()
      check_allowed(${file} "${header}" "<${header}>" third_party)
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
  message(FATAL_ERROR "${wrong} violation(s) of the layers. The layers are in src/folders.cmake.")
endif()
message(STATUS "layers: ${count} files checked, no violations")
