#!/usr/bin/env bash
# Installs the MCP clients that the tests drive, pinned, into the folder given: two lines of the Python SDK and fastmcp,
# each in an environment of its own; both lines of the TypeScript SDK, the inspector and mcp-remote, with a Node.js of the
# age that the inspector needs.
# System packages are asked for only where Python's venv, Node.js, npm or PostgreSQL's server (which tests of the documents
# start for themselves) are missing; that alone needs root.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
into=${1:?usage: install.sh FOLDER}
mkdir -p "$into"
into=$(cd "$into" && pwd)

missing=()
command -v git >/dev/null || missing+=(git)
python3 -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3 python3-venv)
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)
command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
if ((${#missing[@]})); then
    echo "installing system packages: ${missing[*]}"
    if [ "$(id -u)" != 0 ]; then
        echo "not root: install these first: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

# A folder is made anew only when what it is made from has changed.
current() { [ -f "$1/.made-from" ] && cmp -s "$2" "$1/.made-from"; }

for line in v1 v2 fastmcp; do
    requirements=$here/python/requirements-$line.txt
    if ! current "$into/python-$line" "$requirements"; then
        echo "installing Python clients, $line"
        rm -rf "$into/python-$line"
        python3 -m venv "$into/python-$line"
        "$into/python-$line/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"
        cp "$requirements" "$into/python-$line/.made-from"
    fi
done

if ! current "$into/node" "$here/node/package-lock.json"; then
    echo "installing Node.js clients"
    rm -rf "$into/node"
    mkdir -p "$into/node"
    cp "$here"/node/package.json "$here"/node/package-lock.json "$into/node/"
    npm ci --prefix "$into/node" --silent --no-audit --no-fund
    "$into/node/node_modules/.bin/node" --version >/dev/null || { echo 'no Node.js package for this machine: Linux on x64 or arm64 is needed' >&2; exit 1; }
    cp "$here/node/package-lock.json" "$into/node/.made-from"
fi
# A module is looked for beside the script that imports it.
cp "$here"/node/*.mjs "$into/node/"
