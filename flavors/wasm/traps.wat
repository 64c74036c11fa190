;; Every way in which the engine ends a guest by itself. probe.go calls each export once
;; and keeps the error: they are the sentinels that failures are told apart by.
(module
  (memory 1)
  (table 2 funcref)
  (elem (i32.const 0) $recurse)
  (func $recurse (export "recursion") (call $recurse))
  (func (export "unreachable") unreachable)
  (func (export "memory") (drop (i32.load (i32.const 65536))))
  (func (export "table") (call_indirect (i32.const 7)))
  (func (export "signature") (drop (call_indirect (result i32) (i32.const 0))))
  (func (export "divide") (drop (i32.div_s (i32.const 1) (i32.const 0))))
  (func (export "overflow") (drop (i32.div_s (i32.const 0x80000000) (i32.const -1))))
  (func (export "conversion") (drop (i32.trunc_f32_s (f32.const nan)))))
