// Kernels for the proofs of package meter; build.sh says how they are built.
#![no_std]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}

static mut KEYS: [u64; 1 << 14] = [0; 1 << 14];
static mut TABLE: [(u64, u32); 1 << 15] = [(0, 0); 1 << 15];

/// Counts keys in an open-addressing map, then sorts them.
#[no_mangle]
pub extern "C" fn hashsort(n: u32) -> u32 {
    let (keys, table) = unsafe { (&mut KEYS, &mut TABLE) };
    let mut x = 88172645463325252u64;
    let mut distinct = 0;
    for round in 0..n {
        table.iter_mut().for_each(|e| *e = (0, 0));
        for key in keys.iter_mut() {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            *key = x % 5000 + 1 + round as u64;
            let mut at = (*key).wrapping_mul(0x9E3779B97F4A7C15) as usize >> 17 & 0x7fff;
            while table[at].0 != 0 && table[at].0 != *key {
                at = (at + 1) & 0x7fff;
            }
            distinct += (table[at].0 == 0) as u32;
            table[at] = (*key, table[at].1 + 1);
        }
        keys.sort_unstable();
    }
    distinct ^ keys[77] as u32
}

static TEXT: &[u8] = br#"{"id":4711,"items":[{"sku":"a-1","price":12.5,"n":3},{"sku":"b-22","price":0.75,"n":40}],"note":"left at \"door\"","ok":true}"#;

/// Walks a JSON text: depth, strings, numbers.
#[no_mangle]
pub extern "C" fn jsonstats(n: u32) -> u32 {
    let mut total = 0u32;
    for _ in 0..n {
        let (mut depth, mut strings, mut sum) = (0u32, 0u32, 0f64);
        let mut rest = TEXT.iter();
        let mut number = 0f64;
        while let Some(&b) = rest.next() {
            match b {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                b'"' => {
                    strings += 1;
                    while let Some(&b) = rest.next() {
                        if b == b'\\' {
                            rest.next();
                        } else if b == b'"' {
                            break;
                        }
                    }
                }
                b'0'..=b'9' => number = number * 10.0 + (b - b'0') as f64,
                _ => {
                    sum += number;
                    number = 0.0;
                }
            }
        }
        total = total.wrapping_add(depth + strings * 31 + sum as u32);
    }
    total
}
