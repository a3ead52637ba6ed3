"""Files that tasks of Spark write: the same as those of one process, also if an executor dies."""

import hashlib
import os
import signal
import threading
import time
from pathlib import Path

import duckdb
import pytest
from pyspark.sql import SparkSession

from geth_reader import GethReaderError, export_with_spark
from geth_reader.command import default_command, run

BLOCKS = "0:399"
CHUNK = 20


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of each file by name, manifests included. A process that is killed leaves a hidden file."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def executors() -> list[int]:
    """Processes of executors that this process has started, by way of Spark."""
    return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if is_own_executor(pid)]


def is_own_executor(pid: int) -> bool:
    try:
        if b"CoarseGrainedExecutorBackend" not in Path(f"/proc/{pid}/cmdline").read_bytes():
            return False
        while pid > 1 and pid != os.getpid():
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return False
    return pid == os.getpid()


def test_files_equal_those_of_one_process_although_an_executor_is_killed(
    datadir: str, spark: SparkSession, tmp_path: Path
) -> None:
    one, many = tmp_path / "one", tmp_path / "many"
    options = ["-b", BLOCKS, "--chunk-size", str(CHUNK), "--progress", "none", "--ints", "signed"]
    run(default_command(), ["export", "blocks", "logs", "--datadir", datadir, *options, "-o", str(one)])
    run(default_command(), ["dataset", "commit", str(one)])
    killed: list[int] = []

    def kill_one() -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end and not list(many.glob("_manifest/blocks/*")):
            time.sleep(0.01)
        for pid in executors()[:1]:
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    killer = threading.Thread(target=kill_one)
    killer.start()
    export = export_with_spark(
        spark,
        ["blocks", "logs"],
        datadir=datadir,
        output=str(many),
        blocks=BLOCKS,
        chunk_size=CHUNK,
        options={"--ints": "signed"},
    )
    killer.join()
    assert killed
    assert export.chunks == 20
    assert digests(many) == digests(one)

    for name in ("blocks", "logs"):
        files = f"{many}/*__{name}__*.parquet"
        [expected] = duckdb.sql(f"select count(*), sum(block_number) from '{files}'").fetchall()
        frame = spark.read.parquet(str(many), pathGlobFilter=f"*__{name}__*").selectExpr("count(*)", "sum(block_number)")
        assert tuple(frame.first() or ()) == expected


def test_a_second_call_writes_nothing(datadir: str, spark: SparkSession, tmp_path: Path) -> None:
    def export() -> dict[str, tuple[str, int]]:
        export_with_spark(spark, ["blocks"], datadir=datadir, output=str(tmp_path), blocks="0:39", chunk_size=20)
        files = tmp_path.glob("*.parquet")
        return {path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in files}

    assert export() == export()


def test_a_plan_that_fails_says_why(datadir: str, spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(GethReaderError, match="blokcs.*blocks") as caught:
        export_with_spark(spark, ["blokcs"], datadir=datadir, output=str(tmp_path))
    assert caught.value.status == 2
