"""What can be measured, a module for each. Its measure() returns figures that JSON can hold."""

import importlib

NAMES = ["cycle"]


def measure(name, programs, directories):
    part = importlib.import_module(f"parts.{name}")
    return part.measure(programs, directories)
