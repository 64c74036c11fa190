//! Adds its total to every order.

leat::transform!(total);

fn total(payload: &[u8]) -> Result<Vec<leat::Message>, String> {
    let order = std::str::from_utf8(payload).map_err(|e| e.to_string())?;
    let qty = number(order, "qty").ok_or("the order has no qty")?;
    if qty == 0.0 {
        return Ok(vec![]); // nothing was ordered: the message is filtered
    }
    let price = number(order, "price").ok_or("the order has no price")?;
    let end = order.rfind('}').ok_or("not an order")?;
    let out = format!("{},\"total\":{}}}", &order[..end], qty * price);
    Ok(vec![leat::Message::new(out.into_bytes())])
}

/// The number behind a name in a flat object. For more than that, add a JSON crate to Cargo.toml.
fn number(object: &str, name: &str) -> Option<f64> {
    let rest = object.split_once(&format!("\"{}\":", name))?.1.trim_start();
    let end = rest.find(|c| matches!(c, ',' | '}' | ' '))?;
    rest[..end].parse().ok()
}
