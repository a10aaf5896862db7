"""Checks the Spack recipe without Spack: recipe.py SOURCE WORK STAGED BARE

STAGED is an installation with all variants but docs, BARE one with none. What Spack gives to recipes is replaced by
just as much as this recipe uses; anything else that it comes to use fails here as an unknown name.
"""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import types

source, work, staged, bare = map(pathlib.Path, sys.argv[1:5])
RECIPE = source / "spack/spack_repo/rwlease/packages/rwlease/package.py"
SPACK_0 = "CMakePackage from spack.package"
SPACK_1 = "CMakePackage from spack_repo"


class Recorder:
    """The directives of a recipe: each call is kept."""

    def __init__(self):
        self.calls = {name: [] for name in ("version", "variant", "depends_on", "conflicts", "license")}

    def directive(self, name):
        return lambda *words, **settings: self.calls[name].append((words, settings))


class Prefix(str):
    @property
    def bin(self):
        return Prefix(os.path.join(self, "bin"))

    def join(self, name):
        return Prefix(os.path.join(self, name))


class Spec:
    def __init__(self, chosen):
        self._chosen = chosen

    def satisfies(self, text):
        wanted = re.findall(r"([+~])(\w+)", text)
        assert "".join(sign + name for sign, name in wanted) == text, text
        return all(self._chosen[name] == (sign == "+") for sign, name in wanted)


class CMakePackage:
    """As Spack's: what recipes call of it."""

    run_tests = False

    def __init__(self, chosen, prefix=""):
        self.spec = Spec(chosen)
        self.prefix = Prefix(prefix)
        self._chosen = chosen

    @staticmethod
    def define(name, value):
        assert isinstance(value, bool), (name, value)
        return f"-D{name}:BOOL={'ON' if value else 'OFF'}"

    def define_from_variant(self, name, variant):
        return self.define(name, self._chosen[variant])


class SkipTest(Exception):
    pass


class InstallError(Exception):
    pass


def which(path, required):
    assert required and os.access(path, os.X_OK), path
    return lambda *words, output, error: subprocess.run(
        [path, *words], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
    ).stdout


def check_outputs(expected, out):
    for pattern in expected:
        assert re.search(pattern, out), (pattern, out)


def load(way):
    """The recipe's class, and what its directives said."""
    recorder = Recorder()
    package = types.ModuleType("spack.package")
    names = {name: recorder.directive(name) for name in recorder.calls}
    names.update(join_path=os.path.join, run_after=lambda phase: lambda method: method, which=which,
                 check_outputs=check_outputs, SkipTest=SkipTest, InstallError=InstallError)
    modules = {"spack": types.ModuleType("spack"), "spack.package": package}
    if way == SPACK_0:
        names["CMakePackage"] = CMakePackage
    else:
        parents = ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems")
        modules.update({name: types.ModuleType(name) for name in parents})
        cmake = modules["spack_repo.builtin.build_systems.cmake"] = types.ModuleType("cmake")
        cmake.CMakePackage = CMakePackage
    package.__dict__.update(names, __all__=list(names))
    sys.modules.update(modules)
    try:
        spec = importlib.util.spec_from_file_location("recipe", RECIPE)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        for name in modules:
            del sys.modules[name]
    return module.Rwlease, recorder.calls


def configure(recipe, chosen):
    """With exactly the recipe's arguments; CMake tells of those that mean nothing to it."""
    package = recipe(chosen)
    name = "-".join(variant for variant in chosen if chosen[variant]) or "none"
    build = work / f"recipe-{name}"
    shutil.rmtree(build, ignore_errors=True)
    command = ["cmake", "-S", source, "-B", build, *package.cmake_args()]
    said = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert said.returncode == 0, said.stdout
    for trouble in ("not used by the project", "left out"):
        assert trouble not in " ".join(said.stdout.split()), said.stdout


def check_options(recipe, chosen):
    declared = set(re.findall(r"^\s*option\((\w+)", "".join(
        path.read_text() for path in (source / "CMakeLists.txt", source / "src/cmake/top_level.cmake")), re.M))
    passed = {re.match(r"-D(\w+):BOOL=", argument)[1] for argument in recipe(chosen).cmake_args()}
    assert passed <= declared, f"no options of CMakeLists.txt: {passed - declared}"


def check_installed(recipe, prefix, chosen):
    for path in recipe.sanity_check_is_file:
        assert (prefix / path).is_file(), path
    for path in recipe.sanity_check_is_dir:
        assert (prefix / path).is_dir(), path
    package = recipe(chosen, prefix)
    package.check_parts()
    for test in (name for name in dir(package) if name.startswith("test_")):
        assert getattr(recipe, test).__doc__, test
        try:
            getattr(package, test)()
            assert chosen["tools"], test
        except SkipTest:
            assert not chosen["tools"], test


def check_refusal(recipe, chosen):
    """That check_parts can fail: nothing of what was asked for is in BARE."""
    for variant in ("mpi", "fortran", "tools", "docs"):
        try:
            recipe({**chosen, variant: True}, bare).check_parts()
        except InstallError:
            continue
        raise AssertionError(f"+{variant} without its files passed")


def main():
    load(SPACK_0)
    recipe, calls = load(SPACK_1)
    variants = [words[0] for words, _ in calls["variant"]]
    none = dict.fromkeys(variants, False)
    everything = dict.fromkeys(variants, True)
    assert sorted(variants) == ["docs", "fortran", "mpi", "shared", "tools"], variants
    assert calls["version"] and calls["license"] == [(("Apache-2.0",), {})]
    for _, settings in calls["depends_on"]:
        for variant in re.findall(r"[+~](\w+)", settings.get("when", "")):
            assert variant in variants, variant
    check_options(recipe, none)
    configure(recipe, none)
    configure(recipe, everything)
    check_installed(recipe, staged, {**everything, "docs": False})
    check_installed(recipe, bare, none)
    check_refusal(recipe, none)


main()
