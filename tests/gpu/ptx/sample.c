/* sample.c -- arithmetic of every sort, compiled for NVIDIA and for the host: compute() has to give the same bits. And
   kernels whose threads work together, with results that are known. */
typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

enum { N_RESULTS = 112 };

#ifdef __NVPTX__
#define FUNCTION static __attribute__((noinline))
#else
#define FUNCTION static
#endif

typedef union {
    u64 u;
    double d;
    struct {
        float f, g;
    };
} Bits;

static u64 of_double(double d) { return d != d ? 1 : (Bits){.d = d}.u; }
static u64 of_float(float f) {
    Bits b = {.u = 0};
    b.f = f;
    return f != f ? 1 : b.u;
}

#define INTEGERS(T, UT, bits)                                                                                          \
    FUNCTION int integers_##T(T a, T b, u64 *out) {                                                                    \
        int k = 0, n = (int)((u64)b & (bits - 1));                                                                     \
        T d = b ? b : 3;                                                                                               \
        if ((UT)d == (UT)-1) d = 5;                                                                                    \
        out[k++] = (u64)(T)((UT)a + (UT)b), out[k++] = (u64)(T)((UT)a - (UT)b);                                        \
        out[k++] = (u64)(T)((u64)a * (u64)b), out[k++] = (u64)(T)(a / d), out[k++] = (u64)(T)(a % d);                  \
        out[k++] = (u64)(T)(a & b), out[k++] = (u64)(T)(a | b), out[k++] = (u64)(T)(a ^ ~b);                           \
        out[k++] = (u64)(T)((UT)a << n), out[k++] = (u64)(T)(a >> n), out[k++] = (u64)(a < b ? a : b);                 \
        out[k++] = (u64)(a > b) + 2 * (a == b) + 4 * (a <= b), out[k++] = (u64)(T)((UT)a >> n);                        \
        return k;                                                                                                      \
    }
INTEGERS(u8, u8, 8)
INTEGERS(s8, u8, 8)
INTEGERS(s16, u16, 16)
INTEGERS(u32, u32, 32)
INTEGERS(s32, u32, 32)
INTEGERS(u64, u64, 64)
INTEGERS(s64, u64, 64)

FUNCTION int floats(float a, float b, double c, double d, u64 *out) {
    int k = 0;
    out[k++] = of_float(a + b), out[k++] = of_float(a * b - a), out[k++] = of_float(a / b);
    out[k++] = of_float(__builtin_fmaf(a, b, 1)), out[k++] = of_float(__builtin_sqrtf(a * a));
    out[k++] = of_float(__builtin_floorf(b)), out[k++] = of_float(__builtin_truncf(a));
    out[k++] = (u64)(a < b) | (u64)(a >= b) << 1 | (u64)(a != b) << 2 | (u64)(c > d) << 3;
    out[k++] = of_double(c - d), out[k++] = of_double(c / d), out[k++] = of_double(__builtin_fma(c, d, c));
    out[k++] = of_float((float)c), out[k++] = of_double((double)a), out[k++] = of_double(__builtin_fabs(d));
    out[k++] = of_float(__builtin_copysignf(a, b)), out[k++] = of_float((float)(_Float16)a);
    return k;
}

static double bounded(double x) { return x > 1e6 ? 1e6 : x < -1e6 ? -1e6 : x == x ? x : 0; }

FUNCTION int conversions(u64 a, float f, double d, u64 *out) {
    int k = 0;
    out[k++] = of_float((float)a), out[k++] = of_float((float)(s64)a), out[k++] = of_double((double)a);
    out[k++] = of_double((double)(s32)a), out[k++] = of_float((float)(s8)a);
    out[k++] = (u64)(s64)bounded(d), out[k++] = (u64)(s32)bounded(f), out[k++] = (u64)(u32)(s64)bounded(d);
    return k;
}

typedef _Float16 Halves __attribute__((vector_size(4)));
typedef short Answers __attribute__((vector_size(4)));

/* Comparisons of two halves in a word. */
FUNCTION u64 halves(u32 a, u32 b) {
    union {
        u32 u;
        Halves h;
        Answers s;
    } x = {.u = a}, y = {.u = b}, less = {.s = x.h < y.h}, same = {.s = x.h == y.h}, unordered = {.s = x.h != x.h};
    return (less.u & 0x10002) | (same.u & 0x40008) | (unordered.u & 0x100020);
}

/* A loop with several ways out, a table on the stack, a switch. */
FUNCTION u64 control(u64 a, u64 b) {
    u32 table[16];
    u64 sum = 0;
    for (int i = 0; i < 16; i++) table[i] = (u32)(a >> (i * 3)) ^ (u32)b;
    for (u32 i = 0; i < 40; i++) {
        switch (table[(i + b) & 15] & 7) {
        case 0: sum += i; break;
        case 1: sum ^= a; continue;
        case 2: sum = sum * 3 + 1; break;
        case 3: sum -= table[i & 15]; break;
        case 5: sum += sum >> 5; break;
        case 6:
            if (i > 30) return sum;
            break;
        default: sum += 7;
        }
        table[i & 15] += (u32)sum;
    }
    return sum;
}

static void compute(u64 a, u64 b, u64 *out) {
    Bits x = {.u = a}, y = {.u = b};
    int k = 0;
    k += integers_u8((u8)a, (u8)b, out + k), k += integers_s8((s8)a, (s8)b, out + k);
    k += integers_s16((s16)a, (s16)b, out + k), k += integers_u32((u32)a, (u32)b, out + k);
    k += integers_s32((s32)a, (s32)b, out + k), k += integers_u64(a, b, out + k),
        k += integers_s64((s64)a, (s64)b, out + k);
    out[k++] = control(a, b);
    while (k < 95) out[k++] = 0;
    k = 91 + 1;
    out[k++] = (u64)__builtin_popcountll(a), out[k++] = (u64)__builtin_clz((u32)a | 1),
    out[k++] = __builtin_bswap32((u32)b);
    u64 more[40] = {0};
    int n = floats(x.f, y.g, x.d, y.d, more);
    n += conversions(a, y.f, x.d, more + n);
    for (int i = 0; i < n; i++) out[k + i % 16] = out[k + i % 16] * 31 + more[i];
    out[k + 16] = halves((u32)a, (u32)b);
}

/* Ways that part and meet again: loops of different lengths in each other, calls from branches, and recursion. */
FUNCTION u32 steps(u32 n) {
    u32 k = 0;
    for (; n > 1; k++) n = n & 1 ? 3 * n + 1 : n / 2;
    return k;
}

FUNCTION u32 ways(u32 n) {
    if (n < 2) return n + 1;
    if (n % 3 == 0) return ways(n - 1);
    return ways(n - 2) + (n & 1 ? steps(n) : ways(n / 2));
}

static u32 apart(u32 i) {
    u32 sum = 0;
    for (u32 k = 0; k < i % 7; k++) {
        if ((i ^ k) & 1) continue;
        for (u32 n = k; n < i % 11; n++) sum += n & 2 ? steps(i + n) : ways(n + i % 5) * 31;
        if (sum > 5000) break;
    }
    return i % 13 == 5 ? sum : sum + 1;
}

#ifdef __NVPTX__
#define KERNEL __attribute__((device_kernel))
#define SHARED static __attribute__((address_space(3)))

static u32 thread(void) {
    return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}

KERNEL void sample(const u64 *in, u64 *out, u32 n) {
    u32 i = thread();
    if (i >= n * n) return;
    u64 results[N_RESULTS] = {0};
    compute(in[i / n], in[i % n], results);
    for (int k = 0; k < N_RESULTS; k++) out[(u64)i * N_RESULTS + k] = results[k];
}

SHARED u32 part[256];

/* Of each block: a sum by a tree, one by shuffles, the odd ones by votes; of all, by atomics. */
KERNEL void together(const u32 *in, u32 *out, u32 *all) {
    u32 t = __nvvm_read_ptx_sreg_tid_x(), b = __nvvm_read_ptx_sreg_ctaid_x(), x = in[thread()], sum = x;
    part[t] = x;
    __nvvm_bar_sync(0);
    for (u32 half = 128; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __nvvm_bar_sync(0);
    }
    for (int half = 16; half > 0; half /= 2) sum += (u32)__nvvm_shfl_sync_down_i32(-1, (int)sum, half, 31);
    u32 odd = (u32)__nvvm_vote_ballot_sync(-1u, x & 1);
    if (t == 0) out[4 * b] = part[0];
    if (t % 32 == 0) __atomic_fetch_add(&out[4 * b + 1], sum, __ATOMIC_RELAXED);
    if (t % 32 == 0) __atomic_fetch_add(&out[4 * b + 2], (u32)__builtin_popcount(odd), __ATOMIC_RELAXED);
    __atomic_fetch_add(&all[0], x, __ATOMIC_RELAXED);
    u32 seen = all[1];
    while (seen < x && !__atomic_compare_exchange_n(&all[1], &seen, x, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

/* Some leave, the rest meet: each warp's lanes that stayed, and who has come before in a race that all of them win. */
KERNEL void parted(u32 *out, u32 *turn, u32 n) {
    u32 i = thread(), mine = apart(i);
    out[i] = mine;
    if (i % 5 == 0) return;
    u32 seen = *turn;
    while (!__atomic_compare_exchange_n(turn, &seen, seen + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    __nvvm_bar_sync(0);
    if (i % n == 1) out[i] += *turn;
}

/* Right only in one order: lanes in lock step, blocks one after the other, memory as it happens to be. */
KERNEL void lock_step(u32 *out) {
    volatile SHARED u32 word[64];
    u32 t = __nvvm_read_ptx_sreg_tid_x();
    word[t] = t;
    out[t] = word[t ^ 1];
}

KERNEL void block_order(u32 *out) {
    u32 b = __nvvm_read_ptx_sreg_ctaid_x(), n = __nvvm_read_ptx_sreg_nctaid_x();
    if (__nvvm_read_ptx_sreg_tid_x() == 0) out[b] = __atomic_fetch_add(&out[n], 1, __ATOMIC_RELAXED);
}

KERNEL void unwritten(u32 *out) {
    volatile SHARED u32 word[64];
    u32 t = __nvvm_read_ptx_sreg_tid_x();
    if (t == 64) word[0] = 1;
    out[t] = word[t];
}

/* Barriers that lanes of a warp reach apart: in loops of different lengths; each lane once, in different iterations. */
KERNEL void lengths(u32 *out) {
    u32 t = __nvvm_read_ptx_sreg_tid_x();
    for (u32 k = 0; k < t % 3; k++) __nvvm_bar_sync(0);
    out[t] = t;
    __nvvm_bar_sync(0);
}

KERNEL void times(u32 *out) {
    u32 t = __nvvm_read_ptx_sreg_tid_x();
    for (u32 k = 0; k < out[64]; k++)
        if (k == (t & 1)) __nvvm_bar_sync(0);
    out[t] = t;
}

/* As often as the others, but some in another iteration of the outer loop. */
KERNEL void nested(u32 *out) {
    u32 t = __nvvm_read_ptx_sreg_tid_x(), h = 64;
    for (;;) {
        out[t] = h;
        do {
            __nvvm_bar_sync(0);
            if (h < 2) return;
            h /= 2;
        } while (t >= h);
    }
}

/* An inner loop, as often as each lane needs, that begins where the outer one does. */
KERNEL void inner(u32 *out) {
    u32 t = __nvvm_read_ptx_sreg_tid_x(), v = t;
    for (u32 k = 0; k < out[64]; k++) {
        while (v % 7 != 0) v += 3;
        __nvvm_bar_sync(0);
        out[t] = v++;
    }
}

KERNEL void beyond(u32 *out, u64 at) { out[at] = 1; }
KERNEL void stops(u32 *out) {
    if (*out) __builtin_trap();
}
#endif
