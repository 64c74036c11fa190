// Kernels for the proofs of package meter; build.sh says how they are built.
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
#define EXPORT(name) __attribute__((export_name(#name))) u32 name(u32 n)

static u8 bytes[1 << 20];
static u32 words[1 << 16];
static double a[64 * 64], b[64 * 64], c[64 * 64];
static u32 seed = 12345;

static u32 next(void) { return seed = seed * 1664525u + 1013904223u; }

static u32 rotr(u32 x, u32 n) { return x >> n | x << (32 - n); }

static u32 k[64];

// SHA-256's compression, its constants replaced by made-up ones.
EXPORT(sha) {
  for (int i = 0; i < 64; i++) k[i] = next();
  u32 h[8] = {1, 2, 3, 4, 5, 6, 7, 8}, w[64];
  for (u32 block = 0; block < n; block++) {
    for (int i = 0; i < 16; i++) w[i] = words[(block * 16 + i) & 0xffff] + i;
    for (int i = 16; i < 64; i++) {
      u32 s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
      u32 s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    u32 v[8];
    for (int i = 0; i < 8; i++) v[i] = h[i];
    for (int i = 0; i < 64; i++) {
      u32 s1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25);
      u32 t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
      u32 s0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22);
      u32 t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      for (int j = 7; j > 0; j--) v[j] = v[j - 1];
      v[4] += t1;
      v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) h[i] += v[i];
  }
  return h[0] ^ h[7];
}

EXPORT(matmul) {
  for (int i = 0; i < 64 * 64; i++) a[i] = i * 0.5, b[i] = 64 - i;
  for (u32 round = 0; round < n; round++)
    for (int i = 0; i < 64; i++)
      for (int j = 0; j < 64; j++) {
        double sum = 0;
        for (int l = 0; l < 64; l++) sum += a[i * 64 + l] * b[l * 64 + j];
        c[i * 64 + j] = sum;
      }
  return (u32)(long long)c[100];
}

EXPORT(sieve) {
  u32 found = 0;
  for (u32 i = 0; i < n; i++) bytes[i] = 1;
  for (u32 i = 2; i < n; i++) {
    if (!bytes[i]) continue;
    found++;
    for (u32 j = i * 2; j < n; j += i) bytes[j] = 0;
  }
  return found;
}

EXPORT(fib) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

EXPORT(lcg) {
  u64 x = 1;
  for (u32 i = 0; i < n; i++) x = x * 6364136223846793005ull + 1442695040888963407ull;
  return x >> 32;
}

EXPORT(bytesum) {
  u32 sum = 0;
  for (u32 round = 0; round < n; round++)
    for (u32 i = 0; i < sizeof bytes; i++) sum += bytes[i] ^ round;
  return sum;
}

typedef int (*compare)(u32, u32);
static int up(u32 x, u32 y) { return x < y; }
static int down(u32 x, u32 y) { return x > y; }
static compare volatile order[2] = {up, down};

static void quicksort(int from, int to, compare less) {
  if (from >= to) return;
  u32 pivot = words[(from + to) / 2];
  int i = from, j = to;
  while (i <= j) {
    while (less(words[i], pivot)) i++;
    while (less(pivot, words[j])) j--;
    if (i <= j) {
      u32 t = words[i];
      words[i++] = words[j];
      words[j--] = t;
    }
  }
  quicksort(from, j, less);
  quicksort(i, to, less);
}

EXPORT(sort) {
  if (n > 1 << 16) n = 1 << 16;
  for (u32 i = 0; i < n; i++) words[i] = next();
  quicksort(0, n - 1, order[n & 1]);
  return words[n / 2];
}

// A bytecode interpreter: count down from n, with a little arithmetic.
EXPORT(interp) {
  static const u8 program[] = {0, 1, 2, 3, 1, 4, 5, 2, 6};
  u32 acc = 1, left = n, tmp = 0;
  for (u32 pc = 0;; pc++) {
    switch (program[pc]) {
    case 0: tmp = acc; break;
    case 1: acc += left; break;
    case 2: acc ^= tmp >> 3; break;
    case 3: acc *= 31; break;
    case 4: tmp += acc; break;
    case 5: acc -= 7; break;
    case 6:
      if (!--left) return acc;
      pc = -1;
    }
  }
}

EXPORT(crc) {
  u32 crc = ~0u;
  for (u32 i = 0; i < n; i++) {
    crc ^= bytes[i & 0xfffff];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc;
}

// Field splitting as a log line's parser does it: many short calls to a leaf.
static u32 __attribute__((noinline)) field(u32 at, u32 limit, u8 mark) {
  while (at < limit && bytes[at] != mark) at++;
  return at;
}

EXPORT(fields) {
  u32 limit = 1 << 16, count = 0;
  for (u32 i = 0; i < limit; i++) bytes[i] = (i * 7) % 13 ? 'x' : ',';
  for (u32 round = 0; round < n; round++)
    for (u32 at = 0; at < limit; at = field(at, limit, ',') + 1) count++;
  return count;
}

// A loop-less call tree: 2^n calls, no loop anywhere on the way.
static u32 __attribute__((noinline)) tree(u32 depth, u32 x) {
  if (!depth) return x * 3 + 1;
  return tree(depth - 1, x + 1) ^ tree(depth - 1, x + 2) ^ tree(depth - 1, x + 3) ^ tree(depth - 1, x + 5);
}
EXPORT(calltree) { return tree(n, 1); }

EXPORT(spin) {
  volatile u32 x = n;
  for (;;) x++;
}
