// Reads a diff and a file through the command line of the MCP inspector, in either era of the protocol: one process a
// message. It also lets the inspector judge the tools' schemas, and takes none that it has an error to tell about.
// It runs beside its node_modules: install.sh puts a copy there.
//
//   node read_inspector.mjs --owner o --repo r [--index 7] [--path P [--ref R]] [--mode M] -- COMMAND ARG...
//   node read_inspector.mjs --owner o --repo r [--index 7] [--path P [--ref R]] [--mode M] --url http://127.0.0.1:8080/mcp --bearer TOKEN
//
// M is `legacy`, `auto` or `modern`. The server's environment is this program's.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { answer, check, headers, main } from "./walk.mjs";

const PROGRAM = fileURLToPath(new URL("./node_modules/.bin/mcp-inspector", import.meta.url));

await main("inspector", "inspector", async (options) => {
  const inspect = (...what) => {
    const args = ["--cli", "--quiet", "--format", "json", "--protocol-era", options.mode ?? "auto", ...what];
    if (options.url === undefined) {
      for (const [name, value] of Object.entries(process.env)) {
        if (name.startsWith("FORGEJO_")) args.push("-e", `${name}=${value}`);
      }
      args.push("--", ...options.command);
    } else {
      args.push("--server-url", options.url, "--transport", "http");
      for (const [name, value] of Object.entries(headers(options))) args.push("--header", `${name}: ${value}`);
    }
    const ended = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8", maxBuffer: 1 << 24 });
    // A result that is an error is printed like any other, and makes it end with 5.
    check(ended.status === 0 || ended.stdout !== "", `the inspector ended with ${ended.status}: ${ended.stderr}`);
    return { status: ended.status, told: ended.stderr, ...JSON.parse(ended.stdout) };
  };
  const { protocolVersion } = inspect("--method", "initialize").result;
  const listed = inspect("--method", "tools/list", "--strict");
  check(listed.status === 0, `the inspector does not like the tools' schemas: ${listed.told}`);
  return {
    protocol: protocolVersion,
    names: listed.result.tools.map((tool) => tool.name),
    call: async (name, args) => {
      const call = ["--method", "tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(args)];
      return answer(inspect(...call).result);
    },
    close: async () => {},
  };
});
