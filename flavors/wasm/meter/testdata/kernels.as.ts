// Kernels for the proofs of package meter; build.sh says how they are built.
export function mandel(n: u32): u32 {
  let inside: u32 = 0;
  for (let y: u32 = 0; y < n; y++) {
    for (let x: u32 = 0; x < n; x++) {
      const cr = 3.0 * f64(x) / f64(n) - 2.0;
      const ci = 2.0 * f64(y) / f64(n) - 1.0;
      let zr = 0.0, zi = 0.0;
      let i = 0;
      for (; i < 100 && zr * zr + zi * zi < 4.0; i++) {
        const t = zr * zr - zi * zi + cr;
        zi = 2.0 * zr * zi + ci;
        zr = t;
      }
      if (i == 100) inside++;
    }
  }
  return inside;
}

export function strings(n: u32): u32 {
  const counts = new Map<string, i32>();
  for (let i: u32 = 0; i < n; i++) {
    const key = "k" + (i % 97).toString();
    counts.set(key, counts.has(key) ? counts.get(key) + 1 : 1);
  }
  let sum = 0;
  const keys = counts.keys();
  for (let i = 0; i < keys.length; i++) sum += counts.get(keys[i]) * (i + 1);
  return sum;
}
