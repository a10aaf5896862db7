#!/usr/bin/env bash
# Builds rwlease and shows it at work: a communicator rewrites a data set, several times, while serial programs read it
# and one more rewrites it too. Every one of them checks that the lease kept the others out. See --help.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rounds=6
size=256
ranks=4
readers=3
scratch=${TMPDIR:-/tmp}

usage() {
  cat <<EOF
Usage: jobs/quickstart.sh [--rounds N] [--size MB] [--ranks N] [--readers N] [DIR]
Installs what is missing, builds into build/, then runs the main job in a directory of its own under DIR (default:
\$TMPDIR or /tmp), which can be on any file system, and removes it.

The main job: mpirun starts rwlease-demo with 4 ranks; holding one write lease together they rewrite a data set in
place, each rank its part, and publish it, for several rounds. Meanwhile readers under \`rwlease run --read\` check the
whole data set over and over, and a serial program under \`rwlease run --write\` rewrites it as well. It ends with an
account, and with 0 only if no violation was seen and all participants succeeded.

  --rounds N   of the communicator                ($rounds)
  --size MB    of the data set                    ($size)
  --ranks N    of the communicator                ($ranks)
  --readers N  that check at the same time        ($readers)
EOF
}

refuse() {
  echo "jobs/quickstart.sh: $1" >&2
  exit 2
}

number() {
  [[ ${2:-} =~ ^[1-9][0-9]{0,5}$ ]] || refuse "$1 needs a number from 1 on"
  echo "$2"
}

read_arguments() {
  local value
  while [[ $# -gt 0 ]]; do
    case $1 in
      --help | -h) usage && exit 0 ;;
      --rounds | --size | --ranks | --readers)
        value=$(number "$@")
        printf -v "${1#--}" '%s' "$value"
        shift
        ;;
      -*) refuse "there is no option $1; see --help" ;;
      *) scratch=$1 ;;
    esac
    shift
  done
  [[ -d $scratch && -w $scratch ]] || refuse "$scratch is not a directory that can be written to"
}

say() {
  printf '\n== %s\n' "$*"
}

build() {
  say "Building into build/"
  "$repository/jobs/install-packages.sh" build
  "$repository/jobs/build.sh" default rwlease-cli rwlease-demo
}

# --- the main job ---

programs=$repository/build/bin
place=          # our directory in the scratch
participants=() # process ids of those that run
# A heartbeat that shows in a job this short, and that file systems with whole-second times can keep.
pace=(--interval 2 --lease 20)

# The launcher of the MPI library that the build found; another one would start so many worlds of one rank.
launcher() {
  sed -n 's/^MPIEXEC_EXECUTABLE:[^=]*=//p' "$repository/build/CMakeCache.txt"
}

start_communicator() {
  local mpirun options=()
  mpirun=$(launcher)
  if "$mpirun" --version 2>/dev/null | grep -qE 'Open MPI|OpenRTE'; then
    options=(--oversubscribe)
    # Open MPI wants to be asked twice by root, who is the only user of many a container.
    if [[ $(id -u) -eq 0 ]]; then
      export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
  fi
  "$mpirun" -n "$ranks" "${options[@]}" "$programs/rwlease-demo" write --ranks "$ranks" --lock "$place/data-set" \
    --data "$place/data" --account "$place/account" --rounds "$rounds" --size "$size" "${pace[@]}" \
    >"$place/communicator.log" 2>&1 </dev/null &
  communicator=$!
  participants+=("$communicator")
}

# One act of a serial participant, as a child that a signal to the loop takes along.
serial_act() {
  "$programs/rwlease" run "--$1" "${pace[@]}" "$place/data-set" -- \
    "$programs/rwlease-demo" "$2" --data "$place/data" --size "$size" --account "$place/account" \
    --asked "$(date +%s.%N)" &
  child=$!
  wait "$child"
}

# repeat NAME MODE ACT: a serial participant that acts again and again until the communicator has done its rounds.
repeat() {
  child=
  trap '[[ -z $child ]] || kill "$child" 2>/dev/null; wait; exit 143' TERM
  while [[ ! -e $place/finished ]]; do
    serial_act "$2" "$3" || exit
  done >"$place/$1.log" 2>&1 </dev/null
}

start_serial() {
  repeat "$@" &
  participants+=("$!")
}

count() {
  grep -cE "$1" "$place/account" || true
}

show_progress() {
  printf '%4d s: %d of %d rounds by the communicator, %d by the serial writer, %d reads, %d violations\n' \
    "$SECONDS" "$(count '^write .* ok$')" "$rounds" "$(count '^rewrite .* ok$')" "$(count '^check .* ok$')" \
    "$(count violation)"
}

is_running() {
  kill -0 "$1" 2>/dev/null
}

# Until the communicator, the first participant, is done. The others are told to finish then; when one of them ends
# before, it has failed, and the rest need not go on.
watch() {
  SECONDS=0
  local pid
  while is_running "$communicator"; do
    sleep 1
    show_progress
    for pid in "${participants[@]:1}"; do
      is_running "$pid" || kill "${participants[@]}" 2>/dev/null || true
    done
  done
}

# Waits for everyone. When somebody failed, says what they all said last.
collect() {
  local pid code result=0
  touch "$place/finished"
  for pid in "${participants[@]}"; do
    code=0
    wait "$pid" || code=$?
    [[ $result -ne 0 ]] || result=$code
  done
  participants=()
  if [[ $result -ne 0 ]]; then
    say "A participant failed (exit code $result); the ends of the logs:"
    tail -n 5 "$place"/*.log
  fi
  return "$result"
}

# Each version was written on top of the one before it, so none may be missing: that would be a writer's work lost.
account() {
  awk '
    $1 == "check" && / ok$/ { ++reads }
    $1 != "check" && / ok$/ { ++rounds; split($3, version, "="); if (version[2] > newest) newest = version[2] }
    $1 == "write" && / ok$/ { ++together }
    / violation: / { ++violations; print "violation: " $0 }
    { split($2, wait, "="); if (wait[2] > 0.1) ++waits; if (wait[2] > longest) longest = wait[2] }
    END {
      if (newest != rounds) { ++violations; print "violation: " rounds " versions were written, but the newest is " newest }
      printf "rounds        %d (%d by the communicator, %d by the serial writer)\n", rounds, together, rounds - together
      printf "reads         %d\n", reads
      printf "waits         %d of more than 0.1 s\n", waits
      printf "longest wait  %.1f s\n", longest
      printf "violations    %d\n", violations
      exit violations != 0
    }' "$place/account"
}

main_job() {
  place=$(mktemp -d "$scratch/rwlease-quickstart.XXXXXX")
  mkdir "$place/data"
  touch "$place/account"
  say "The main job: $ranks ranks, $readers readers and a serial writer on $size MB in $place"
  start_communicator
  for ((reader = 1; reader <= readers; ++reader)); do
    start_serial "reader-$reader" read check
  done
  start_serial writer write rewrite
  watch
  local result=0
  collect || result=$?
  say "Account"
  account || result=1
  return "$result"
}

# Whatever ends this script, nothing of it stays: neither processes nor files.
clean_up() {
  trap '' INT TERM
  if [[ ${#participants[@]} -gt 0 ]]; then
    kill "${participants[@]}" 2>/dev/null || true
    wait "${participants[@]}" 2>/dev/null || true
  fi
  [[ -z $place ]] || remove_place
}

# mpirun that is interrupted does not wait for its ranks to be gone; one of them can still add an entry behind rm's back.
remove_place() {
  local tries
  for ((tries = 0; tries < 100; ++tries)); do
    rm -rf "$place" 2>/dev/null && return
    sleep 0.1
  done
  rm -rf "$place"
}

read_arguments "$@"
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
build
main_job
