//! Ships an order once it is paid. It means the same as guests/go/fulfil.

leat::fold!(fulfil);

fn fulfil(call: leat::Call) -> Result<String, String> {
    let (mut total, mut paid) = (number(call.state, "total")?, number(call.state, "paid")?);
    if call.topic == b"\"orders\"" {
        (total, paid) = (number(call.value, "total")?, 0);
    } else if call.state == b"null" {
        return Err("a payment before its order".to_string());
    } else {
        paid += number(call.value, "amount")?;
    }
    if paid < total {
        return Ok(format!("{{\"state\":{{\"total\":{total},\"paid\":{paid}}}}}"));
    }
    let order = String::from_utf8_lossy(call.key);
    Ok(format!("{{\"state\":null,\"emit\":[{{\"to\":\"shipments\",\"value\":{{\"order\":{order},\"paid\":{paid}}}}}]}}"))
}

/// A member that is a whole number; 0 where there is none.
fn number(object: &[u8], name: &str) -> Result<i64, String> {
    let Some(text) = leat::member(object, name) else { return Ok(0) };
    String::from_utf8_lossy(text).parse().map_err(|_| format!("{name} is no number"))
}
