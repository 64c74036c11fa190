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
        let input = &mut *core::ptr::addr_of_mut!(INPUT);
        *input = vec![0; length];
        input.as_mut_ptr()
    }
}

/// What the guest of a stage is given: the members of runtime.Entry's call, each as the JSON that it is.
pub struct Call<'a> {
    /// Of a fold: the state of the record's key, `null` where there is none.
    pub state: &'a [u8],
    /// The topic's name, in quotes.
    pub topic: &'a [u8],
    /// A string, {"base64": "..."} or null.
    pub key: &'a [u8],
    pub value: &'a [u8],
    /// The record: it has partition, offset, timestamp and headers, too.
    pub msg: &'a [u8],
}

#[doc(hidden)]
pub fn call(text: &[u8]) -> Call<'_> {
    let msg = member(text, "msg").unwrap_or(b"null");
    let of = |name| member(msg, name).unwrap_or(b"null");
    Call { state: member(text, "state").unwrap_or(b"null"), topic: of("topic"), key: of("key"), value: of("value"), msg }
}

/// The value of an object's member, as it is written; of two with one name the last, as in the other languages. Names are compared as
/// they are written, escapes and all. None where there is no such member or the text is no object. The text is JSON.
pub fn member<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let open = skip(object, 0, b" \t\r\n");
    if object.get(open) != Some(&b'{') {
        return None;
    }
    let mut last = None;
    let mut at = skip(object, open + 1, b" \t\r\n");
    while object.get(at) == Some(&b'"') {
        let key = at + 1;
        at = value_end(object, at);
        let found = &object[key..at - 1] == name.as_bytes();
        let start = skip(object, at, b" \t\r\n:");
        at = value_end(object, start);
        if found {
            last = Some(&object[start..at]);
        }
        at = skip(object, at, b" \t\r\n,");
    }
    last
}

fn skip(text: &[u8], mut at: usize, any: &[u8]) -> usize {
    while at < text.len() && any.contains(&text[at]) {
        at += 1;
    }
    at
}

/// Where the value that begins at `at` ends.
fn value_end(text: &[u8], mut at: usize) -> usize {
    let (mut depth, mut quoted) = (0, false);
    while at < text.len() {
        let c = text[at];
        match (quoted, c) {
            (true, b'\\') => at += 1,
            (true, b'"') | (false, b'}' | b']') if depth == usize::from(!quoted) => return at + 1,
            (true, b'"') => quoted = false,
            (false, b'"') => quoted = true,
            (false, b'{' | b'[') => depth += 1,
            (false, b'}' | b']') if depth == 0 => return at,
            (false, b'}' | b']') => depth -= 1,
            (false, b',' | b' ' | b'\t' | b'\r' | b'\n') if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

/// Makes a function the fold of a stage: from a Call to the answer as JSON, {"state": ..., "emit": [...]}.
#[macro_export]
macro_rules! fold {
    ($function:path) => {
        leat::entry!(fold, $function);
    };
}

/// Makes a function the handler of a stage: from a Call to the answer as JSON, a list of emissions.
#[macro_export]
macro_rules! handle {
    ($function:path) => {
        leat::entry!(handle, $function);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! entry {
    ($export:ident, $function:path) => {
        #[no_mangle]
        pub extern "C" fn leat_room(length: usize) -> *mut u8 {
            leat::room(length)
        }

        #[no_mangle]
        pub extern "C" fn $export(at: *const u8, length: usize) -> i32 {
            let call = leat::call(unsafe { core::slice::from_raw_parts(at, length) });
            leat::answer($function(call).map(|text: String| vec![leat::Message::new(text.into_bytes())]))
        }
    };
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
