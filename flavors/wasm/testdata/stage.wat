;; A guest of a causal stage: handle emits one record, fold counts in vain: it always answers with state 2.
(module
  (import "leat" "emit" (func $emit (param i32 i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "[{\22to\22:\22out\22,\22value\22:9007199254740993}]")
  (data (i32.const 64) "{\22state\22:2,\22emit\22:[]}")
  (func (export "leat_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "handle") (param i32 i32) (result i32)
    (call $emit (i32.const 0) (i32.const 39)) (i32.const 0))
  (func (export "fold") (param $ptr i32) (param $len i32) (result i32)
    ;; the call begins with {"state"
    (if (i32.ne (i32.load8_u (i32.add (local.get $ptr) (i32.const 2))) (i32.const 115)) (then unreachable))
    (call $emit (i32.const 64) (i32.const 21)) (i32.const 0)))
