// Walks a diff and a file to their ends and checks every byte: what all clients of Node.js share.
//
// It trusts nothing that the server says about itself: each window's hash, the assembled count and the assembled hash are
// recomputed. A reader gives `connect(options)`, which returns {protocol, names, call(tool, arguments), close}.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const DIFF = "get_pull_request_diff";
const FILE = "get_file";
const MAX_PAGES = 100_000;

/** Reads as the command line says, prints one JSON line, ends with 1 and a reason where something does not hold. */
export async function main(client, packageName, connect) {
  try {
    const options = parse(process.argv.slice(2));
    const connection = await connect(options);
    const reads = [];
    try {
      for (const { tool, given, walk } of options.wanted) {
        check(connection.names.includes(tool), `${tool} is not listed`);
        const { pages, bytes } = await walk((more) => connection.call(tool, { ...given, ...more }));
        reads.push({ tool, pages, bytes: bytes.length, sha256: hash("sha256", bytes) });
      }
    } finally {
      await connection.close();
    }
    const transport = options.url === undefined ? "stdio" : "http";
    console.log(JSON.stringify({ client, version: installed(packageName), protocol: connection.protocol, transport, reads }));
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

/** The version of a package, as installed. */
function installed(name) {
  const path = new URL(`./node_modules/@modelcontextprotocol/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(path, "utf8")).version;
}

function parse(args) {
  const text = { type: "string" };
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { owner: text, repo: text, index: text, path: text, ref: text, url: text, bearer: text, mode: text },
  });
  check(values.owner && values.repo && (values.index || values.path), "--owner, --repo and --index or --path are needed");
  check((values.url === undefined) === (positionals.length > 0), "give either --url or a command after --");
  const { owner, repo, index, path, ref, url, bearer, mode } = values;
  const wanted = [];
  if (index !== undefined) wanted.push({ tool: DIFF, given: { owner, repo, index: Number(index) }, walk: wholeDiff });
  if (path !== undefined) {
    wanted.push({ tool: FILE, given: { owner, repo, path, ...(ref === undefined ? {} : { ref }) }, walk: wholeFile });
  }
  return { wanted, url, bearer, mode, command: positionals };
}

async function wholeDiff(ask) {
  const read = await windows(ask, await ask({}), (page) => {
    check(page.whole_diff_verified === true, "a page is not verified");
  });
  const told = read.last.manifest.content;
  check(told.bytes === read.bytes.length, `${told.bytes} bytes were told, ${read.bytes.length} came`);
  const digest = hash("sha256", read.bytes);
  check(told.sha256 === digest, `SHA-256 ${told.sha256} was told, ${digest} came`);
  return read;
}

/** A small file comes whole, as text; any other in windows. Its id is that of git's blob. */
async function wholeFile(ask) {
  const first = await ask({});
  const read =
    "eof" in first
      ? await windows(ask, first, (page) => {
          check(page.sha === first.sha && page.size === first.size, "the file changed between two pages");
        })
      : { pages: 1, bytes: Buffer.from(first.text, "utf8") };
  check(first.size === read.bytes.length, `${first.size} bytes were told, ${read.bytes.length} came`);
  const algorithm = first.sha.length === 40 ? "sha1" : "sha256";
  const blob = hash(algorithm, Buffer.concat([Buffer.from(`blob ${read.bytes.length}\0`), read.bytes]));
  check(first.sha === blob, `blob ${first.sha} was told, ${blob} came`);
  return read;
}

async function windows(ask, first, judge) {
  const chunks = [];
  let offset = 0;
  let page = first;
  for (let pages = 1; pages < MAX_PAGES; pages += 1) {
    judge(page);
    const chunk = checked(page, offset);
    chunks.push(chunk);
    offset += chunk.length;
    if (page.eof) return { pages, bytes: Buffer.concat(chunks), last: page };
    page = await ask({ cursor: page.next_cursor });
  }
  throw new Error(`no end after ${MAX_PAGES} pages`);
}

/** The bytes of one window. */
function checked(page, offset) {
  const chunk = Buffer.from(page.data, "base64");
  check(chunk.toString("base64") === page.data, "data is no canonical base64");
  check(page.byte_offset === offset, `page starts at ${page.byte_offset}, not ${offset}`);
  check(page.chunk_bytes === chunk.length, `chunk_bytes says ${page.chunk_bytes}, data has ${chunk.length}`);
  const digest = hash("sha256", chunk);
  check(page.chunk_sha256 === digest, `chunk_sha256 says ${page.chunk_sha256}, data has ${digest}`);
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

function hash(algorithm, bytes) {
  return createHash(algorithm).update(bytes).digest("hex");
}
