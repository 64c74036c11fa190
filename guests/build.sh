#!/bin/sh
# Builds the guests' modules with what this machine has and names what it lacks.
#
#   guests/build.sh                  builds every language whose toolchain is here
#   guests/build.sh go               builds one; fails if its toolchain is missing
#   guests/build.sh sums             writes SHA256SUMS of the modules as they are
#   guests/build.sh check            compares the modules with SHA256SUMS
set -eu
cd "$(dirname "$0")"

languages="go"

missing_go() { command -v go >/dev/null || echo "the Go toolchain, 1.24 or later"; }

build_go() {
	(cd go && GOOS=wasip1 GOARCH=wasm GOFLAGS=-buildvcs=false \
		go build -trimpath -buildmode=c-shared -o score/score.wasm ./score)
}

sums() { find . -name '*.wasm' | sort | sed 's#^\./##' | xargs sha256sum >SHA256SUMS; }

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
