"""The format ``geth_reader`` of Spark: a dataset of geth-reader as a data frame, read from the data directory."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    LessThan,
    LessThanOrEqual,
)
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from .command import Chunk, default_command, open_output, plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Options of the source that become flags of the command as they are.
FLAGS = {
    "datadir": "--datadir",
    "ancient": "--datadir.ancient",
    "era": "--datadir.era",
    "index": "--index",
    "reorgbuffer": "--reorg-buffer",
    "address": "--address",
    "topics": "--topics",
    "event": "--event",
    "abi": "--abi",
    "u256types": "--u256-types",
    "workers": "--workers",
}

#: Options that have another meaning here.
OTHER_OPTIONS = {"dataset", "blocks", "columns", "chunksize", "command"}

#: The most addresses of a filter that are given to the command; of more, Spark selects the rows.
MOST_ADDRESSES = 256

#: Columns with the contract of a log, by dataset.
ADDRESS_COLUMNS = {
    "logs": "address",
    "erc20_transfers": "erc20",
    "erc20_approvals": "erc20",
    "erc721_transfers": "erc721",
    "erc1155_transfers": "erc1155",
}


#: The form of a 256-bit integer in the name of its column. Columns are selected without it.
_FORM = re.compile("_(binary|string|f64|decimal)$")


def register(spark: "SparkSession") -> None:
    """Makes ``spark.read.format("geth_reader")`` known to a session, and lets Spark hand its filters to Python sources."""
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    spark.dataSource.register(GethReaderDataSource)


class GethReaderDataSource(DataSource):
    """``spark.read.format("geth_reader").option("datadir", …).option("dataset", "logs").option("blocks", "18M:+1000")``

    Options: ``datadir`` and ``dataset`` (required); ``blocks`` (as ``geth-reader export --blocks``; default all finalized blocks);
    ``columns`` (names separated by commas, ``all``, default those of the dataset); ``chunkSize`` (blocks of a task, default 1000);
    ``command`` (default ``$GETH_READER_COMMAND``, or ``geth-reader``); and ``ancient``, ``era``, ``index``, ``reorgBuffer``,
    ``address``, ``topics``, ``event``, ``abi``, ``u256Types``, ``workers`` with the meaning of the command's flags.

    Integers are signed, because Spark has no others. A schema given by ``.schema(…)`` reads only its columns. Filters on
    ``block_number`` narrow the blocks that are read, and filters on the contract of logs and transfers the logs.
    """

    @classmethod
    def name(cls) -> str:
        return "geth_reader"

    def schema(self) -> StructType:
        query = Query.of(self.options)
        chunks = query.plan()
        if not chunks:
            raise ValueError(f"option blocks: {query.options.get('blocks', 'all')} has no block that can be read")
        with open_output(query.command, query.stream_arguments(chunks[0].from_block, chunks[0].from_block)) as output:
            with pa.ipc.open_stream(output) as stream:
                return from_arrow_schema(stream.read_all().schema)

    def reader(self, schema: StructType) -> "GethReader":
        return GethReader(Query.of(self.options), schema)


@dataclass(frozen=True)
class Query:
    """What is read, and the command that reads it."""

    command: str
    options: Mapping[str, str]
    """Names in lower case."""

    @classmethod
    def of(cls, options: Mapping[str, str]) -> "Query":
        """Raises ValueError for options that are missing or unknown."""
        given = {name.lower(): value for name, value in options.items()}
        unknown = given.keys() - FLAGS.keys() - OTHER_OPTIONS
        if unknown:
            raise ValueError(f"option {min(unknown)} is unknown; there are {', '.join(sorted({*FLAGS, *OTHER_OPTIONS}))}")
        for name in ("datadir", "dataset"):
            if not given.get(name):
                raise ValueError(f"option {name} is missing")
        return cls(given.pop("command", default_command()), given)

    @property
    def dataset(self) -> str:
        return self.options["dataset"]

    def arguments(self, **replaced: str) -> list[str]:
        """Arguments of ``geth-reader export``, but for the range and the output."""
        flags = {FLAGS[name]: value for name, value in {**self.options, **replaced}.items() if name in FLAGS}
        return [self.dataset, *(part for flag in flags.items() for part in flag), "--ints", "signed"]

    def plan(self) -> list[Chunk]:
        """The tasks of the whole range."""
        given = {"-b": self.options.get("blocks"), "--chunk-size": self.options.get("chunksize")}
        return plan(self.command, [*self.arguments(), *_flags(given)])

    def stream_arguments(self, start: int, end: int, columns: str | None = None, **replaced: str) -> list[str]:
        """Arguments that write blocks, both ends included, as a stream of Arrow to standard output."""
        how = {"--columns": columns or self.options.get("columns"), "--format": "arrow", "-o": "-", "--progress": "none"}
        return ["export", *self.arguments(**replaced), "-b", f"{start}:{end}", *_flags(how)]


@dataclass(frozen=True)
class Blocks(InputPartition):
    """Blocks of a task, both ends included."""

    start: int
    end: int


class GethReader(DataSourceReader):
    """Reads the chunks of a plan as tasks."""

    def __init__(self, query: Query, schema: StructType) -> None:
        self._query = query
        self._schema = schema
        self._first = 0
        self._last: int | None = None
        self._addresses: set[str] | None = None

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        for filter in filters:
            if not (self._takes_blocks(filter) or self._takes_addresses(filter)):
                yield filter

    def partitions(self) -> Sequence[InputPartition]:
        chunks = ((max(chunk.from_block, self._first), self._end(chunk)) for chunk in self._query.plan())
        return [Blocks(start, end) for start, end in chunks if start <= end]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        # Spark makes a task of no blocks if there is no partition.
        if not isinstance(partition, Blocks):
            return
        names = self._schema.fieldNames()
        replaced = {} if self._addresses is None else {"address": ",".join(sorted(self._addresses))}
        schema = to_arrow_schema(self._schema, timezone="UTC")
        if self._addresses == set():
            return
        columns = ",".join(sorted({_FORM.sub("", name) for name in names}))
        arguments = self._query.stream_arguments(partition.start, partition.end, columns, **replaced)
        with open_output(self._query.command, arguments) as output, pa.ipc.open_stream(output) as stream:
            for batch in stream:
                yield pa.RecordBatch.from_arrays(
                    [batch.column(field.name).cast(field.type) for field in schema], schema=schema
                )

    def _end(self, chunk: Chunk) -> int:
        return chunk.to_block if self._last is None else min(chunk.to_block, self._last)

    def _takes_blocks(self, filter: Filter) -> bool:
        """Narrows the range by a filter on the number of the block; whether that does all that the filter asks."""
        if getattr(filter, "attribute", None) != ("block_number",):
            return False
        match filter:
            case EqualTo(value=value):
                self._narrow(value, value)
            case GreaterThan(value=value):
                self._narrow(value + 1, None)
            case GreaterThanOrEqual(value=value):
                self._narrow(value, None)
            case LessThan(value=value):
                self._narrow(0, value - 1)
            case LessThanOrEqual(value=value):
                self._narrow(0, value)
            case In(value=values):
                numbers = [value for value in values if value is not None]
                self._narrow(min(numbers, default=0), max(numbers, default=-1))
                return False
            case _:
                return False
        return True

    def _narrow(self, first: int, last: int | None) -> None:
        self._first = max(self._first, first)
        if last is not None:
            self._last = last if self._last is None else min(self._last, last)

    def _takes_addresses(self, filter: Filter) -> bool:
        """Narrows the logs by a filter on their contract; whether that does all that the filter asks."""
        if getattr(filter, "attribute", None) != (ADDRESS_COLUMNS.get(self._query.dataset),):
            return False
        # The option and the filter both hold, and the command takes one list.
        if "address" in self._query.options:
            return False
        match filter:
            case EqualTo(value=value):
                found = {value}
            case In(value=values) if len(values) <= MOST_ADDRESSES:
                found = {value for value in values if value is not None}
            case _:
                return False
        addresses = {f"0x{bytes(value).hex()}" for value in found if len(value) == 20}
        self._addresses = addresses if self._addresses is None else self._addresses & addresses
        return True


def _flags(given: Mapping[str, str | None]) -> list[str]:
    return [part for flag, value in given.items() if value is not None for part in (flag, value)]
