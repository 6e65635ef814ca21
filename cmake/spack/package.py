# SPDX-License-Identifier: MIT
# A recipe for Spack: put it into packages/sheaf/ of a repository of your own. Set `git` to the repository to clone.
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Sheaf(CMakePackage):
    """Sheaf trains many models in one MPI job: independent repeats, ensembles and hyper-parameter searches with
    cross-validation, on CPU cores and GPUs."""

    homepage = "https://example.org/sheaf"
    git = "https://example.org/sheaf.git"

    license("MIT")

    sanity_check_is_file = ["bin/sheaf"]

    version("main", branch="main")

    variant("cuda", default=False, description="Train on GPUs")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.21:", type="build")
    depends_on("gzip", type="build")

    depends_on("mpi")
    depends_on("hdf5+mpi")
    depends_on("boost+program_options")
    depends_on("fmt")
    depends_on("highway@1.0:")
    depends_on("hwloc@2:")
    depends_on("libdeflate")
    depends_on("nlohmann-json@3:")
    depends_on("zlib-api")
    depends_on("openblas threads=openmp")
    # Without LIBXSMM the native engine uses BLAS, which is several times slower for small networks.
    depends_on("libxsmm@1.17+shared", when="target=x86_64:")
    depends_on("py-torch@1.13:")
    depends_on("py-torch+cuda", when="+cuda")
    depends_on("py-torch~cuda", when="~cuda")
    depends_on("cuda", when="+cuda")

    # One binary has code for AVX2 and AVX-512 and selects it at run time; the lowest instruction set is SSE4.2.
    requires("target=x86_64_v2:", when="target=x86_64:")

    def cmake_args(self):
        python = self.spec["python"].package
        torch = join_path(self.spec["py-torch"].prefix, python.platlib, "torch", "share", "cmake", "Torch")
        return [
            self.define("BUILD_TESTING", False),
            self.define_from_variant("SHEAF_CUDA", "cuda"),
            self.define("Torch_DIR", torch),
        ]

    def test_installation(self):
        """train and predict with each engine"""
        which(self.prefix.bin.sheaf)("info", "--test")
