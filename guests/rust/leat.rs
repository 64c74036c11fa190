//! Write a transform in Rust. This is the guest's side of ABI leat/1
//! (flavors/wasm/README.md) and owns everything about it.
//!
//! ```ignore
//! leat::transform!(upper);
//!
//! fn upper(payload: &[u8]) -> Result<Vec<leat::Message>, String> {
//!     Ok(vec![leat::Message::new(payload.to_ascii_uppercase())])
//! }
//! ```

mod host {
    #[link(wasm_import_module = "leat")]
    extern "C" {
        pub fn emit(at: *const u8, length: usize);
        pub fn fail(at: *const u8, length: usize);
        pub fn meta_get(key: *const u8, key_length: usize, buffer: *mut u8, capacity: usize) -> i32;
        pub fn meta_set(key: *const u8, key_length: usize, value: *const u8, length: usize);
        pub fn log(level: i32, at: *const u8, length: usize);
        pub fn now() -> i64;
        pub fn config(buffer: *mut u8, capacity: usize) -> i32;
    }
}

/// One output.
pub struct Message {
    pub payload: Vec<u8>,
    /// Annotations besides those that the input has.
    pub meta: Vec<(String, String)>,
}

impl Message {
    pub fn new(payload: Vec<u8>) -> Self {
        Message { payload, meta: Vec::new() }
    }
}

/// An annotation of the message at hand; also leat.id, leat.key and leat.source.
pub fn meta(name: &str) -> Option<Vec<u8>> {
    filled(|buffer, capacity| unsafe { host::meta_get(name.as_ptr(), name.len(), buffer, capacity) })
}

/// The JSON object {"constants": {...}, "parameters": {...}} of the document.
pub fn config() -> Vec<u8> {
    filled(|buffer, capacity| unsafe { host::config(buffer, capacity) }).unwrap_or_default()
}

/// The time at which the message was admitted, in milliseconds since 1970.
pub fn now() -> i64 {
    unsafe { host::now() }
}

/// A line for the node's log; level 0 is debug, 1 info, 2 warn, 3 error.
pub fn log(level: i32, text: &str) {
    unsafe { host::log(level, text.as_ptr(), text.len()) }
}

fn filled(ask: impl Fn(*mut u8, usize) -> i32) -> Option<Vec<u8>> {
    let mut buffer = vec![0; 256];
    let mut length = ask(buffer.as_mut_ptr(), buffer.len());
    if length > buffer.len() as i32 {
        buffer.resize(length as usize, 0);
        length = ask(buffer.as_mut_ptr(), buffer.len());
    }
    if length < 0 {
        return None;
    }
    buffer.truncate(length as usize);
    Some(buffer)
}

#[doc(hidden)]
pub fn answer(result: Result<Vec<Message>, String>) -> i32 {
    match result {
        Ok(outputs) => {
            outputs.iter().for_each(emit);
            0
        }
        Err(why) => {
            unsafe { host::fail(why.as_ptr(), why.len()) };
            1
        }
    }
}

fn emit(m: &Message) {
    for (key, value) in &m.meta {
        unsafe { host::meta_set(key.as_ptr(), key.len(), value.as_ptr(), value.len()) }
    }
    unsafe { host::emit(m.payload.as_ptr(), m.payload.len()) }
}

/// The room that the host writes messages into, until it asks for more. A module runs on
/// one thread.
static mut INPUT: Vec<u8> = Vec::new();

#[doc(hidden)]
pub fn room(length: usize) -> *mut u8 {
    unsafe {
        INPUT = vec![0; length];
        INPUT.as_mut_ptr()
    }
}

/// Makes a function the module's transform. Its payload is valid until it returns; Err makes the
/// message a dead letter of kind guest, a panic one of kind runtime.
#[macro_export]
macro_rules! transform {
    ($function:path) => {
        #[no_mangle]
        pub extern "C" fn leat_room(length: usize) -> *mut u8 {
            leat::room(length)
        }

        #[no_mangle]
        pub extern "C" fn transform(at: *const u8, length: usize) -> i32 {
            leat::answer($function(unsafe { core::slice::from_raw_parts(at, length) }))
        }
    };
}
