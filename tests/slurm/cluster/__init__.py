"""A Slurm cluster on one machine, and what its tests share."""

from .lab import Lab, Unavailable, require
from .slurm import Job, patiently

__all__ = ["Job", "Lab", "Unavailable", "patiently", "require"]
