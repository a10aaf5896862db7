"""The table of what was measured: printed, and kept as a file."""

_COLUMNS = ("mount", "test", "cycles", "overlaps", "worst recovery")
_rows = []


def row(mount, test, cycles="", overlaps="", recovery=None):
    """`recovery` in seconds: from the end of a holder to the next grant."""
    _rows.append((mount, test, str(cycles), str(overlaps), "" if recovery is None else f"{recovery:.2f} s"))


def text():
    lines = [_COLUMNS, *_rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(_COLUMNS))]
    return "".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() + "\n" for line in lines)
