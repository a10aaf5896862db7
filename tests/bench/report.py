"""Tables, pictures and docs/performance.md from figures.json."""

import pathlib
import shutil
import subprocess

import chapters
import parts


def _cell(value):
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
    return str(value)


def _table(table):
    """In the form of Markdown, which reads well on a terminal too."""
    rows = [table.head, *([_cell(value) for value in row] for row in table.rows)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(table.head))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def _machine(figures):
    return ", ".join(f"{name} {value}" for name, value in figures["machine"].items()) + "."


def text(figures):
    out = []
    for chapter in chapters.of(figures):
        out += [f"\n{table.title}\n\n{_table(table)}" for table in chapter.tables]
    return "\n".join([*out, "", _machine(figures)])


def draw(figures, directory):
    """An SVG for each picture. Left out where gnuplot is missing."""
    if shutil.which("gnuplot") is None:
        print("pictures: left out: gnuplot is not installed")
        return
    for chapter in chapters.of(figures):
        for picture in chapter.pictures:
            where = f"set terminal svg size 800,420 background rgb 'white'\nset output '{directory / picture.name}.svg'\n"
            subprocess.run(["gnuplot"], input=where + picture.script, text=True, check=True)


def write_page(figures, page):
    """The page, and its pictures in a directory of its name."""
    pictures = page.with_suffix("")
    template = (pathlib.Path(__file__).resolve().parent / "page.md").read_text()
    minutes = sum(figures["seconds"].values()) / 60
    filled = {"machine": _machine(figures), "minutes": f"{minutes:.0f}"}
    filled.update(dict.fromkeys(parts.NAMES, "(Not measured.)"))
    for chapter in chapters.of(figures):
        shown = [f"**{table.title}**\n\n{_table(table)}" for table in chapter.tables]
        shown += [f"![{picture.title}]({pictures.name}/{picture.name}.svg)" for picture in chapter.pictures]
        filled[chapter.name] = "\n\n".join(shown)
    for name, part in filled.items():
        template = template.replace("{{" + name + "}}", part)
    if any(chapter.pictures for chapter in chapters.of(figures)):
        pictures.mkdir(exist_ok=True)
        draw(figures, pictures)
    page.write_text(template)
