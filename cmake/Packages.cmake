# cpack: the Debian packages `sheaf` and `sheaf-torch`, which adds LibTorch and the files for plugins. cmake/package.sh
# builds them.
set(SHEAF_PACKAGE_CONTACT "The Sheaf authors <sheaf@example.org>" CACHE STRING "Maintainer in Debian packages")

# The version names the release that a package is for, such as 0.16.0+deb12: the libraries of others differ.
set(version ${PROJECT_VERSION})
if(EXISTS /etc/os-release)
  file(STRINGS /etc/os-release release REGEX "^(ID|VERSION_ID)=")
  list(SORT release)
  if(release MATCHES "^ID=\"?([a-z]+)\"?;VERSION_ID=\"?([0-9.]+)")
    string(REPLACE debian deb suffix ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
    string(APPEND version +${suffix})
  endif()
endif()

# ---- Files that only packages have

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(changelog ${PROJECT_BINARY_DIR}/changelog)
file(WRITE ${changelog} "sheaf (${version}) unstable; urgency=medium

  * Release ${PROJECT_VERSION}.

 -- ${SHEAF_PACKAGE_CONTACT}  ${date}
")
execute_process(COMMAND ${SHEAF_GZIP} -9nf ${changelog} COMMAND_ERROR_IS_FATAL ANY)
file(READ LICENSE license)
string(REGEX REPLACE "^MIT License\n\nCopyright [^\n]*\n\n" "" license "${license}")
string(STRIP "${license}" license)
string(REPLACE "\n\n" "\n.\n" license "${license}")
string(REPLACE "\n" "\n " license "${license}")
file(CONFIGURE OUTPUT copyright @ONLY CONTENT "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Sheaf

Files: *
Copyright: 2026 The Sheaf authors
License: Expat

Files: data/digits.h5
Copyright: 1998 E. Alpaydin and C. Kaynak
License: CC-BY-4.0

Files: data/wine.csv
Copyright: 1992 S. Aeberhard and M. Forina
License: CC-BY-4.0

License: Expat
 @license@

License: CC-BY-4.0
 Creative Commons Attribution 4.0 International:
 https://creativecommons.org/licenses/by/4.0/legalcode
")
foreach(package sheaf sheaf-torch)
  string(REGEX REPLACE "^sheaf-" "" component ${package})
  install(FILES ${changelog}.gz ${CMAKE_CURRENT_BINARY_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
    COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()

# ---- The packages

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sheaf)
set(CPACK_PACKAGE_VERSION ${version})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "trains many models in one MPI job")
set(CPACK_PACKAGE_CONTACT ${SHEAF_PACKAGE_CONTACT})
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL sheaf torch)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# What shlibdeps does not see: mpirun, the BLAS library, which is loaded on demand, and the lowest instruction set.
set(depends "openmpi-bin, libopenblas0-openmp | libblas.so.3")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  string(APPEND depends ", sse4.2-support")
endif()
set(CPACK_DEBIAN_SHEAF_PACKAGE_NAME sheaf)
set(CPACK_DEBIAN_SHEAF_PACKAGE_DEPENDS ${depends})
set(CPACK_DEBIAN_SHEAF_PACKAGE_RECOMMENDS "sheaf-torch, libxgboost0")
set(CPACK_DEBIAN_SHEAF_DESCRIPTION "Independent repeats, ensembles and hyper-parameter searches with
cross-validation, on CPU cores and GPUs, of hundreds to millions of small
and medium models. Results are on disk as soon as a model is trained, and a
stopped job resumes where it left off.
.
This package has the native engine, which trains linear models and MLPs,
and trains boosted trees with XGBoost.")
set(CPACK_DEBIAN_TORCH_PACKAGE_NAME sheaf-torch)
set(CPACK_DEBIAN_TORCH_PACKAGE_DEPENDS "sheaf (= ${version})")
set(CPACK_DEBIAN_TORCH_PACKAGE_SUGGESTS "libtorch-dev, cmake, g++")
set(CPACK_DEBIAN_TORCH_DESCRIPTION "Sheaf trains independent repeats, ensembles and hyper-parameter searches
with cross-validation, on CPU cores and GPUs.
.
This package has the engine that trains all kinds of models with LibTorch,
also TorchScript modules and C++ modules of users, and what CMake needs to
build the latter.")
include(CPack)
