"""Reads a pull request's diff and a file to their ends through a Python MCP client and checks every byte of them.

Runs with both lines of the Python SDK (1.x and 2.x) and with fastmcp; what differs between them stays in the `connect_*`
functions. It trusts nothing that the server says about itself: each window's hash, the assembled count and the assembled
hash are recomputed.

Prints one JSON line {client, version, protocol, transport, reads: [{tool, pages, bytes, sha256}]}; ends with 1 and a
reason otherwise.

    read.py --owner o --repo r [--index 7] [--path P [--ref R]] -- COMMAND ARG...
    read.py --owner o --repo r [--index 7] [--path P [--ref R]] --url http://127.0.0.1:8080/mcp --bearer TOKEN

`--mode legacy|auto|modern` chooses the era of the protocol where the client lets one choose.
"""

import argparse
import asyncio
import base64
import contextlib
import hashlib
import importlib.metadata
import json
import os
import sys

DIFF = "get_pull_request_diff"
FILE = "get_file"
MODERN = "2026-07-28"
MAX_PAGES = 100_000


class Refused(Exception):
    """The server refused, or what it said does not hold."""


def main():
    options = parse(sys.argv[1:])
    try:
        print(json.dumps(asyncio.run(read(options))))
    except BaseException as error:  # Task groups wrap the reason: show the innermost.
        while isinstance(error, BaseExceptionGroup) and error.exceptions:
            error = error.exceptions[0]
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)


def parse(arguments):
    command = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, command = arguments[:at], arguments[at + 1 :]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--owner", required=True)
    parser.add_argument("--repo", required=True)
    parser.add_argument("--index", type=int, help="of the pull request whose diff is read")
    parser.add_argument("--path", help="of the file that is read")
    parser.add_argument("--ref")
    parser.add_argument("--url")
    parser.add_argument("--bearer")
    parser.add_argument("--mode", choices=["legacy", "auto", "modern"], help="era of the protocol")
    options = parser.parse_args(arguments)
    if bool(command) == bool(options.url):
        parser.error("give either --url or a command after --")
    if options.index is None and options.path is None:
        parser.error("give --index, --path or both")
    options.command = command
    return options


async def read(options):
    client, connect = installed()
    repository = {"owner": options.owner, "repo": options.repo}
    wanted = []
    if options.index is not None:
        wanted.append((DIFF, {**repository, "index": options.index}, whole_diff))
    if options.path is not None:
        wanted.append((FILE, {**repository, "path": options.path, **({"ref": options.ref} if options.ref else {})}, whole_file))
    reads = []
    async with connect(options) as (protocol, names, call):
        for tool, arguments, whole in wanted:
            require(tool in names, f"{tool} is not listed")

            async def ask(**more):
                return await call(tool, {**arguments, **more})

            pages, data = await whole(ask)
            reads.append({"tool": tool, "pages": pages, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    return {
        "client": client,
        "version": importlib.metadata.version(client),
        "protocol": protocol,
        "transport": "http" if options.url else "stdio",
        "reads": reads,
    }


def installed():
    """Which client this environment is for."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        importlib.metadata.version("fastmcp")
        return "fastmcp", connect_fastmcp
    return "mcp", connect_v1 if importlib.metadata.version("mcp").startswith("1.") else connect_v2


async def whole_diff(ask):
    def judge(page):
        require(page["whole_diff_verified"] is True, "a page is not verified")

    pages, data, last = await windows(ask, await ask(), judge)
    told = last["manifest"]["content"]
    digest = hashlib.sha256(data).hexdigest()
    require(told["bytes"] == len(data), f"{told['bytes']} bytes were told, {len(data)} came")
    require(told["sha256"] == digest, f"SHA-256 {told['sha256']} was told, {digest} came")
    return pages, data


async def whole_file(ask):
    """A small file comes whole, as text; any other in windows. Its id is that of git's blob."""
    first = await ask()

    def judge(page):
        same = page["sha"] == first["sha"] and page["size"] == first["size"]
        require(same, "the file changed between two pages")

    if "eof" in first:
        pages, data, _ = await windows(ask, first, judge)
    else:
        pages, data = 1, first["text"].encode()
    algorithm = hashlib.sha1 if len(first["sha"]) == 40 else hashlib.sha256
    blob = algorithm(b"blob %d\0" % len(data) + data).hexdigest()
    require(first["size"] == len(data), f"{first['size']} bytes were told, {len(data)} came")
    require(first["sha"] == blob, f"blob {first['sha']} was told, {blob} came")
    return pages, data


async def windows(ask, page, judge):
    assembled = bytearray()
    for pages in range(1, MAX_PAGES):
        judge(page)
        assembled += checked(page, len(assembled))
        if page["eof"]:
            return pages, bytes(assembled), page
        page = await ask(cursor=page["next_cursor"])
    raise Refused(f"no end after {MAX_PAGES} pages")


def checked(page, offset):
    """The bytes of one window."""
    chunk = base64.b64decode(page["data"], validate=True)
    digest = hashlib.sha256(chunk).hexdigest()
    require(page["byte_offset"] == offset, f"page starts at {page['byte_offset']}, not {offset}")
    require(page["chunk_bytes"] == len(chunk), f"chunk_bytes says {page['chunk_bytes']}, data has {len(chunk)}")
    require(page["chunk_sha256"] == digest, f"chunk_sha256 says {page['chunk_sha256']}, data has {digest}")
    if page["text"] is not None:
        require(page["text"].encode() == chunk, "text is not data")
    if page["eof"]:
        require(page["next_cursor"] is None and page["next_byte_offset"] is None, "a cursor after the end")
    else:
        require(len(chunk) > 0, "an empty page before the end")
        require(bool(page["next_cursor"]), "no cursor before the end")
        require(page["next_byte_offset"] == offset + len(chunk), "next_byte_offset leaves a gap")
    return chunk


def require(holds, otherwise):
    if not holds:
        raise Refused(otherwise)


def answer(result, is_error):
    texts = [block.text for block in result.content if block.type == "text"]
    if is_error:
        raise Refused("refused: " + " ".join(texts))
    require(len(texts) == 1, f"{len(texts)} text blocks instead of one")
    return json.loads(texts[0])


@contextlib.asynccontextmanager
async def connect_v1(options):
    from mcp import ClientSession
    from mcp.client.stdio import stdio_client

    require(options.mode in (None, "legacy"), "this line of the SDK speaks the legacy era alone")
    async with contextlib.AsyncExitStack() as stack:
        transport = await over_http(stack, options) if options.url else stdio_client(over_stdio(options))
        streams = await stack.enter_async_context(transport)
        session = await stack.enter_async_context(ClientSession(streams[0], streams[1]))
        protocol = (await session.initialize()).protocolVersion
        names = [tool.name for tool in (await session.list_tools()).tools]

        async def call(tool, arguments):
            result = await session.call_tool(tool, arguments)
            return answer(result, result.isError)

        yield protocol, names, call


@contextlib.asynccontextmanager
async def connect_v2(options):
    from mcp import Client

    mode = {None: "auto", "modern": MODERN}.get(options.mode, options.mode)
    async with contextlib.AsyncExitStack() as stack:
        server = await over_http(stack, options) if options.url else over_stdio(options)
        client = await stack.enter_async_context(Client(server, mode=mode))
        names = [tool.name for tool in (await client.list_tools()).tools]
        if options.mode == "modern":
            require(client.protocol_version == MODERN, f"{client.protocol_version} was negotiated")

        async def call(tool, arguments):
            result = await client.call_tool(tool, arguments)
            return answer(result, result.is_error)

        yield client.protocol_version, names, call


@contextlib.asynccontextmanager
async def connect_fastmcp(options):
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

    if options.url:
        transport = StreamableHttpTransport(options.url, headers=bearer(options))
    else:
        program, *arguments = options.command
        transport = StdioTransport(program, arguments, env=dict(os.environ), keep_alive=False)
    mode = {None: "auto", "modern": MODERN}.get(options.mode, options.mode)
    async with Client(transport, mode=mode) as client:
        names = [tool.name for tool in await client.list_tools()]

        async def call(tool, arguments):
            result = await client.call_tool(tool, arguments, raise_on_error=False)
            return answer(result, result.is_error)

        yield client.protocol_version, names, call


async def over_http(stack, options):
    from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

    http_client = await stack.enter_async_context(create_mcp_http_client(headers=bearer(options)))
    return streamable_http_client(options.url, http_client=http_client)


def bearer(options):
    return {"Authorization": f"Bearer {options.bearer}"} if options.bearer else {}


def over_stdio(options):
    from mcp import StdioServerParameters

    program, *arguments = options.command
    return StdioServerParameters(command=program, args=arguments, env=dict(os.environ))


if __name__ == "__main__":
    main()
