"""On what the figures were measured."""

import datetime
import os
import pathlib
import platform


def _processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def facts():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory": f"{round(memory / 2**30)} GiB",
        "kernel": platform.release(),
        "date": datetime.date.today().isoformat(),
    }
