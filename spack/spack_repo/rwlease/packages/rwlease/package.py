"""Spack recipe of rwlease; spack/README.md says how to use it."""

import os

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # Spack before 1.0: it comes with spack.package
    pass

from spack.package import *

# The clone in which this recipe lies.
CLONE = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 5))


class Rwlease(CMakePackage):
    """Read/write leases on shared scratch for HPC: many readers or one writer, on any hosts,
    made of plain directory entries on NFS or any other shared file system. With a collective
    form for MPI communicators."""

    git = f"file://{CLONE}"

    license("Apache-2.0")

    version("main", branch="main")

    variant("mpi", default=True, description="Collective leases for MPI communicators")
    variant("shared", default=True, description="Shared libraries instead of static ones")
    variant("fortran", default=True, description="Fortran modules")
    variant("tools", default=True, description="The rwlease command; with mpi the self-test")
    variant("docs", default=False, description="The reference of the interface as HTML")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.20:", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("boost@1.66:+program_options", when="+tools")
    depends_on("nlohmann-json@3.9:", type="build", when="+tools")
    depends_on("doxygen@1.9:", type="build", when="+docs")
    depends_on("googletest@1.10:+gmock", type="test")

    conflicts("%gcc@:7", msg="rwlease needs C++17 with std::filesystem")

    sanity_check_is_file = [
        join_path("include", "rwlease", "lock.hpp"),
        join_path("include", "rwlease", "rwlease.h"),
        join_path("share", "rwlease", "jobs", "serial.sbatch"),
    ]
    sanity_check_is_dir = [join_path("include", "rwlease")]

    # What each choice of variants brings, below the prefix.
    parts = {
        "+mpi": join_path("include", "rwlease", "mpi.hpp"),
        "+fortran": join_path("include", "rwlease", "fortran", "rwlease.mod"),
        "+tools": join_path("bin", "rwlease"),
        "+tools+mpi": join_path("bin", "rwlease-selftest"),
        "+docs": join_path("share", "doc", "rwlease", "html", "index.html"),
    }

    def cmake_args(self):
        return [
            self.define("RWLEASE_BUILD_TESTS", self.run_tests),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("RWLEASE_BUILD_MPI", "mpi"),
            self.define_from_variant("RWLEASE_BUILD_FORTRAN", "fortran"),
            self.define_from_variant("RWLEASE_BUILD_TOOLS", "tools"),
            self.define_from_variant("RWLEASE_BUILD_DOCS", "docs"),
        ]

    def check(self):
        """The unit tests; the other groups take time, several processes, or root."""
        with working_dir(self.build_directory):
            ctest("--output-on-failure", "-L", "^unit$")

    @run_after("install")
    def check_parts(self):
        """CMake leaves out what it cannot build; then it is not what was asked for."""
        for wanted, path in self.parts.items():
            if self.spec.satisfies(wanted) and not os.path.isfile(join_path(self.prefix, path)):
                raise InstallError(f"{wanted} was asked for, but {path} was not installed")

    def command(self):
        if self.spec.satisfies("~tools"):
            raise SkipTest("the command is not installed (~tools)")
        return which(self.prefix.bin.join("rwlease"), required=True)

    def test_run(self):
        """the command holds a lease while another one runs"""
        rwlease = self.command()
        arguments = ["run", "--write", "data", "--", "printenv", "RWLEASE_MODE"]
        check_outputs(["write"], rwlease(*arguments, output=str.split, error=str.split))

    def test_status(self):
        """the command tells who holds a lock"""
        rwlease = self.command()
        out = rwlease("status", "--json", "data", output=str.split, error=str.split)
        check_outputs([r'"schema": "rwlease-status/1"'], out)
