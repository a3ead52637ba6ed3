"""The format geth_reader: the same rows as in exported files, and no more blocks or columns than a query needs."""

import json
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import EqualTo, GreaterThan, In, LessThanOrEqual

from geth_reader import GethReaderDataSource, GethReaderError
from geth_reader.command import default_command, open_output, run
from geth_reader.data_source import Blocks, GethReader, Query

BLOCKS = "0:199"


def frame_of(spark: SparkSession, datadir: str, dataset: str, **options: str) -> DataFrame:
    given = {"datadir": datadir, "dataset": dataset, "blocks": BLOCKS, "chunkSize": "100", **options}
    return spark.read.format("geth_reader").options(**given).load()


@pytest.fixture(scope="session")
def lake(datadir: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lake")
    how = ["-b", BLOCKS, "--ints", "signed", "--progress", "none", "-o", str(folder)]
    run(default_command(), ["export", "blocks", "transactions", "logs", "--datadir", datadir, *how])
    return folder


@pytest.mark.parametrize("dataset", ["blocks", "transactions", "logs"])
def test_rows_are_those_of_exported_files(datadir: str, spark: SparkSession, lake: Path, dataset: str) -> None:
    direct = frame_of(spark, datadir, dataset)
    exported = spark.read.parquet(str(lake), pathGlobFilter=f"*__{dataset}__*")
    assert direct.columns == exported.columns
    assert direct.count() == exported.count() > 0
    assert direct.exceptAll(exported).count() == 0


def test_joins(datadir: str, spark: SparkSession, lake: Path) -> None:
    def gas(blocks: DataFrame, transactions: DataFrame) -> object:
        joined = blocks.join(transactions.select("block_number", "gas_price"), "block_number")
        return joined.selectExpr("count(*)", "sum(gas_used)", "max(gas_price)").first()

    files = {name: spark.read.parquet(str(lake), pathGlobFilter=f"*__{name}__*") for name in ("blocks", "transactions")}
    direct = {name: frame_of(spark, datadir, name) for name in files}
    assert gas(**direct) == gas(**files)


def test_a_filter_on_blocks_reads_only_these(datadir: str, spark: SparkSession) -> None:
    frame = frame_of(spark, datadir, "blocks").filter("block_number between 95 and 104 and gas_used >= 0")
    assert frame.count() == 10
    plan = frame._jdf.queryExecution().executedPlan()  # type: ignore[operator]
    frame.collect()
    scans = [leaf for leaf in iterate(plan.collectLeaves()) if "BatchScan" in leaf.nodeName()]
    rows = sum(scan.metrics().apply("numOutputRows").value() for scan in scans)
    assert rows == 10


def iterate(seq):  # type: ignore[no-untyped-def]
    return [seq.apply(i) for i in range(seq.size())]


def test_a_schema_reads_only_its_columns(datadir: str, spark: SparkSession) -> None:
    reader = spark.read.format("geth_reader").options(datadir=datadir, dataset="logs", blocks=BLOCKS)
    frame = reader.schema("address binary, log_index int").load()
    assert frame.columns == ["address", "log_index"]
    assert frame.count() == frame_of(spark, datadir, "logs").count()


def test_filters_narrow_the_command(datadir: str) -> None:
    options = {"datadir": datadir, "dataset": "logs", "blocks": BLOCKS, "chunksize": "100"}
    source = GethReaderDataSource(options)
    reader = GethReader(Query.of(options), source.schema())
    filters = [
        GreaterThan(("block_number",), 49),
        LessThanOrEqual(("block_number",), 150),
        In(("address",), (bytes(20), b"\x01" * 20)),
        EqualTo(("log_index",), 0),
    ]
    assert list(reader.pushFilters(filters)) == filters[3:]
    assert reader.partitions() == [Blocks(50, 99), Blocks(100, 150)]
    assert [batch.num_rows for batch in reader.read(Blocks(50, 99)) if batch.num_rows > 0] == []


def test_no_block_is_no_row(datadir: str, spark: SparkSession) -> None:
    assert frame_of(spark, datadir, "blocks").filter("block_number < 0").count() == 0
    assert frame_of(spark, datadir, "blocks").filter("block_number = 5000").count() == 0


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"dataset": "logs"}, "option datadir is missing"),
        ({"datadir": "/x"}, "option dataset is missing"),
        ({"datadir": "/x", "dataset": "logs", "blokcs": "1"}, "option blokcs is unknown"),
    ],
)
def test_options_are_checked(options: dict[str, str], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        Query.of(options)


def test_errors_of_the_command_are_told(datadir: str) -> None:
    with pytest.raises(GethReaderError, match="blokcs") as caught:
        Query.of({"datadir": datadir, "dataset": "blokcs"}).plan()
    assert caught.value.status == 2
    with pytest.raises(GethReaderError, match="no-such-command") as caught:
        Query.of({"datadir": datadir, "dataset": "blocks", "command": "no-such-command"}).plan()
    assert caught.value.status == 2


def test_a_command_that_is_not_read_to_its_end_is_ended(datadir: str) -> None:
    endless = "python3 -c \"while True: print('x' * 1000)\""
    with pytest.raises(GethReaderError), open_output(endless, []) as output:
        output.read(10)


def test_the_plan_of_one_chunk(datadir: str) -> None:
    chunks = Query.of({"datadir": datadir, "dataset": "blocks", "blocks": "10:12"}).plan()
    assert [(chunk.from_block, chunk.to_block) for chunk in chunks] == [(10, 12)]
    printed = run(default_command(), ["export", "blocks", "--datadir", datadir, "-b", "10:12", "--plan"])
    assert json.loads(printed)["id"] == chunks[0].id
