"""Runs the command ``geth-reader`` and tells its errors."""

import json
import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

#: Characters of standard error that an error repeats.
LONGEST_REASON = 2_000

#: Exit status of a command that may succeed when it is run again.
TRY_AGAIN = 3


class GethReaderError(Exception):
    """A command failed.

    ``status`` is its exit status: 2 for wrong options, 3 if another attempt may succeed, 4 if the data cannot be read from this
    directory; negative if a signal ended it.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message, status)
        self.status = status

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class Chunk:
    """A part of a plan: a range of blocks, both ends included."""

    id: str
    from_block: int
    to_block: int


def default_command() -> str:
    """The command and its first arguments, as in a shell: ``$GETH_READER_COMMAND``, or ``geth-reader``."""
    return os.environ.get("GETH_READER_COMMAND", "geth-reader")


@contextmanager
def open_output(command: str, arguments: Sequence[str]) -> Iterator[IO[bytes]]:
    """Gives standard output of a command while it runs. A command that is not read to its end is ended.

    Raises GethReaderError if the command fails, also in place of an error of the code that reads its output.
    """
    with tempfile.TemporaryFile() as log:
        try:
            process = subprocess.Popen(
                [*shlex.split(command), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log
            )
        except OSError as error:
            raise GethReaderError(f"{command}: {error.strerror}; is geth-reader installed on this machine?", 2) from error
        assert process.stdout is not None
        is_whole = False
        try:
            yield process.stdout
            is_whole = True
        except GeneratorExit:
            raise
        except Exception as error:
            if process.wait() != 0:
                raise GethReaderError(_reason(command, log), process.returncode) from error
            raise
        finally:
            process.stdout.close()
            if not is_whole:
                process.terminate()
            process.wait()
        if process.returncode != 0:
            raise GethReaderError(_reason(command, log), process.returncode)


def run(command: str, arguments: Sequence[str]) -> str:
    """Runs a command to its end and returns what it printed. Raises GethReaderError."""
    with open_output(command, arguments) as output:
        return output.read().decode()


def plan(command: str, arguments: Sequence[str]) -> list[Chunk]:
    """The chunks of ``geth-reader export`` with these arguments. Raises GethReaderError."""
    lines = run(command, ["export", *arguments, "--plan"]).splitlines()
    return [Chunk(row["id"], row["from"], row["to"]) for row in map(json.loads, lines)]


def _reason(command: str, log: IO[bytes]) -> str:
    size = log.seek(0, os.SEEK_END)
    log.seek(max(0, size - LONGEST_REASON))
    return log.read().decode(errors="replace").strip() or f"{command} failed without a message"
