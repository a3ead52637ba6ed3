"""Reads exported files with pyarrow and Polars, and compares them with the rows in expected/DATASET.jsonl, which hold integers as digits
and bytes as 0x and hex. Also compares schema, statistics, metadata and hashes with the manifests.

read_exports.py FOLDER: expected/ and one folder for each export, named FORMAT or FORMAT-OPTIONS.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq

Row = dict[str, Any]

ARROW_TYPES = {
    "bool": pa.bool_(),
    "u32": pa.uint32(),
    "u64": pa.uint64(),
    "i32": pa.int32(),
    "i64": pa.int64(),
    "f64": pa.float64(),
    "binary": pa.binary(),
    "string": pa.string(),
    "decimal": pa.decimal256(76, 0),
}


def normal(value: Any) -> Any:
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return str(int(value))
    return value


def csv_text(value: Any) -> Any:
    """A value as CSV has it: a null is empty."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else value


def differs(found: Row, expected: Row, is_csv: bool) -> Iterator[str]:
    for name, value in found.items():
        # An exact decimal has the digits of the text.
        source = name if name in expected else name.removesuffix("_decimal") + "_string"
        wanted = expected[source]
        if name.endswith("_f64") and wanted is not None:
            # JSON has large ones without a point.
            value, wanted = float(value), float(wanted)
        elif is_csv:
            value, wanted = csv_text(value), csv_text(wanted)
        if normal(value) != wanted:
            yield f"{name}: expected {wanted!r}, got {value!r}"


def compare(where: str, rows: list[Row], expected: list[Row], is_csv: bool) -> int:
    if rows and "slot_hash" in rows[0]:
        # A dump of geth leaves out a slot whose preimage it has not stored.
        rows = [row for row in rows if row["slot"]]
    assert len(rows) == len(expected), f"{where}: expected {len(expected)} rows, got {len(rows)}"
    for i, (found, wanted) in enumerate(zip(rows, expected, strict=True)):
        for difference in differs(found, wanted, is_csv):
            raise AssertionError(f"{where} row {i}, {difference}")
    return len(rows)


def read_pyarrow(path: Path) -> pa.Table:
    if path.suffix == ".parquet":
        return pq.read_table(path)
    if path.suffix == ".arrow":
        return pyarrow.feather.read_table(path, memory_map=False)
    names = path.open(encoding="utf8").readline().strip().split(",")
    options = pyarrow.csv.ConvertOptions(column_types={name: pa.string() for name in names}, strings_can_be_null=False)
    parsing = pyarrow.csv.ParseOptions(newlines_in_values=True)
    return pyarrow.csv.read_csv(path, convert_options=options, parse_options=parsing)


def read_polars(path: Path) -> pl.DataFrame:
    if path.suffix == ".parquet":
        return pl.read_parquet(path)
    if path.suffix == ".arrow":
        return pl.read_ipc(path)
    return pl.read_csv(path, infer_schema=False)


def check_parquet(path: Path, manifest: dict[str, Any]) -> None:
    metadata = pq.read_metadata(path)
    table = pq.read_table(path)
    pairs = {key.decode(): value.decode() for key, value in metadata.metadata.items()}
    assert pairs["dataset"] == manifest["dataset"], path
    assert pairs["chain_id"] == str(manifest["chain_id"]), path
    assert pairs["schema_version"] == str(manifest["schema_version"]), path
    assert pairs["writer"] == manifest["writer"] == metadata.created_by, path
    assert metadata.num_rows == manifest["rows"], path
    row = 0
    for i in range(metadata.num_row_groups):
        group = metadata.row_group(i)
        part = table.slice(row, group.num_rows)
        row += group.num_rows
        for j in range(group.num_columns):
            statistics = group.column(j).statistics
            name = group.column(j).path_in_schema
            if statistics is None:
                continue
            values = part.column(name)
            assert not statistics.has_null_count or statistics.null_count == values.null_count, (path, name)
            if statistics.has_min_max and not pa.types.is_nested(values.type):
                present = [value for value in values.to_pylist() if value is not None]
                least, most = min(present), max(present)
                # Long bytes and texts are cut.
                if isinstance(least, bytes | str) and max(map(len, present)) > 64:
                    assert statistics.min <= least and most <= statistics.max, (path, name)
                else:
                    assert (statistics.min, statistics.max) == (least, most), (path, name)


def check_block_statistics(path: Path) -> None:
    """A reader finds the blocks of a file by them."""
    metadata = pq.read_metadata(path)
    names = [metadata.schema.column(i).name for i in range(metadata.num_columns)]
    if "block_number" in names and metadata.num_rows > 0:
        at = names.index("block_number")
        assert metadata.row_group(0).column(at).statistics.has_min_max, path


def check_export(folder: Path, expected: dict[str, list[Row]]) -> int:
    """Returns how many rows were compared."""
    compared = 0
    for manifest_path in sorted(folder.glob("_manifest/*/*.json")):
        manifest = json.loads(manifest_path.read_text())
        path = folder / manifest["file"]
        content = path.read_bytes()
        assert hashlib.sha256(content).hexdigest() == manifest["sha256"], path
        assert len(content) == manifest["bytes"], path
        rows = expected[manifest["dataset"]]
        is_csv = path.suffix == ".csv"
        table = read_pyarrow(path)
        columns = [column.rsplit(" ", 1) for column in manifest["columns"]]
        assert table.column_names == [name for name, _ in columns], path
        if not is_csv:
            types = [ARROW_TYPES[type] for _, type in columns]
            assert [field.type for field in table.schema] == types, (path, table.schema)
        if path.suffix == ".parquet":
            check_parquet(path, manifest)
            check_block_statistics(path)
        compared += compare(f"{path} in pyarrow", table.to_pylist(), rows, is_csv)
        # Polars has decimals of up to 38 digits.
        if not any(type == "decimal" for _, type in columns):
            compared += compare(f"{path} in Polars", read_polars(path).to_dicts(), rows, is_csv)
    return compared


def main() -> None:
    folder = Path(sys.argv[1])
    lines = {path.stem: path.read_text().splitlines() for path in (folder / "expected").glob("*.jsonl")}
    expected = {name: [json.loads(line) for line in rows] for name, rows in lines.items()}
    for export in sorted(path for path in folder.iterdir() if path.name != "expected"):
        datasets = len(list((export / "_manifest").iterdir()))
        print(f"{export.name}: {datasets} datasets, {check_export(export, expected)} rows compared")


main()
