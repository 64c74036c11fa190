// The Rust program of package wasm's proofs; it does what words/go does.
use std::collections::BTreeMap;

leat::transform!(words);

fn words(payload: &[u8]) -> Result<Vec<leat::Message>, String> {
    if payload.first() == Some(&b'=') {
        return Ok(vec![leat::Message::new(payload.to_vec())]);
    }
    let text = std::str::from_utf8(payload).map_err(|e| e.to_string())?;
    let mut counts = BTreeMap::new();
    for word in text.split_whitespace() {
        *counts.entry(word).or_insert(0) += 1;
    }
    let mut order: Vec<_> = counts.into_iter().collect();
    order.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let out: String = order.iter().map(|(word, n)| format!("{word} {n}\n")).collect();
    Ok(vec![leat::Message::new(out.into_bytes())])
}
