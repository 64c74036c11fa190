// Package codec turns bytes from outside into payloads and payloads into the bytes of a
// record.
//
//	line of a source --Decode--> Payload (checked, not changed) --Encode--> record of a sink
//	                                |
//	                                +--Redactor--> what a person is shown
//
// Invariants:
//
//  1. Decode never changes a byte of what it passes on: the payload is a part of the raw
//     bytes (json trims the white space around the text, nothing else).
//  2. A json payload is exactly one JSON text of RFC 8259 in strict UTF-8; a json record is that and
//     contains no line break. So a file of json records is always a file of lines, and
//     no sink ever writes JSON that a strict reader refuses.
//  3. Work and memory are linear in the input and no recursion follows its nesting, so
//     hostile input cannot end the process; nesting is bounded by MaxDepth.
//  4. A fault is a *Fault with the offset of the first wrong byte.
//
// The package owns no goroutine, keeps nothing between calls, and allocates only for a
// fault, for deep nesting and for a record that holds line breaks.
package codec
