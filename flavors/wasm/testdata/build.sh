#!/bin/sh
# Assembles every .wat file beside it and the trap probe (wat2wasm, of wabt), and compiles the
# programs of words/ but for the Go one, which the tests build. guests/build.sh says
# which toolchains those need.
set -eu
cd "$(dirname "$0")"
for source in *.wat; do wat2wasm --debug-names "$source" -o "${source%.wat}.wasm"; done
wat2wasm ../traps.wat -o ../traps.wasm

guests=../../../guests
clang --target=wasm32-wasi -O2 -Wall -mexec-model=reactor -Wl,--strip-debug -o words/c.wasm words/words.c
"${ASC:-asc}" words/words.ts -O3 --runtime incremental --exportStart _initialize -o words/assemblyscript.wasm
out=$(mktemp -d)
options="--edition 2021 --target wasm32-unknown-unknown -C opt-level=3 -C panic=abort"
"${RUSTC:-rustc}" $options --crate-type rlib --crate-name leat --out-dir "$out" $guests/rust/leat.rs
"${RUSTC:-rustc}" $options -C lto -C strip=debuginfo --remap-path-prefix "$(cd $guests/.. && pwd)"=. --crate-type cdylib --crate-name words \
	--extern leat="$out/libleat.rlib" -o words/rust.wasm words/words.rs
rm -r "$out"
