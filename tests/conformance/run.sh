#!/usr/bin/env bash
# Runs what the official conformance suite requires of a server, for both revisions, against the program given: installs
# the suite, pinned, with the Node.js that it needs; starts the program; reports; leaves nothing running.
#   run.sh FOLDER PROGRAM [COMPONENT]
# Without a component the fixture runs natively; see src/main.rs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
into=${1:?usage: run.sh FOLDER PROGRAM [COMPONENT]}
shift
program=("$@")
[ -x "${program[0]:-}" ] || { echo "${program[0]:-no program}: run \`make conformance\`, which builds it" >&2; exit 1; }
mkdir -p "$into"
into=$(cd "$into" && pwd)

if ! cmp -s "$here/package-lock.json" "$into/.made-from"; then
    command -v npm >/dev/null || { echo 'npm is missing: apt-get install nodejs npm' >&2; exit 1; }
    echo 'installing the conformance suite'
    rm -rf "$into/node_modules" "$into/.made-from"
    cp "$here"/package.json "$here"/package-lock.json "$into/"
    npm ci --prefix "$into" --silent --no-audit --no-fund
    "$into/node_modules/.bin/node" --version >/dev/null || { echo 'no Node.js package for this machine: Linux on x64 or arm64 is needed' >&2; exit 1; }
    cp "$here/package-lock.json" "$into/.made-from"
fi
suite=("$into/node_modules/.bin/node" "$into/node_modules/@modelcontextprotocol/conformance/dist/index.js")

rm -rf "$into/results"
mkdir "$into/results"
exec {told}< <(exec "${program[@]}" 2>"$into/results/program.log")
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
if ! read -r -t 60 line <&"$told"; then
    echo "the program did not start: see $into/results/program.log" >&2
    cat "$into/results/program.log" >&2
    exit 1
fi
url=${line#listening on }

failed=()
for revision in 2026-07-28 2025-11-25; do
    baseline=$here/baseline-$revision.yml
    expected=()
    if [ -f "$baseline" ]; then expected=(--expected-failures "$baseline"); fi
    log=$into/results/$revision.log
    if "${suite[@]}" server --url "$url" --requirements "$revision" --timeout 8000 -o "$into/results/$revision" \
        "${expected[@]}" >"$log" 2>&1; then
        echo "conformance $revision: everything required passes${expected[1]:+, but for what ${expected[1]##*/} explains}"
        sed -n '/^  ~ /p; /^Not scored/p' "$log"
    else
        failed+=("$revision")
        echo "conformance $revision: FAILED"
        sed -n '/=== SUMMARY ===/,$p' "$log" | grep -v '^✓' || tail "$log"
    fi
done
if ((${#failed[@]})); then
    echo "conformance failed for ${failed[*]}: what was asked and answered is below $into/results" >&2
    exit 1
fi
