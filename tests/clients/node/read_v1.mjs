// Reads a diff and a file through the first line of the TypeScript SDK, which speaks the legacy era alone.
// It runs beside its node_modules: install.sh puts a copy there.
//
//   node read_v1.mjs --owner o --repo r [--index 7] [--path P [--ref R]] -- COMMAND ARG...
//   node read_v1.mjs --owner o --repo r [--index 7] [--path P [--ref R]] --url http://127.0.0.1:8080/mcp --bearer TOKEN

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { answer, check, headers, main } from "./walk.mjs";

await main("typescript", "sdk", async (options) => {
  check([undefined, "legacy"].includes(options.mode), "this line of the SDK speaks the legacy era alone");
  const transport =
    options.url === undefined
      ? new StdioClientTransport({ command: options.command[0], args: options.command.slice(1), env: process.env })
      : new StreamableHTTPClientTransport(new URL(options.url), { requestInit: { headers: headers(options) } });
  // The client keeps the version to itself, but tells the transport.
  let protocol;
  const told = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    protocol = version;
    told?.(version);
  };
  const client = new Client({ name: "assay-test", version: "0" });
  await client.connect(transport);
  const names = (await client.listTools()).tools.map((listed) => listed.name);
  return {
    protocol,
    names,
    call: async (name, args) => answer(await client.callTool({ name, arguments: args })),
    close: () => client.close(),
  };
});
