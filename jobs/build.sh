#!/usr/bin/env bash
# Configures a preset of CMakePresets.json and builds it, or the given targets of it.
# Usage: jobs/build.sh PRESET [TARGET…]
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1
shift

# Only a wish: a build directory that exists keeps its generator.
if [[ -z ${CMAKE_GENERATOR:-} ]] && command -v ninja >/dev/null; then
  export CMAKE_GENERATOR=Ninja
fi

targets=()
[[ $# -eq 0 ]] || targets=(--target "$@")

cmake --preset "$preset" --log-level=NOTICE >/dev/null
cmake --build --preset "$preset" --parallel "${RWLEASE_BUILD_JOBS:-$(nproc)}" "${targets[@]}"
