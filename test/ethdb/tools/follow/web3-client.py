# Prints what web3.py hears of a chain: new heads and logs, a line of JSON each, after a line that says it listens. Ends with
# its input.
#
#   python3 web3-client.py WS_URL
import asyncio
import json
import sys

from web3 import AsyncWeb3, WebSocketProvider


def write(event):
    print(json.dumps(event), flush=True)


async def follow(url):
    async with AsyncWeb3(WebSocketProvider(url, max_connection_retries=1, request_timeout=60)) as w3:
        heads = await w3.eth.subscribe("newHeads")
        await w3.eth.subscribe("logs", {})
        write({"isReady": True})
        async for message in w3.socket.process_subscriptions():
            result = message["result"]
            if message["subscription"] == heads:
                write({"stream": "heads", "number": result["number"], "hash": result["hash"].to_0x_hex()})
            else:
                write(
                    {
                        "stream": "logs",
                        "number": result["blockNumber"],
                        "hash": result["blockHash"].to_0x_hex(),
                        "index": result["logIndex"],
                        "removed": result["removed"],
                    }
                )


async def main(url):
    following = asyncio.create_task(follow(url))
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    ended = asyncio.create_task(reader.read())
    await asyncio.wait([following, ended], return_when=asyncio.FIRST_COMPLETED)
    if following.done():
        following.result()
    following.cancel()


asyncio.run(main(sys.argv[1]))
