//! Notes where every record with a value came from, and passes its headers on. It means the same
//! as guests/c/audit.

leat::handle!(audit);

fn audit(call: leat::Call) -> Result<String, String> {
    if call.value == b"null" {
        return Ok("[]".to_string()); // a deletion: nothing to note
    }
    if !call.value.starts_with(b"{") {
        return Err("the value is no object".to_string());
    }
    let of = |name| String::from_utf8_lossy(leat::member(call.msg, name).unwrap_or(b"null"));
    let (topic, value) = (String::from_utf8_lossy(call.topic), String::from_utf8_lossy(call.value));
    let (offset, headers) = (of("offset"), of("headers"));
    Ok(format!("[{{\"to\":\"audit\",\"value\":{{\"topic\":{topic},\"offset\":{offset},\"value\":{value}}},\"headers\":{headers}}}]"))
}
