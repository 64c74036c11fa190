;; Takes 4096 bytes for each message, never frees, and traps when the memory does not grow.
(module
  (import "leat" "emit" (func $emit (param i32 i32)))
  (memory (export "memory") 1)
  (global $top (mut i32) (i32.const 1024))
  (func (export "leat_alloc") (param $n i32) (result i32)
    (local $at i32)
    (local.set $at (global.get $top))
    (global.set $top (i32.add (global.get $top) (i32.const 4096)))
    (if (i32.gt_u (global.get $top) (i32.mul (memory.size) (i32.const 65536)))
      (then (if (i32.eq (memory.grow (i32.const 1)) (i32.const -1)) (then unreachable))))
    (local.get $at))
  (func (export "transform") (param i32 i32) (result i32)
    (call $emit (local.get 0) (local.get 1)) (i32.const 0)))
