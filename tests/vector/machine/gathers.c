/* gathers.c -- gathers and scatters whose indices are in zmm16 to zmm31: Bochs 2.7 takes the bit that says so for a register
 * too many and calls them illegal. Here they are done as Intel's manual says (SDM 2, VGATHER and VSCATTER; the encoding:
 * chapter 2.7, EVEX), element by element, upon the registers that the signal saved (SDM 1, 13.4: the layout of XSAVE). */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { XMM = 160, HEADER = 512, YMM_HIGH = 576, MASKS = 1088, ZMM_HIGH = 1152, ZMM_16 = 1664 };
enum { IN_USE = 0xe6 };

static const int general[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/* The byte of a vector register, in what was saved. */
static unsigned char *byte_of(unsigned char *saved, int reg, int i) {
    if (reg >= 16) return saved + ZMM_16 + 64 * (reg - 16) + i;
    if (i < 16) return saved + XMM + 16 * reg + i;
    return i < 32 ? saved + YMM_HIGH + 16 * reg + i - 16 : saved + ZMM_HIGH + 32 * reg + i - 32;
}

static bool emulate(mcontext_t *at) {
    const unsigned char *p = (const unsigned char *)at->gregs[REG_RIP];
    if (p[0] != 0x62 || (p[1] & 0x0f) != 2 || (p[2] & 0x07) != 5) return false; /* EVEX, 66 0F 38 */
    int opcode = p[4], mod = p[5] >> 6, length = p[3] >> 5 & 3;
    bool scatters = opcode >= 0xa0 && opcode <= 0xa3, gathers = opcode >= 0x90 && opcode <= 0x93;
    if (!(scatters || gathers) || (p[5] & 7) != 4 || mod == 3) return false;
    int reg = (p[5] >> 3 & 7) | (p[1] & 0x80 ? 0 : 8) | (p[1] & 0x10 ? 0 : 16);
    int index = (p[6] >> 3 & 7) | (p[1] & 0x40 ? 0 : 8) | (p[3] & 0x08 ? 0 : 16);
    int base = (p[6] & 7) | (p[1] & 0x20 ? 0 : 8), scale = p[6] >> 6;
    int size = p[2] & 0x80 ? 8 : 4, index_size = opcode & 1 ? 8 : 4;
    int n = (16 << length) / (size > index_size ? size : index_size);
    int64_t address = 0, n_bytes = 7;
    int32_t far;
    memcpy(&far, p + 7, sizeof far);
    if (mod == 1) address = (int64_t)(signed char)p[7] * size, n_bytes += 1;
    if (mod == 2 || (mod == 0 && (p[6] & 7) == 5)) address = far, n_bytes += 4;
    if (mod || (p[6] & 7) != 5) address += at->gregs[general[base]];

    unsigned char *saved = (unsigned char *)at->fpregs;
    uint64_t *mask = (uint64_t *)(saved + MASKS) + (p[3] & 7);
    for (int i = 0; i < n; i++) {
        if (!(*mask >> i & 1)) continue;
        int64_t place = 0;
        for (int k = 0; k < index_size; k++) ((unsigned char *)&place)[k] = *byte_of(saved, index, i * index_size + k);
        if (index_size == 4) place = (int32_t)place;
        unsigned char *element = (unsigned char *)(address + (int64_t)((uint64_t)place << scale));
        for (int k = 0; k < size; k++) {
            unsigned char *in_register = byte_of(saved, reg, i * size + k);
            if (scatters) element[k] = *in_register;
            else *in_register = element[k];
        }
    }
    for (int i = n * size; gathers && i < 64; i++) *byte_of(saved, reg, i) = 0;
    *mask = 0;
    *(uint64_t *)(saved + HEADER) |= IN_USE;
    at->gregs[REG_RIP] += n_bytes;
    return true;
}

static void illegal(int number, siginfo_t *info, void *context) {
    (void)info;
    if (emulate(&((ucontext_t *)context)->uc_mcontext)) return;
    static const char said[] = "an illegal instruction\n";
    write(2, said, sizeof said - 1);
    signal(number, SIG_DFL);
}

__attribute__((constructor)) static void begin(void) {
    struct sigaction action = {.sa_sigaction = illegal, .sa_flags = SA_SIGINFO};
    sigaction(SIGILL, &action, 0);
}
