/* instructions.c -- instructions that Bochs 2.7 does wrong, done as Intel's manual says (SDM 2; the encoding: chapter
 * 2.7, EVEX) upon the registers that a signal saved (SDM 1, 13.4: the layout of XSAVE).
 *
 *   gathers, scatters        whose indices are in zmm16 to zmm31: it takes the bit that says so for a register too many
 *   kshiftlw, kshiftrw       by 15: it leaves 0
 *   vcvttsd2usi, vcvttpd2uqq to 64 bits: it leaves all ones from 2^63 on and for what lies between -1 and 0
 *   vcvtusi2sd, vcvtuqq2pd   from 64 bits: from 2^63 on it rounds without the last bit
 *
 * The first it calls illegal itself; of the others machine.py writes MARK over the first byte, which is illegal. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { EVEX = 0x62, MARK = 0x06 };
enum { XMM = 160, HEADER = 512, YMM_HIGH = 576, MASKS = 1088, ZMM_HIGH = 1152, ZMM_16 = 1664 };
enum { IN_USE = 0xe6 };

static const int general[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/* The registers, as they were saved -------------------------------------------------------------------------------- */

static unsigned char *saved_of(mcontext_t *at) {
    return (unsigned char *)at->fpregs;
}

/* The byte of a vector register. */
static unsigned char *byte_of(unsigned char *saved, int reg, int i) {
    if (reg >= 16) return saved + ZMM_16 + 64 * (reg - 16) + i;
    if (i < 16) return saved + XMM + 16 * reg + i;
    return i < 32 ? saved + YMM_HIGH + 16 * reg + i - 16 : saved + ZMM_HIGH + 32 * reg + i - 32;
}

static void zero_from(unsigned char *saved, int reg, int i) {
    for (; i < 64; i++) *byte_of(saved, reg, i) = 0;
}

static uint64_t *mask_of(unsigned char *saved, int reg) {
    return (uint64_t *)(saved + MASKS) + reg;
}

/* An instruction with EVEX ----------------------------------------------------------------------------------------- */

/* Its operand that may be in memory; n_bytes are those of the instruction without what may be immediate. */
typedef struct {
    bool in_memory;
    int reg;
    unsigned char *address;
    int n_bytes;
} Operand;

/* A displacement of one byte counts units. An index that is a vector is left out. */
static Operand operand_of(const mcontext_t *at, const unsigned char *p, int unit, bool of_vectors) {
    int mod = p[5] >> 6, rm = p[5] & 7, above = p[1] & 0x20 ? 0 : 8, base = rm, n_bytes = 6;
    if (mod == 3) return (Operand){.reg = rm | above | (p[1] & 0x40 ? 0 : 16), .n_bytes = n_bytes};
    int64_t address = 0;
    if (rm == 4) {
        int index = (p[6] >> 3 & 7) | (p[1] & 0x40 ? 0 : 8);
        if (!of_vectors && index != 4) address = at->gregs[general[index]] << (p[6] >> 6);
        base = p[6] & 7, n_bytes += 1;
    }
    bool no_base = mod == 0 && base == 5;
    if (mod == 1) address += (int64_t)(signed char)p[n_bytes] * unit, n_bytes += 1;
    if (mod == 2 || no_base) {
        int32_t far;
        memcpy(&far, p + n_bytes, sizeof far);
        address += far, n_bytes += 4;
    }
    if (!no_base) address += at->gregs[general[base | above]];
    else if (rm == 5) address += at->gregs[REG_RIP] + n_bytes;
    return (Operand){.in_memory = true, .address = (unsigned char *)address, .n_bytes = n_bytes};
}

static int register_of(const unsigned char *p) {
    return (p[5] >> 3 & 7) | (p[1] & 0x80 ? 0 : 8) | (p[1] & 0x10 ? 0 : 16);
}

/* The instructions: each gives its number of bytes, or 0 if it is another ------------------------------------------ */

static int gather_or_scatter(mcontext_t *at, const unsigned char *p) {
    if (p[0] != EVEX || (p[1] & 0x0f) != 2 || (p[2] & 0x07) != 5) return 0; /* 66 0F 38 */
    int opcode = p[4], length = p[3] >> 5 & 3;
    bool scatters = opcode >= 0xa0 && opcode <= 0xa3, gathers = opcode >= 0x90 && opcode <= 0x93;
    if (!(scatters || gathers) || (p[5] & 7) != 4 || p[5] >> 6 == 3) return 0;
    int reg = register_of(p), scale = p[6] >> 6;
    int index = (p[6] >> 3 & 7) | (p[1] & 0x40 ? 0 : 8) | (p[3] & 0x08 ? 0 : 16);
    int size = p[2] & 0x80 ? 8 : 4, index_size = opcode & 1 ? 8 : 4;
    int n = (16 << length) / (size > index_size ? size : index_size);
    Operand memory = operand_of(at, p, size, true);

    unsigned char *saved = saved_of(at);
    uint64_t *mask = mask_of(saved, p[3] & 7);
    for (int i = 0; i < n; i++) {
        if (!(*mask >> i & 1)) continue;
        int64_t place = 0;
        memcpy(&place, byte_of(saved, index, i * index_size), (size_t)index_size);
        if (index_size == 4) place = (int32_t)place;
        unsigned char *element = memory.address + (int64_t)((uint64_t)place << scale);
        unsigned char *in_register = byte_of(saved, reg, i * size);
        memcpy(scatters ? element : in_register, scatters ? in_register : element, (size_t)size);
    }
    if (gathers) zero_from(saved, reg, n * size);
    *mask = 0;
    return memory.n_bytes;
}

static int shift_of_mask(mcontext_t *at, const unsigned char *p) {
    enum { LEFT = 0x32, RIGHT = 0x30 };
    if (p[0] != MARK || p[1] != 0xe3 || p[2] != 0xf9 || (p[3] != LEFT && p[3] != RIGHT)) return 0; /* VEX 66 0F 3A W1 */
    unsigned char *saved = saved_of(at);
    uint64_t mask = *mask_of(saved, p[4] & 7) & 0xffff;
    *mask_of(saved, p[4] >> 3 & 7) = p[3] == RIGHT ? mask >> p[5] : mask << p[5] & 0xffff;
    return 6;
}

static uint64_t whole(uint64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof v);
    return v > -1 && v < 0x1p64 ? (uint64_t)v : UINT64_MAX;
}

static uint64_t floating(uint64_t whole) {
    double v = (double)whole;
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static int conversion(mcontext_t *at, const unsigned char *p) {
    enum { PACKED_WHOLE = 0x85, PACKED_FLOATING = 0x86, SCALAR = 0x87 }; /* W1, and of the prefixes 66, F3, F2 which */
    if (p[0] != MARK || (p[1] & 0x0f) != 1) return 0;                    /* 0F */
    int kind = p[2] & 0x87, opcode = p[4];
    bool to_whole = (kind == PACKED_WHOLE || kind == SCALAR) && opcode == 0x78;
    bool to_floating = (kind == PACKED_FLOATING && opcode == 0x7a) || (kind == SCALAR && opcode == 0x7b);
    if (!to_whole && !to_floating) return 0;

    /* With operands in registers the bit that says one element for all says how to round, and a whole register. */
    bool one_for_all = p[3] & 0x10;
    int reg = register_of(p), length = 16 << (one_for_all && p[5] >> 6 == 3 ? 2 : p[3] >> 5 & 3);
    Operand from = operand_of(at, p, kind == SCALAR || one_for_all ? 8 : length, false);
    unsigned char *saved = saved_of(at);
    uint64_t v;
    if (kind == SCALAR) {
        const void *place = from.in_memory ? from.address
                            : to_whole     ? byte_of(saved, from.reg, 0)
                                           : (unsigned char *)&at->gregs[general[from.reg]];
        memcpy(&v, place, sizeof v);
        if (to_whole) {
            at->gregs[general[reg]] = (greg_t)whole(v);
            return from.n_bytes;
        }
        int high = (~p[2] >> 3 & 15) | (p[3] & 0x08 ? 0 : 16);
        memmove(byte_of(saved, reg, 8), byte_of(saved, high, 8), 8);
        v = floating(v);
        memcpy(byte_of(saved, reg, 0), &v, sizeof v);
        zero_from(saved, reg, 16);
        return from.n_bytes;
    }
    uint64_t mask = p[3] & 7 ? *mask_of(saved, p[3] & 7) : UINT64_MAX;
    for (int i = 0; i < length / 8; i++) {
        unsigned char *to = byte_of(saved, reg, 8 * i);
        if (mask >> i & 1) {
            memcpy(&v, from.in_memory ? from.address + (one_for_all ? 0 : 8 * i) : byte_of(saved, from.reg, 8 * i), 8);
            v = to_whole ? whole(v) : floating(v);
            memcpy(to, &v, sizeof v);
        } else if (p[3] & 0x80) {
            memset(to, 0, sizeof v);
        }
    }
    zero_from(saved, reg, length);
    return from.n_bytes;
}

static void illegal(int number, siginfo_t *info, void *context) {
    (void)info;
    mcontext_t *at = &((ucontext_t *)context)->uc_mcontext;
    const unsigned char *p = (const unsigned char *)at->gregs[REG_RIP];
    int n_bytes = gather_or_scatter(at, p);
    if (!n_bytes) n_bytes = shift_of_mask(at, p);
    if (!n_bytes) n_bytes = conversion(at, p);
    if (n_bytes) {
        *(uint64_t *)(saved_of(at) + HEADER) |= IN_USE;
        at->gregs[REG_RIP] += n_bytes;
        return;
    }
    static const char said[] = "an illegal instruction\n";
    write(2, said, sizeof said - 1);
    signal(number, SIG_DFL);
}

__attribute__((constructor)) static void begin(void) {
    struct sigaction action = {.sa_sigaction = illegal, .sa_flags = SA_SIGINFO};
    sigaction(SIGILL, &action, 0);
}
