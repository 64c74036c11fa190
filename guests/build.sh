#!/bin/sh
# Builds the guests' modules with what this machine has and names what it lacks.
#
#   guests/build.sh                  builds every language whose toolchain is here
#   guests/build.sh go               builds one; fails if its toolchain is missing
#   guests/build.sh sums             writes SHA256SUMS of the modules as they are
#   guests/build.sh check            compares the modules with SHA256SUMS
set -eu
cd "$(dirname "$0")"

languages="go c rust assemblyscript"

# npm brings asc here, and a wasm-opt, which clang runs where there is one: with it the modules are those that are committed.
export PATH="$PWD/assemblyscript/node_modules/.bin:$PATH"

missing_go() { command -v go >/dev/null || echo "the Go toolchain, 1.24 or later"; }

build_go() {
	(cd go && GOOS=wasip1 GOARCH=wasm GOFLAGS=-buildvcs=false \
		sh -c 'for name in score fulfil; do go build -trimpath -buildmode=c-shared -o $name/$name.wasm ./$name; done')
}

missing_c() {
	command -v clang >/dev/null && command -v wasm-ld >/dev/null && [ -d /usr/include/wasm32-wasi ] ||
		echo "clang with wasm-ld and wasi-libc (Debian: clang lld wasi-libc libclang-rt-dev-wasm32)"
}

build_c() {
	for name in score fulfil audit; do
		clang --target=wasm32-wasi -O2 -Wall -mexec-model=reactor -Wl,--strip-debug -o c/$name/$name.wasm c/$name/$name.c
	done
	clang --target=wasm32-wasi -O2 -Wall -Wl,--strip-debug -o c/upper/upper.wasm c/upper/upper.c
	clang --target=wasm32-wasi -O2 -Wall -mexec-model=reactor -Wl,--strip-debug -Ic \
		-o ../flavors/flavortest/behaviours/behaviours.wasm ../flavors/flavortest/behaviours/behaviours.c
}

# RUSTC names a rustc that has the target: the distribution's may, where the one first on PATH has not.
rust_compiler() {
	for candidate in "${RUSTC:-rustc}" /usr/bin/rustc; do
		root=$("$candidate" --print sysroot 2>/dev/null) || continue
		if [ -d "$root/lib/rustlib/wasm32-unknown-unknown" ]; then
			echo "$candidate"
			return
		fi
	done
}

missing_rust() {
	[ -n "$(rust_compiler)" ] ||
		echo "rustc with the target wasm32-unknown-unknown (Debian: rustc libstd-rust-dev-wasm32)"
}

build_rust() {
	compiler=$(rust_compiler)
	out=$(mktemp -d)
	options="--edition 2021 --target wasm32-unknown-unknown -C opt-level=3 -C panic=abort"
	"$compiler" $options --crate-type rlib --crate-name leat --out-dir "$out" rust/leat.rs
	for name in score fulfil audit; do
		"$compiler" $options -C lto -C strip=debuginfo --remap-path-prefix "$PWD"=. --crate-type cdylib --crate-name $name \
			--extern leat="$out/libleat.rlib" -o rust/$name/$name.wasm rust/$name/$name.rs
	done
	rm -r "$out"
}

# ASC names the AssemblyScript compiler.
missing_assemblyscript() {
	command -v "${ASC:-asc}" >/dev/null ||
		echo "asc (npm install --prefix guests/assemblyscript)"
}

build_assemblyscript() {
	for name in score fulfil audit; do
		"${ASC:-asc}" assemblyscript/$name/$name.ts -O3 --runtime incremental --exportStart _initialize -o assemblyscript/$name/$name.wasm
	done
}

# The modules that are committed: the examples, and the guest of the flavors' common tests.
modules() { { find . -name '*.wasm' && echo ../flavors/flavortest/behaviours/behaviours.wasm; } | sed 's#^\./##' | sort; }

sums() {
	modules | xargs chmod 644
	modules | xargs sha256sum >SHA256SUMS
}

case "${1:-all}" in
all)
	for language in $languages; do
		lacking=$("missing_$language")
		if [ -n "$lacking" ]; then
			echo "guests: $language is left as it is: needs $lacking" >&2
		else
			echo "guests: $language" >&2
			"build_$language"
		fi
	done
	sums
	;;
sums) sums ;;
check) sha256sum --quiet -c SHA256SUMS ;;
*)
	case " $languages " in
	*" $1 "*) ;;
	*)
		echo "guests: no language $1; there are: $languages" >&2
		exit 2
		;;
	esac
	lacking=$("missing_$1")
	if [ -n "$lacking" ]; then
		echo "guests: $1 needs $lacking" >&2
		exit 1
	fi
	"build_$1"
	sums
	;;
esac
