"""A cluster of User Mode Linux nodes with a real NFS server and real NFS clients. See README.md."""

from .lab import Lab, MOUNTS, Unavailable
from .node import CommandFailed

__all__ = ["CommandFailed", "Lab", "MOUNTS", "Unavailable"]
