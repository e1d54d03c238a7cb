#!/usr/bin/env bash
# Bars B1 and B2: `wakeful hook` on a shell call that passes, beside `rg --version` and a Node hook, in one run.
# Needs ripgrep; with node and npm it also gets the Node hook, in a folder that is removed again. Usage: benches/hook.sh [ROUNDS]
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-300}

cargo build --release --locked --quiet -p wakeful --bins --example bench_hook
release=${CARGO_TARGET_DIR:-target}/release
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

commands=("$release/wakeful hook claude-code" "rg --version")
if command -v npm >/dev/null && npm install --silent --no-audit --no-fund --prefix "$scratch" cc-safety-net >/dev/null 2>&1; then
  commands+=("$scratch/node_modules/.bin/cc-safety-net hook --claude-code")
else
  echo "(no Node hook to compare with)"
fi
HOME=$scratch "$release/examples/bench_hook" "$rounds" "${commands[@]}"
