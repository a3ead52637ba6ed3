"""A session of Spark with two executors, and a small data directory.

Needs Java, ``GETH_READER_COMMAND`` and ``GETH_READER_TEST_DATADIR``; ``npm run test:full`` gives them (test/python/spark.test.ts).
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

from geth_reader import register

DATADIR = os.environ.get("GETH_READER_TEST_DATADIR", "")


@pytest.fixture(scope="session")
def datadir() -> str:
    if not DATADIR:
        pytest.skip("GETH_READER_TEST_DATADIR is not set")
    return DATADIR


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Executors import the package from here.
    os.environ["PYTHONPATH"] = str(Path(__file__).parent.parent)
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )
    register(session)
    yield session
    session.stop()
