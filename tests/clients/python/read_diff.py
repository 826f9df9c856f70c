"""Reads a pull request's diff to its end through the Python MCP SDK and checks every byte of it.

Runs with both lines of the SDK (1.x and 2.x); what differs between them stays in the two `connect_*` functions. It trusts
nothing that the server says about itself: each window's hash, the assembled count and the assembled hash are recomputed.

Prints one JSON line {client, version, protocol, transport, pages, bytes, sha256}; ends with 1 and a reason otherwise.

    read_diff.py --owner o --repo r --index 7 [--file-path P] [--expect-sha256 HEX] -- COMMAND ARG...
    read_diff.py --owner o --repo r --index 7 --url http://127.0.0.1:8080/mcp --bearer TOKEN [--mode legacy|auto|modern]
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

TOOL = "get_pull_request_diff"
MODERN = "2026-07-28"
MAX_PAGES = 100_000
EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()


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
    parser.add_argument("--index", required=True, type=int)
    parser.add_argument("--file-path")
    parser.add_argument("--expect-sha256")
    parser.add_argument("--url")
    parser.add_argument("--bearer")
    parser.add_argument("--mode", choices=["legacy", "auto", "modern"], help="era of the protocol; 2.x alone can choose")
    options = parser.parse_args(arguments)
    if bool(command) == bool(options.url):
        parser.error("give either --url or a command after --")
    options.command = command
    return options


async def read(options):
    version = importlib.metadata.version("mcp")
    connect = connect_v1 if version.startswith("1.") else connect_v2
    async with connect(options) as (protocol, call):
        arguments = {"owner": options.owner, "repo": options.repo, "index": options.index}
        if options.file_path:
            arguments["file_path"] = options.file_path
        pages, data = await walk(call, arguments)
    digest = hashlib.sha256(data).hexdigest()
    if options.expect_sha256 and digest != options.expect_sha256:
        raise Refused(f"assembled SHA-256 is {digest}, expected {options.expect_sha256}")
    return {
        "client": "python",
        "version": version,
        "protocol": protocol,
        "transport": "http" if options.url else "stdio",
        "pages": pages,
        "bytes": len(data),
        "sha256": digest,
    }


async def walk(call, arguments):
    assembled = bytearray()
    cursor = None
    for pages in range(1, MAX_PAGES):
        page = await call(arguments if cursor is None else {**arguments, "cursor": cursor})
        check_page(page, len(assembled))
        assembled += decoded(page)
        if page["eof"]:
            check_whole(page, bytes(assembled), "file_path" in arguments)
            return pages, bytes(assembled)
        cursor = page["next_cursor"]
    raise Refused(f"no end after {MAX_PAGES} pages")


def decoded(page):
    return base64.b64decode(page["data"], validate=True)


def check_page(page, expected_offset):
    chunk = decoded(page)
    require(page["whole_diff_verified"] is True, "a page is not verified")
    require(page["byte_offset"] == expected_offset, f"page starts at {page['byte_offset']}, not {expected_offset}")
    require(page["chunk_bytes"] == len(chunk), f"chunk_bytes says {page['chunk_bytes']}, data has {len(chunk)}")
    digest = hashlib.sha256(chunk).hexdigest()
    require(page["chunk_sha256"] == digest, f"chunk_sha256 says {page['chunk_sha256']}, data has {digest}")
    if page["text"] is not None:
        require(page["text"].encode() == chunk, "text is not data")
    if page["eof"]:
        require(page["next_cursor"] is None and page["next_byte_offset"] is None, "a cursor after the end")
    else:
        require(len(chunk) > 0, "an empty page before the end")
        require(bool(page["next_cursor"]), "no cursor before the end")
        require(page["next_byte_offset"] == expected_offset + len(chunk), "next_byte_offset leaves a gap")


def check_whole(page, assembled, sliced):
    told = page["slice"] if sliced else page["manifest"]["content"]
    count = told["byte_count"] if sliced else told["bytes"]
    digest = hashlib.sha256(assembled).hexdigest()
    require(count == len(assembled), f"{count} bytes were told, {len(assembled)} came")
    require(told["sha256"] == digest, f"SHA-256 {told['sha256']} was told, {digest} came")
    require(assembled != b"" or digest == EMPTY_SHA256, "an empty diff has another hash")


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
        require(TOOL in names, f"{TOOL} is not listed")

        async def call(arguments):
            result = await session.call_tool(TOOL, arguments)
            return answer(result, result.isError)

        yield protocol, call


@contextlib.asynccontextmanager
async def connect_v2(options):
    from mcp import Client

    mode = {None: "auto", "modern": MODERN}.get(options.mode, options.mode)
    async with contextlib.AsyncExitStack() as stack:
        server = await over_http(stack, options) if options.url else over_stdio(options)
        client = await stack.enter_async_context(Client(server, mode=mode))
        names = [tool.name for tool in (await client.list_tools()).tools]
        require(TOOL in names, f"{TOOL} is not listed")
        if options.mode == "modern":
            require(client.protocol_version == MODERN, f"{client.protocol_version} was negotiated")

        async def call(arguments):
            result = await client.call_tool(TOOL, arguments)
            return answer(result, result.is_error)

        yield client.protocol_version, call


async def over_http(stack, options):
    from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

    headers = {"Authorization": f"Bearer {options.bearer}"} if options.bearer else {}
    http_client = await stack.enter_async_context(create_mcp_http_client(headers=headers))
    return streamable_http_client(options.url, http_client=http_client)


def over_stdio(options):
    from mcp import StdioServerParameters

    program, *arguments = options.command
    return StdioServerParameters(command=program, args=arguments, env=dict(os.environ))


if __name__ == "__main__":
    main()
