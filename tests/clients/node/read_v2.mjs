// Reads a diff and a file through the second line of the TypeScript SDK, in either era of the protocol.
// It runs beside its node_modules: install.sh puts a copy there.
//
//   node read_v2.mjs --owner o --repo r [--index 7] [--path P [--ref R]] [--mode M] -- COMMAND ARG...
//   node read_v2.mjs --owner o --repo r [--index 7] [--path P [--ref R]] [--mode M] --url http://127.0.0.1:8080/mcp --bearer TOKEN
//
// M is `legacy` (2025-11-25 and before), `modern` (2026-07-28 and nothing else) or `auto` (modern where the server speaks it).

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { answer, check, headers, main } from "./walk.mjs";

const MODES = { legacy: "legacy", auto: "auto", modern: { pin: "2026-07-28" } };

await main("typescript", "client", async (options) => {
  const mode = MODES[options.mode ?? "auto"];
  check(mode !== undefined, `--mode ${options.mode} is none of ${Object.keys(MODES).join(", ")}`);
  const transport =
    options.url === undefined
      ? new StdioClientTransport({ command: options.command[0], args: options.command.slice(1), env: process.env })
      : new StreamableHTTPClientTransport(new URL(options.url), { requestInit: { headers: headers(options) } });
  const client = new Client({ name: "assay-test", version: "0" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  const names = (await client.listTools()).tools.map((listed) => listed.name);
  return {
    protocol: client.getNegotiatedProtocolVersion(),
    names,
    call: async (name, args) => answer(await client.callTool({ name, arguments: args })),
    close: () => client.close(),
  };
});
