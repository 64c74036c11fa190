;; Small functions whose cost can be counted by hand.
(module
  (memory (export "memory") 1024)
  (func $fib (export "fib") (param i32) (result i32)
    local.get 0 i32.const 2 i32.lt_s
    if (result i32) local.get 0
    else
      local.get 0 i32.const 1 i32.sub call $fib
      local.get 0 i32.const 2 i32.sub call $fib
      i32.add
    end)
  (func (export "sum") (param i32) (result i32) (local i32)
    block
      loop
        local.get 0 i32.eqz br_if 1
        local.get 1 local.get 0 i32.add local.set 1
        local.get 0 i32.const 1 i32.sub local.set 0
        br 0
      end
    end
    local.get 1)
  (func (export "forever") loop br 0 end)
  (func $deep (export "deep") (param i32) (result i32)
    local.get 0 i32.eqz
    if (result i32) i32.const 0
    else local.get 0 i32.const 1 i32.sub call $deep i32.const 1 i32.add end)
  (func (export "trap") (param i32)
    loop
      local.get 0 i32.const 1 i32.sub local.tee 0
      br_if 0
    end
    i32.const 1 call $deep drop
    unreachable)
  (func (export "fill") (param i32 i32 i32) local.get 0 local.get 1 local.get 2 memory.fill)
  (func (export "copy") (param i32 i32 i32) local.get 0 local.get 1 local.get 2 memory.copy)
  (func (export "grow") (param i32) (result i32) local.get 0 memory.grow)
)
