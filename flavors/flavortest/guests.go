package flavortest

import _ "embed" // the guests

// Script is the guest for a flavor that runs JavaScript.
//
//go:embed behaviours/behaviours.js
var Script []byte

// Module is the guest for a flavor that runs WebAssembly: behaviours.c, built.
//
//go:embed behaviours/behaviours.wasm
var Module []byte
