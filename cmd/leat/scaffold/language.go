package scaffold

import "slices"

// Language is what a guest may be written in.
type Language struct {
	Name   string // as --lang takes it
	Title  string
	Flavor string // script or wasm
	// setup is a command that fetches the compiler, once; "" where the machine has it.
	setup string
	// build is a template of the command that makes the module; "" for scripts.
	build string
	needs string // what the build needs, in a sentence
	// sources are the files that the module depends on, as a Makefile says it.
	sources string
	// fuel bounds of the suites.
	pipelineFuel, transformFuel string
	stageFuel                   string // of a stage's suite
	files                       []entry
	stage                       []entry // besides, of a stage
}

// entry is one file of a scaffold: where it goes, and the template or SDK file that it is made of.
// Both may name {{.Node}} and {{.CodeDir}}.
type entry struct{ path, from string }

// languages in the order of the documentation.
var languages = []Language{
	{
		Name: "js", Title: "JavaScript", Flavor: "script", pipelineFuel: "2_000", transformFuel: "2_000", stageFuel: "2_000",
		files: []entry{{"{{.Node}}.js", "{{.Code}}.js"}, {"leat.d.ts", "sdk:js/leat.d.ts"}},
	},
	{
		Name: "ts", Title: "TypeScript", Flavor: "script", pipelineFuel: "2_000", transformFuel: "2_000", stageFuel: "2_000",
		files: []entry{{"{{.Node}}.ts", "{{.Code}}.ts"}, {"leat.d.ts", "sdk:js/leat.d.ts"}},
	},
	{
		Name: "go", Title: "Go", Flavor: "wasm", pipelineFuel: "5_000_000", transformFuel: "5_000_000", stageFuel: "5_000_000",
		build:   "GOOS=wasip1 GOARCH=wasm go build -C {{.CodeDir}} -buildmode=c-shared -o ../{{.Module}} .",
		needs:   "It needs Go 1.24 or later, and no network: the SDK is in `{{.CodeDir}}/leat`.",
		sources: "{{.CodeDir}}/*.go",
		files: []entry{
			{"{{.CodeDir}}/main.go", "main.go.txt"}, {"{{.CodeDir}}/go.mod", "shared/go.mod.txt"},
			{"{{.CodeDir}}/leat/go.mod", "go:go.mod.txt"}, {"{{.CodeDir}}/leat/leat.go", "go:leat.go.txt"},
			{"{{.CodeDir}}/leat/abi_wasip1.go", "go:abi_wasip1.go.txt"},
		},
		stage: []entry{
			{"{{.CodeDir}}/leat/stage/stage.go", "go:stage_stage.go.txt"}, {"{{.CodeDir}}/leat/stage/abi_wasip1.go", "go:stage_abi_wasip1.go.txt"},
		},
	},
	{
		Name: "rust", Title: "Rust", Flavor: "wasm", pipelineFuel: "200_000", transformFuel: "200_000", stageFuel: "200_000",
		build: "cargo build --quiet --release --target wasm32-unknown-unknown --manifest-path {{.CodeDir}}/Cargo.toml && " +
			"cp {{.CodeDir}}/target/wasm32-unknown-unknown/release/{{.Library}}.wasm {{.Module}}",
		needs:   "It needs Rust with `rustup target add wasm32-unknown-unknown`, and no network: the SDK is in `{{.CodeDir}}/leat`.",
		sources: "{{.CodeDir}}/*.rs {{.CodeDir}}/Cargo.toml",
		files: []entry{
			{"{{.CodeDir}}/lib.rs", "lib.rs"}, {"{{.CodeDir}}/Cargo.toml", "shared/Cargo.toml"},
			{"{{.CodeDir}}/leat/Cargo.toml", "shared/leat.Cargo.toml"}, {"{{.CodeDir}}/leat/leat.rs", "sdk:rust/leat.rs"},
		},
	},
	{
		Name: "assemblyscript", Title: "AssemblyScript", Flavor: "wasm", pipelineFuel: "200_000", transformFuel: "200_000", stageFuel: "200_000",
		setup:   "npm install",
		build:   "npx asc {{.CodeDir}}/{{.Node}}.ts -O3 --runtime incremental --exportStart _initialize -o {{.Module}}",
		needs:   "`npm install` fetches the compiler first.",
		sources: "{{.CodeDir}}/*.ts",
		files: []entry{
			{"{{.CodeDir}}/{{.Node}}.ts", "{{.Code}}.as.ts"}, {"{{.CodeDir}}/leat.ts", "sdk:assemblyscript/leat.ts"},
			{"package.json", "shared/package.json"},
		},
	},
	{
		Name: "c", Title: "C", Flavor: "wasm", pipelineFuel: "200_000", transformFuel: "200_000", stageFuel: "200_000",
		build:   "clang --target=wasm32-wasi -O2 -mexec-model=reactor -o {{.Module}} {{.CodeDir}}/{{.Node}}.c",
		needs:   "It needs clang, wasm-ld and wasi-libc (Debian: clang lld wasi-libc libclang-rt-dev-wasm32).",
		sources: "{{.CodeDir}}/*.c {{.CodeDir}}/*.h",
		files:   []entry{{"{{.CodeDir}}/{{.Node}}.c", "{{.Code}}.c"}, {"{{.CodeDir}}/leat.h", "sdk:c/leat.h"}},
	},
}

// Languages returns the names that --lang takes.
func Languages() (names []string) {
	for _, l := range languages {
		names = append(names, l.Name)
	}
	return names
}

// Find returns the language of a name.
func Find(name string) (Language, bool) {
	at := slices.IndexFunc(languages, func(l Language) bool { return l.Name == name })
	if at < 0 {
		return Language{}, false
	}
	return languages[at], true
}
