// Walks get_pull_request_diff to its end and checks every byte: what both lines of the TypeScript SDK share.
//
// It trusts nothing that the server says about itself: each window's hash, the assembled count and the assembled hash are
// recomputed. A reader gives `connect(options)`, which returns {protocol, names, call, close}.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

export const tool = "get_pull_request_diff";
const MAX_PAGES = 100_000;

/** Reads as the command line says, prints one JSON line, ends with 1 and a reason where something does not hold. */
export async function main(version, connect) {
  try {
    const options = parse(process.argv.slice(2));
    const connection = await connect(options);
    let read;
    try {
      check(connection.names.includes(tool), `${tool} is not listed`);
      read = await walk(connection.call, options);
    } finally {
      await connection.close();
    }
    const digest = sha256(read.bytes);
    if (options.expectSha256 !== undefined) {
      check(digest === options.expectSha256, `assembled SHA-256 is ${digest}, expected ${options.expectSha256}`);
    }
    const transport = options.url === undefined ? "stdio" : "http";
    const { protocol } = connection;
    const line = { client: "typescript", version, protocol, transport, pages: read.pages, bytes: read.bytes.length };
    console.log(JSON.stringify({ ...line, sha256: digest }));
  } catch (error) {
    console.error(String(error?.message ?? error));
    process.exitCode = 1;
  }
}

/** The one text block of a result, parsed. */
export function answer(result) {
  const texts = result.content.filter((block) => block.type === "text").map((block) => block.text);
  check(!result.isError, `refused: ${texts.join(" ")}`);
  check(texts.length === 1, `${texts.length} text blocks instead of one`);
  return JSON.parse(texts[0]);
}

/** The headers that a remote server asks for. */
export function headers(options) {
  return options.bearer === undefined ? {} : { Authorization: `Bearer ${options.bearer}` };
}

/** Ends the reading with a reason unless something holds. */
export function check(holds, otherwise) {
  if (!holds) throw new Error(otherwise);
}

/** The version of a package of the SDK, as installed. */
export function installed(name) {
  const path = new URL(`./node_modules/@modelcontextprotocol/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(path, "utf8")).version;
}

function parse(args) {
  const text = { type: "string" };
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      owner: text,
      repo: text,
      index: text,
      "file-path": text,
      "expect-sha256": text,
      url: text,
      bearer: text,
      mode: text,
    },
  });
  check(values.owner && values.repo && values.index, "--owner, --repo and --index are needed");
  check((values.url === undefined) === (positionals.length > 0), "give either --url or a command after --");
  return {
    arguments: {
      owner: values.owner,
      repo: values.repo,
      index: Number(values.index),
      ...(values["file-path"] === undefined ? {} : { file_path: values["file-path"] }),
    },
    expectSha256: values["expect-sha256"],
    url: values.url,
    bearer: values.bearer,
    mode: values.mode,
    command: positionals,
  };
}

async function walk(call, options) {
  const chunks = [];
  let offset = 0;
  let cursor;
  for (let pages = 1; pages < MAX_PAGES; pages += 1) {
    const page = await call(cursor === undefined ? options.arguments : { ...options.arguments, cursor });
    const chunk = checkPage(page, offset);
    chunks.push(chunk);
    offset += chunk.length;
    if (page.eof) {
      const bytes = Buffer.concat(chunks);
      checkWhole(page, bytes, "file_path" in options.arguments);
      return { pages, bytes };
    }
    cursor = page.next_cursor;
  }
  throw new Error(`no end after ${MAX_PAGES} pages`);
}

function checkPage(page, offset) {
  const chunk = Buffer.from(page.data, "base64");
  check(chunk.toString("base64") === page.data, "data is no canonical base64");
  check(page.whole_diff_verified === true, "a page is not verified");
  check(page.byte_offset === offset, `page starts at ${page.byte_offset}, not ${offset}`);
  check(page.chunk_bytes === chunk.length, `chunk_bytes says ${page.chunk_bytes}, data has ${chunk.length}`);
  check(page.chunk_sha256 === sha256(chunk), `chunk_sha256 says ${page.chunk_sha256}, data has ${sha256(chunk)}`);
  check(page.text === null || Buffer.from(page.text, "utf8").equals(chunk), "text is not data");
  if (page.eof) {
    check(page.next_cursor === null && page.next_byte_offset === null, "a cursor after the end");
  } else {
    check(chunk.length > 0, "an empty page before the end");
    check(typeof page.next_cursor === "string" && page.next_cursor !== "", "no cursor before the end");
    check(page.next_byte_offset === offset + chunk.length, "next_byte_offset leaves a gap");
  }
  return chunk;
}

function checkWhole(page, bytes, sliced) {
  const told = sliced ? page.slice : page.manifest.content;
  const count = sliced ? told.byte_count : told.bytes;
  check(count === bytes.length, `${count} bytes were told, ${bytes.length} came`);
  check(told.sha256 === sha256(bytes), `SHA-256 ${told.sha256} was told, ${sha256(bytes)} came`);
}

function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}
