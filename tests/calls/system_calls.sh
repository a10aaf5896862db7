#!/usr/bin/env bash
# system_calls.sh CYCLE: under strace, an uncontended acquire and release makes exactly the calls of docs/protocol.md: no
# marker is opened, nothing is waited for. All calls on files and descriptors count, and those that wait.
set -euo pipefail

cycle=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

strace -o "$scratch/trace" -e trace=%file,%desc,futex,clock_nanosleep "$cycle" "$scratch/lock"

# The calls between the marks "$1" and "end", without descriptors, modes and what differs each time.
calls() {
  sed -n "/^access(\"$1\"/,/^access(\"end\"/p" "$scratch/trace" | sed '1d;$d' |
    sed -E 's/[A-Za-z0-9-]+\.[0-9]+\.90000\.[0-9a-f]{32}/ID/g; s/"rwlease\/1[^"]*"/RECORD/; s/\.f\.[0-9]+/.f.N/g' |
    sed -E 's/0x[0-9a-f]+ \/\*.*\*\/, [0-9]+/LIST/; s/AT_STATX_[A-Z_|]*.*/LOOK/' |
    sed -E 's/^([a-z0-9_]+)\(/\1 /; s/\) += .*//; s/^([a-z0-9_]+) [0-9]+, /\1 /; s/, [0-9]+, /, /; s/, 0[0-7]+$//'
}

expect() {
  diff -u --label "$1: docs/protocol.md" --label "$1: strace" <(cat) <(calls "$1")
}

expect read <<'EOF'
symlinkat RECORD, ".ID"
renameat ".ID", "readers/ID"
lseek 0, SEEK_SET
getdents64 LIST
getdents64 LIST
unlinkat "readers/ID", 0
EOF
expect write <<'EOF'
mkdirat "readers/.w.ID"
statx "readers/.w.ID", LOOK
symlinkat RECORD, "readers/.w.ID/ID"
renameat "readers/.w.ID", "writer"
statx "readers", LOOK
lseek 0, SEEK_SET
getdents64 LIST
getdents64 LIST
statx "readers", LOOK
renameat "readers/.f.N", "readers/.f.N"
unlinkat "writer/ID", 0
unlinkat "writer", AT_REMOVEDIR
EOF
