;; Emits its input, but breaks on what begins with {"n":7: the guest before its fix.
(module
  (import "leat" "emit" (func $emit (param i32 i32)))
  (memory (export "memory") 2)
  (func (export "leat_alloc") (param i32) (result i32) (i32.const 1024))
  (func $check (param i32)
    (if (i32.eq (i32.load8_u (i32.add (local.get 0) (i32.const 5))) (i32.const 55)) (then unreachable)))
  (func (export "transform") (param i32 i32) (result i32)
    (call $check (local.get 0))
    (call $emit (local.get 0) (local.get 1))
    (i32.const 0)))
