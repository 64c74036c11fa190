;; Emits its input as often as its first byte says, a digit.
(module
  (import "leat" "emit" (func $emit (param i32 i32)))
  (memory (export "memory") 1)
  (func (export "leat_alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "handle") (export "fold") (param $p i32) (param $n i32) (result i32)
    (local $left i32)
    (local.set $left (i32.sub (i32.load8_u (local.get $p)) (i32.const 48)))
    (block $done
      (loop $again
        (br_if $done (i32.eqz (local.get $left)))
        (call $emit (local.get $p) (local.get $n))
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br $again)))
    (i32.const 0)))
