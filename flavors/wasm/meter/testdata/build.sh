#!/bin/sh
# Rebuilds the modules of this folder. Tests use the built ones and need none of these
# tools: wat2wasm, clang and wasm-ld with a wasm32 target, rustc with
# wasm32-unknown-unknown, AssemblyScript's asc (ASC says where it is).
set -e
cd "$(dirname "$0")"
wat2wasm --debug-names basic.wat -o basic.wasm
flags="--target=wasm32 -O2 -nostdlib -fno-builtin -Wl,--no-entry"
clang $flags -o c.wasm kernels.c
clang $flags -msimd128 -mbulk-memory -o simd.wasm kernels.c
rustc --target wasm32-unknown-unknown -O -C strip=debuginfo --crate-type cdylib -o rust.wasm kernels.rs
${ASC:-asc} kernels.as.ts -O --runtime minimal --use abort= -o as.wasm
