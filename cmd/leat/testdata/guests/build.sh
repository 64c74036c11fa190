#!/bin/sh
# Assembles every .wat file beside it. Needs wat2wasm (wabt).
set -eu
cd "$(dirname "$0")"
for source in *.wat; do wat2wasm --debug-names "$source" -o "${source%.wat}.wasm"; done
