#!/usr/bin/env bash
# Installs what is missing of the given groups of jobs/packages.txt (default: build). Asks apt only when something is.
# Usage: jobs/install-packages.sh [GROUP…]
set -euo pipefail

list=$(dirname "${BASH_SOURCE[0]}")/packages.txt
groups=" ${*:-build} "

listed() {
  awk -v groups="$groups" '!/^#/ && NF >= 2 && index(groups, " " $1 " ") { print $2 }' "$list"
}

# dpkg-query fails as a whole when it does not know one of the packages, but still prints the others.
installed() {
  dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    awk '$1 == "installed" { print $2 }' || true
}

missing() {
  local wanted
  mapfile -t wanted < <(listed)
  comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) <(installed "${wanted[@]}" | sort -u)
}

if ! command -v dpkg-query >/dev/null; then
  echo "This is not a Debian system: what is listed in jobs/packages.txt has to be here already, under whatever name." >&2
  exit 0
fi

mapfile -t packages < <(missing)
[[ ${#packages[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  as_root=(sudo)
  if ! sudo -n true 2>/dev/null; then
    echo "Packages are missing, and installing them needs root. Please have this run, then start again:" >&2
    echo "  sudo apt-get update && sudo apt-get install --no-install-recommends ${packages[*]}" >&2
    exit 1
  fi
fi

# Debian starts a service when its package is installed. An NFS server or Slurm on this host is not what anybody asked
# for, and where it can't start (a container) that must not fail the installation.
policy=/usr/sbin/policy-rc.d
if [[ $groups =~ \ (nfs|slurm)\  && ! -e $policy ]]; then
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 0755 "$policy"
fi

echo "Installing ${packages[*]}"
"${as_root[@]}" apt-get -qq update
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "${packages[@]}" </dev/null
