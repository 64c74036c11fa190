;; Does what the first byte of its input says, so that every fault of a guest has a message.
(module
  (import "leat" "emit" (func $emit (param i32 i32)))
  (import "leat" "fail" (func $fail (param i32 i32)))
  (import "leat" "log" (func $log (param i32 i32 i32)))
  (import "leat" "now" (func $now (result i64)))
  (import "leat" "meta_get" (func $meta_get (param i32 i32 i32 i32) (result i32)))
  (import "leat" "meta_set" (func $meta_set (param i32 i32 i32 i32)))
  (import "leat" "config" (func $config (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
  (import "env" "abort" (func $abort (param i32 i32 i32 i32)))
  (memory (export "memory") 1)
  (global $count (mut i32) (i32.const 0))
  (data (i32.const 16) "kvleat.idleat.sourceout of luck\n")
  (data (i32.const 64) "\10\00\00\00\0c\00\00\00")            ;; an iovec: 12 bytes at 16
  (data (i32.const 80) "\04\00\00\00n\00o\00")                 ;; "no" in UTF-16, size first
  (data (i32.const 96) "\08\00\00\00a\00.\00t\00s\00")         ;; "a.ts"
  (func (export "leat_alloc") (param i32) (result i32) (i32.const 1024))
  (func $spin (loop $again (br $again)))
  ;; Follows addresses that depend on what stands at the one before, all over 32 MiB: the
  ;; slowest that a unit of fuel gets.
  (func $chase (local $x i32)
    (drop (memory.grow (i32.const 512)))
    (loop $again
      (local.set $x (i32.add (i32.const 1013904223) (i32.mul (i32.const 1664525)
        (i32.add (local.get $x) (i32.load (i32.and (local.get $x) (i32.const 0x1fffffc)))))))
      (br $again)))
  (func $tree (param i32) (result i32)
    (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 1))
      (else (i32.add (call $tree (i32.sub (local.get 0) (i32.const 1))) (call $tree (i32.sub (local.get 0) (i32.const 1)))))))
  (func $dive (param i32) (result i32) (i32.add (i32.const 1) (call $dive (i32.add (local.get 0) (i32.const 1)))))
  (func $transform (export "transform") (param $p i32) (param $n i32) (result i32)
    (local $c i32)
    (local.set $c (i32.load8_u (local.get $p)))
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (if (i32.eq (local.get $c) (i32.const 76)) (then (call $spin)))                                         ;; L oop
    (if (i32.eq (local.get $c) (i32.const 80)) (then (call $chase)))                                        ;; P ointer chase
    (if (i32.eq (local.get $c) (i32.const 84)) (then (if (i32.gt_u (local.get $n) (i32.const 1)) (then (drop (call $tree (i32.const 60))))))) ;; Tree
    (if (i32.eq (local.get $c) (i32.const 68)) (then (drop (call $dive (i32.const 0)))))                    ;; D ive
    (if (i32.eq (local.get $c) (i32.const 85)) (then unreachable))                                          ;; U nreachable
    (if (i32.eq (local.get $c) (i32.const 79)) (then (drop (i32.load (i32.const 65536)))))                  ;; O ut of bounds
    (if (i32.eq (local.get $c) (i32.const 90)) (then (drop (i32.div_u (i32.const 1) (i32.const 0)))))       ;; Z ero
    (if (i32.eq (local.get $c) (i32.const 88)) (then (call $exit (i32.const 0))))                           ;; X exit
    (if (i32.eq (local.get $c) (i32.const 65)) (then (call $abort (i32.const 84) (i32.const 100) (i32.const 7) (i32.const 3)))) ;; A bort
    (if (i32.eq (local.get $c) (i32.const 70)) (then (call $fail (i32.const 36) (i32.const 11)) (return (i32.const 1)))) ;; F ail
    (if (i32.eq (local.get $c) (i32.const 82)) (then (return (i32.const 7))))                               ;; R eturn
    (if (i32.eq (local.get $c) (i32.const 49)) (then (call $emit (i32.const 0xfffffff0) (i32.const 32))))   ;; 1 bad pointer
    (if (i32.eq (local.get $c) (i32.const 50)) (then (call $emit (i32.const 0x10) (i32.const 0xffffffff)))) ;; 2 bad length
    (if (i32.eq (local.get $c) (i32.const 51)) (then (call $emit (i32.const 65536) (i32.const 0))))         ;; 3 legal
    (if (i32.eq (local.get $c) (i32.const 77)) (then                                                       ;; M emory
      (if (i32.eq (memory.grow (i32.const 60000)) (i32.const -1)) (then unreachable))))
    (if (i32.eq (local.get $c) (i32.const 71)) (then                                                       ;; G ive up politely
      (drop (memory.grow (i32.const 60000))) (call $emit (local.get $p) (local.get $n))))
    (if (i32.eq (local.get $c) (i32.const 87)) (then                                                       ;; W rite to stderr, then trap
      (i32.store (i32.const 64) (i32.const 36))
      (drop (call $write (i32.const 2) (i32.const 64) (i32.const 1) (i32.const 120))) unreachable))
    (if (i32.eq (local.get $c) (i32.const 84)) (then                                                       ;; T ime and randomness
      (i64.store (i32.const 256) (call $now))
      (drop (call $random (i32.const 264) (i32.const 8)))
      (drop (call $clock (i32.const 0) (i64.const 1) (i32.const 272)))
      (call $emit (i32.const 256) (i32.const 24))))
    (if (i32.eq (local.get $c) (i32.const 83)) (then                                                       ;; S et meta k=v, emit twice
      (call $meta_set (i32.const 16) (i32.const 1) (i32.const 17) (i32.const 1))
      (call $meta_set (i32.const 18) (i32.const 7) (i32.const 17) (i32.const 1))
      (call $emit (local.get $p) (local.get $n)) (call $emit (local.get $p) (local.get $n))))
    (if (i32.eq (local.get $c) (i32.const 73)) (then                                                       ;; I d and source
      (call $emit (i32.const 512) (call $meta_get (i32.const 18) (i32.const 7) (i32.const 512) (i32.const 64)))
      (call $emit (i32.const 512) (call $meta_get (i32.const 25) (i32.const 11) (i32.const 512) (i32.const 64)))
      (if (i32.ne (call $meta_get (i32.const 17) (i32.const 1) (i32.const 512) (i32.const 64)) (i32.const -1)) (then unreachable))))
    (if (i32.eq (local.get $c) (i32.const 67)) (then                                                       ;; C onfig
      (call $emit (i32.const 512) (call $config (i32.const 512) (i32.const 512)))))
    (if (i32.eq (local.get $c) (i32.const 78)) (then                                                       ;; N umber of calls so far
      (i32.store8 (i32.const 512) (i32.add (i32.const 48) (global.get $count)))
      (call $emit (i32.const 512) (i32.const 1))))
    (if (i32.eq (local.get $c) (i32.const 75)) (then                                                       ;; K eep logging
      (loop $more
        (call $log (i32.const 2) (i32.const 36) (i32.const 11))
        (br_if $more (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 5000))))))
    (if (i32.eq (local.get $c) (i32.const 69)) (then                                                       ;; E mit for ever
      (loop $more (call $emit (i32.const 16) (i32.const 1)) (br $more))))
    (if (i32.eq (local.get $c) (i32.const 86)) (then                                                       ;; V ectors: all of memory, 1000 times in one call
      (local.set $n (i32.const 8192))
      (loop $more
        (i32.store (local.get $n) (i32.const 0)) (i32.store offset=4 (local.get $n) (i32.const 65536))
        (br_if $more (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 8))) (i32.const 16192))))
      (drop (call $write (i32.const 2) (i32.const 8192) (i32.const 1000) (i32.const 120)))))
    (i32.const 0)))
