"""Exported files in folders of days and of blocks: Spark reads only the files that a query needs."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from geth_reader.command import default_command, run


@pytest.fixture(scope="module")
def days(datadir: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Blocks, in a folder for each of two days."""
    folder = tmp_path_factory.mktemp("days")
    how = ["--partition-by", "date", "--ints", "signed", "--progress", "none", "-o", str(folder)]
    run(default_command(), ["export", "blocks", "--datadir", datadir, "--reorg-buffer", "0", *how])
    return folder / "blocks"


def read(frame: DataFrame) -> tuple[int, dict[str, int], str]:
    """Number of rows; metrics of the scan of files; its plan."""
    rows = len(frame.collect())
    plan = frame._jdf.queryExecution().executedPlan()  # type: ignore[operator]
    leaves = plan.collectLeaves()
    [scan] = [leaves.apply(i) for i in range(leaves.size())]
    names = ("numFiles", "numPartitions", "numOutputRows")
    return rows, {name: scan.metrics().apply(name).value() for name in names}, plan.toString()


def rows_in(folder: Path) -> int:
    return sum(pq.read_metadata(path).num_rows for path in folder.glob("*.parquet"))


def test_a_day_reads_only_the_files_of_its_folder(spark: SparkSession, days: Path) -> None:
    first, second = sorted(days.glob("date=*"))
    frame = spark.read.parquet(str(days))
    assert frame.count() == rows_in(first) + rows_in(second)
    for day in (first, second):
        chosen = frame.select("block_number", "date").filter(f"date = '{day.name.removeprefix('date=')}'")
        rows, metrics, plan = read(chosen)
        assert rows == metrics["numOutputRows"] == rows_in(day) > 0
        assert metrics["numFiles"] == len(list(day.glob("*.parquet")))
        assert metrics["numPartitions"] == 1
        filters = plan.partition("PartitionFilters: [")[2].partition("]")[0]
        assert "date" in filters


def test_a_range_of_blocks_is_pushed_down_to_row_groups(spark: SparkSession, days: Path) -> None:
    frame = spark.read.parquet(str(days)).select("block_number").filter("block_number between 10 and 19")
    rows, metrics, plan = read(frame)
    assert rows == 10
    pushed = plan.partition("PushedFilters: [")[2].partition("]")[0]
    assert "GreaterThanOrEqual(block_number,10)" in pushed and "LessThanOrEqual(block_number,19)" in pushed
    # Row groups of other files are not read: the statistics of each have its blocks.
    holding = [path for path in days.glob("*/*.parquet") if holds_blocks(path, 10, 19)]
    assert metrics["numOutputRows"] == sum(pq.read_metadata(path).num_rows for path in holding) < rows_in_all(days)


def holds_blocks(path: Path, first: int, last: int) -> bool:
    numbers = pq.read_table(path, columns=["block_number"]).column("block_number").to_pylist()
    return numbers[0] <= last and numbers[-1] >= first


def rows_in_all(folder: Path) -> int:
    return sum(rows_in(day) for day in folder.glob("date=*"))
