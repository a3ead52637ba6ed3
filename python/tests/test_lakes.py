"""The recipes of docs/lakes.md: tables of Iceberg and Delta over exported files, without a copy."""

from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, convert_to_deltalake
from pyiceberg.catalog import load_catalog
from pyiceberg.expressions import GreaterThanOrEqual

from geth_reader.command import default_command, run


def export(datadir: str, folder: Path, dataset: str, blocks: str) -> list[str]:
    how = ["-b", blocks, "--chunk-size", "50", "--ints", "signed", "--progress", "none", "-o", str(folder)]
    run(default_command(), ["export", dataset, "--datadir", datadir, *how])
    return sorted(map(str, folder.glob("*.parquet")))


def rows_of(files: list[str]) -> int:
    [counted] = duckdb.sql(f"select count(*) from read_parquet({files})").fetchall()
    return int(counted[0])


@pytest.mark.parametrize("dataset", ["transactions", "logs"])
def test_iceberg_counts_the_rows_and_replaces_the_newest(datadir: str, tmp_path: Path, dataset: str) -> None:
    files = export(datadir, tmp_path / dataset, dataset, "0:149")
    catalog = load_catalog("lake", type="sql", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("chain")
    table = catalog.create_table(f"chain.{dataset}", pq.read_schema(files[0]))
    table.add_files(files)
    assert table.scan().count() == rows_of(files) > 0

    [newest] = export(datadir, tmp_path / "tip", dataset, "100:120")
    with table.transaction() as transaction:
        transaction.delete(GreaterThanOrEqual("block_number", 100))
        transaction.add_files([newest])
    assert table.scan().count() == rows_of([*files[:2], newest])
    assert sorted(map(str, (tmp_path / dataset).glob("*.parquet"))) == files


@pytest.mark.parametrize("dataset", ["transactions", "logs"])
def test_delta_counts_the_rows(datadir: str, tmp_path: Path, dataset: str) -> None:
    files = export(datadir, tmp_path, dataset, "0:149")
    run(default_command(), ["dataset", "commit", str(tmp_path)])
    convert_to_deltalake(str(tmp_path))
    assert DeltaTable(str(tmp_path)).count() == rows_of(files) > 0
