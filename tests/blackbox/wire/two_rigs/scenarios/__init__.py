"""Importing this registers every scenario."""
from . import (applying, binding, deleting, discovery, errors, kinds, lists, metadata, patching, pods,  # noqa: F401
               storage, tables, watches)
