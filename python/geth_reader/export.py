"""Writes datasets as files, a chunk of blocks for each task of Spark."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .command import TRY_AGAIN, GethReaderError, default_command, plan, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Export:
    """What an export has written."""

    output: str
    """Folder with the files, `_manifest` and `_SUCCESS`."""
    chunks: int
    """Chunks of blocks; each has a file for every dataset."""


def export_with_spark(
    spark: "SparkSession",
    datasets: Sequence[str],
    *,
    datadir: str,
    output: str,
    blocks: str | None = None,
    chunk_size: int | None = None,
    options: Mapping[str, str] | None = None,
    command: str | None = None,
    commit: bool = True,
) -> Export:
    """Runs ``geth-reader export`` with a task for each chunk of its plan, then ``geth-reader dataset commit``.

    The data directory, or a copy of it, and the output folder are at the same paths on all machines. Files are the same
    whichever task writes them, and appear when they are whole: a task may fail, run again, or run twice at the same time. A
    chunk that is done is skipped, so a call that was interrupted may be repeated.

    :param datasets: names, as ``["blocks", "logs"]``
    :param blocks: as ``--blocks``; default all finalized blocks
    :param chunk_size: blocks of a file; default 1000
    :param options: more flags of ``geth-reader export``, as ``{"--ints": "signed"}``
    :param command: default ``$GETH_READER_COMMAND``, or ``geth-reader``
    :param commit: whether to check that chunks have no gap, and to write ``_SUCCESS``
    :raises GethReaderError: if the plan or the commit fails; the failure of a task is an error of Spark with its text
    """
    used = command or default_command()
    arguments = [*datasets, "--datadir", datadir]
    given = {"-b": blocks, "--chunk-size": None if chunk_size is None else str(chunk_size), **(options or {})}
    for flag, value in given.items():
        if value is not None:
            arguments += [flag, value]
    ids = [chunk.id for chunk in plan(used, arguments)]
    if ids:
        write = _ChunkWriter(used, [*arguments, "-o", output, "--progress", "none"])
        spark.sparkContext.parallelize(ids, len(ids)).foreach(write)
    if commit:
        run(used, ["dataset", "commit", output])
    return Export(output, len(ids))


@dataclass(frozen=True)
class _ChunkWriter:
    """A task: writes the chunk with an id."""

    command: str
    arguments: Sequence[str]

    def __call__(self, id: str) -> None:
        arguments = ["export", *self.arguments, "--chunks", id]
        try:
            run(self.command, arguments)
        except GethReaderError as error:
            # Spark would start the task again, but counts that as one of its failures.
            if error.status != TRY_AGAIN:
                raise
            run(self.command, arguments)
