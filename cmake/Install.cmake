# cmake --install: the program, its private library, the files for plugins, job scripts and studies. All paths between
# installed files are relative, so a prefix can be moved. Component `torch` has what needs LibTorch, `sheaf` the rest;
# `license` and `modulefile` are left out of Debian packages.
include(CMakePackageConfigHelpers)

# A library outside the system's folders is found where it was linked, for example that of a wheel or of Spack.
set_target_properties(sheaf sheaf_engines_libtorch PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS sheaf RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT sheaf)
install(TARGETS sheaf_engines_libtorch LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sheaf COMPONENT torch)

# ---- find_package(Sheaf), for plugins: of an installation, and of this build folder

set(SHEAF_INCLUDE_DIR ${CMAKE_INSTALL_INCLUDEDIR})
set(SHEAF_MODULE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Sheaf)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/install/SheafConfig.cmake.in
  ${PROJECT_BINARY_DIR}/installed/SheafConfig.cmake
  INSTALL_DESTINATION ${SHEAF_MODULE_DIR} PATH_VARS SHEAF_INCLUDE_DIR SHEAF_MODULE_DIR)
set(SHEAF_INCLUDE_DIR src/engines/libtorch/include)
set(SHEAF_MODULE_DIR cmake)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/install/SheafConfig.cmake.in
  ${PROJECT_BINARY_DIR}/SheafConfig.cmake
  INSTALL_DESTINATION ${PROJECT_BINARY_DIR} INSTALL_PREFIX ${PROJECT_SOURCE_DIR}
  PATH_VARS SHEAF_INCLUDE_DIR SHEAF_MODULE_DIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/SheafConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(DIRECTORY src/engines/libtorch/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT torch)
install(FILES ${PROJECT_BINARY_DIR}/installed/SheafConfig.cmake ${PROJECT_BINARY_DIR}/SheafConfigVersion.cmake
              cmake/FindLibTorch.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Sheaf COMPONENT torch)

# ---- Scripts, studies and their data, in the folders of this repository, because they refer to each other

set(share ${CMAKE_INSTALL_DATADIR}/sheaf)
install(PROGRAMS jobs/local.sh jobs/cpu.sbatch jobs/gpu.sbatch jobs/hetero.sbatch jobs/array.sbatch
  DESTINATION ${share}/jobs COMPONENT sheaf)
install(FILES jobs/program.sh jobs/slurm.sh DESTINATION ${share}/jobs COMPONENT sheaf)
install(DIRECTORY jobs/studies DESTINATION ${share}/jobs COMPONENT sheaf FILES_MATCHING PATTERN "*.cfg")
install(DIRECTORY jobs/plugin DESTINATION ${share}/jobs COMPONENT torch)
install(FILES data/digits.h5 data/visits.h5 data/wine.csv DESTINATION ${share}/data COMPONENT sheaf)

install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT sheaf)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT license)

# ---- Completion. Debian's zsh reads vendor-completions instead of site-functions.

set(SHEAF_ZSH_FOLDER ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Folder of zsh's completion functions")
install(FILES cmake/install/sheaf.bash RENAME sheaf
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT sheaf)
install(FILES cmake/install/_sheaf DESTINATION ${SHEAF_ZSH_FOLDER} COMPONENT sheaf)
install(FILES cmake/install/sheaf.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT sheaf)

install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT sheaf
  FILES_MATCHING PATTERN "*.gz")

# ---- Environment modules

set(modulefiles ${CMAKE_INSTALL_DATADIR}/sheaf/modulefiles/sheaf)
file(RELATIVE_PATH prefix ${CMAKE_INSTALL_PREFIX}/${modulefiles} ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/install/modulefile.in ${PROJECT_BINARY_DIR}/installed/modulefile @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/installed/modulefile RENAME ${PROJECT_VERSION}
  DESTINATION ${modulefiles} COMPONENT modulefile)
