"""Reads a go-ethereum data directory into Spark. The rows come from the command ``geth-reader``.

- :class:`GethReaderDataSource`: ``spark.read.format("geth_reader")``
- :func:`register`: makes that format known to a session
- :func:`export_with_spark`: writes datasets as files, a chunk of blocks for each task
"""

from .command import GethReaderError
from .data_source import GethReaderDataSource, register
from .export import Export, export_with_spark

__all__ = ["Export", "GethReaderDataSource", "GethReaderError", "export_with_spark", "register"]
