"""The uncontended cycle."""

from chapters.kinds import Table

# What each excludes, and where.
_REACH = {
    "rwlease": "any hosts, readers and writers",
    "bare calls": "the limit",
    "flock": "one host",
    "liblockfile": "any hosts",
    "filelock SoftFileLock": "any hosts, no eviction",
    "filelock FileLock (flock)": "one host",
    "fasteners (fcntl)": "one host, or a lock manager",
    "File::NFSLock": "any hosts, readers and writers",
    "proper-lockfile": "any hosts",
    "etcd on loopback": "any hosts, a server",
}


def show(figures):
    tables = []
    for place, cycles in figures.items():
        rows = [[name.split("/")[0], name.split("/", 1)[1], each["p50"], each["p99"], each.get("calls"), each["ratio"],
                 _REACH[name.split("/")[0]]] for name, each in sorted(cycles.items(), key=lambda item: item[1]["p50"])]
        tables.append(Table(f"Uncontended acquire and release on {place}",
                            ["lock", "mode", "median µs", "p99 µs", "calls", "of bare", "excludes on"], rows))
    return tables, []
