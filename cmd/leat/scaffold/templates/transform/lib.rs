//! {{.Node}} passes every message on and marks it.

leat::transform!(mark);

/// Return no message to filter it, several, or Err to dead-letter it.
fn mark(payload: &[u8]) -> Result<Vec<leat::Message>, String> {
    let mut out = leat::Message::new(payload.to_vec());
    out.meta.push(("{{.Node}}".to_string(), "done".to_string()));
    Ok(vec![out])
}
