"""What is shown of each part's figures: tables and pictures. A module for each part; its show() returns both."""

import importlib

import parts
from chapters.kinds import Chapter


def of(figures):
    """Those that were measured."""
    return [Chapter(name, *importlib.import_module(f"chapters.{name}").show(figures[name]))
            for name in parts.NAMES if name in figures]
