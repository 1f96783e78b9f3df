/* The module `random` in C: number `i` of a seed (Philox4x32-10). */
typedef unsigned long u64;

static u64 philox(u64 seed, u64 hi, u64 lo) {
    unsigned c0 = lo, c1 = lo >> 32, c2 = hi, c3 = hi >> 32, k0 = seed, k1 = seed >> 32;
    for (int round = 0; round < 10; round++) {
        u64 p = 0xD2511F53ul * c0, q = 0xCD9E8D57ul * c2;
        c0 = (unsigned)(q >> 32) ^ c1 ^ k0;
        c2 = (unsigned)(p >> 32) ^ c3 ^ k1;
        c1 = q;
        c3 = p;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    return c0 | (u64)c1 << 32;
}
