/* mock_cubin.c -- what a cubin says of its kernels. A cubin is an ELF file with a section .text.NAME for each kernel,
   beside it .nv.info.NAME with attributes and .nv.shared.NAME as large as its shared memory. NVIDIA documents none of
   it; the numbers here are what `ptxas` 13.0 writes, as read with llvm-readelf and compared with the PTX. */
#include "tests/gpu/mock.h"
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MACHINE_CUDA = 190,
    ABI_NEW = 8, /* from CUDA 13: the architecture is in bits 8 to 15 of the flags; before, in 0 to 7 */

    /* An attribute: format, number, and two bytes that are a value or (format 4) the size of what follows. */
    FORMAT_BYTES = 4,
    ATTRIBUTE_MAX_THREADS = 0x05, /* three words: x, y, z */
    ATTRIBUTE_PARAM = 0x17,       /* index (4), number (2), offset (2), then the size in the upper 14 bits of a word */
    ATTRIBUTE_REGISTERS = 0x2f,   /* number of a symbol, registers */
};

/* What a driver itself takes of every block's shared memory; ptxas counts it in the section. */
enum { RESERVED_SINCE_SM = 80, RESERVED_BYTES = 1024 };

typedef struct {
    const char *bytes;
    const Elf64_Ehdr *head;
    const Elf64_Shdr *sections;
    const char *names;
} Cubin;

static const Elf64_Shdr *find_section(const Cubin *c, const char *prefix, const char *name) {
    size_t n = strlen(prefix);
    for (int i = 1; i < c->head->e_shnum; i++) {
        const char *section = c->names + c->sections[i].sh_name;
        if (!strncmp(section, prefix, n) && !strcmp(section + n, name)) return &c->sections[i];
    }
    return NULL;
}

static uint32_t word(const char *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint16_t half(const char *at) {
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* The number of an attribute, and where its bytes are; the place after it. */
static const char *attribute(const char *at, int *number, const char **payload) {
    *number = at[0] == FORMAT_BYTES ? (uint8_t)at[1] : -1;
    *payload = at + 4;
    return at + 4 + (at[0] == FORMAT_BYTES ? half(at + 2) : 0);
}

static int by_offset(const void *a, const void *b) {
    const MockParam *p = a, *q = b;
    return (p->offset > q->offset) - (p->offset < q->offset);
}

static void read_info(const Cubin *c, const Elf64_Shdr *info, MockKernel *k) {
    const char *end = c->bytes + info->sh_offset + info->sh_size;
    int number;
    const char *payload;
    for (const char *at = c->bytes + info->sh_offset; at < end;) {
        at = attribute(at, &number, &payload);
        if (number == ATTRIBUTE_MAX_THREADS) k->max_threads = word(payload) * word(payload + 4) * word(payload + 8);
        if (number == ATTRIBUTE_PARAM) {
            uint32_t end_of_all = k->param_bytes;
            MockParam *p = mock_add_param(k, word(payload + 8) >> 18, 0, "");
            p->offset = half(payload + 6);
            k->param_bytes = p->offset + p->n_bytes > end_of_all ? p->offset + p->n_bytes : end_of_all;
        }
    }
    if (k->n_params) qsort(k->params, (size_t)k->n_params, sizeof *k->params, by_offset);
}

static void read_registers(const Cubin *c, MockImage *image, const Elf64_Sym *symbols, const char *names) {
    const Elf64_Shdr *info = find_section(c, ".nv.info", "");
    if (!info) return;
    int number;
    const char *payload;
    for (const char *at = c->bytes + info->sh_offset; at < c->bytes + info->sh_offset + info->sh_size;) {
        at = attribute(at, &number, &payload);
        if (number != ATTRIBUTE_REGISTERS) continue;
        MockKernel *k = mock_find_kernel(image, names + symbols[word(payload)].st_name);
        if (k) k->n_registers = word(payload + 4);
    }
}

static void read_kernels(const Cubin *c, MockImage *image, int sm) {
    static const char PREFIX[] = ".text.";
    for (int i = 1; i < c->head->e_shnum; i++) {
        const char *section = c->names + c->sections[i].sh_name;
        if (strncmp(section, PREFIX, sizeof PREFIX - 1)) continue;
        const char *name = section + sizeof PREFIX - 1;
        const Elf64_Shdr *info = find_section(c, ".nv.info.", name), *shared = find_section(c, ".nv.shared.", name);
        if (!find_section(c, ".nv.constant0.", name)) continue; /* a function that kernels call */
        MockKernel *k = mock_add_kernel(image, name);
        if (info) read_info(c, info, k);
        uint32_t reserved = sm >= RESERVED_SINCE_SM ? RESERVED_BYTES : 0;
        if (shared && shared->sh_size > reserved) k->shared_bytes = (uint32_t)shared->sh_size - reserved;
    }
}

static void read_globals(const Cubin *c, MockImage *image, const Elf64_Shdr *table) {
    const Elf64_Sym *symbols = (const Elf64_Sym *)(c->bytes + table->sh_offset);
    const char *names = c->bytes + c->sections[table->sh_link].sh_offset;
    for (size_t i = 1; i < table->sh_size / sizeof *symbols; i++) {
        const Elf64_Sym *s = &symbols[i];
        if (ELF64_ST_TYPE(s->st_info) != STT_OBJECT || s->st_shndx == SHN_UNDEF || s->st_shndx >= c->head->e_shnum)
            continue;
        const Elf64_Shdr *section = &c->sections[s->st_shndx];
        const char *where = c->names + section->sh_name;
        if (strncmp(where, ".nv.global", 10) && strncmp(where, ".nv.constant", 12)) continue;
        MockGlobal *g = mock_add_global(image, names + s->st_name, s->st_size);
        if (section->sh_type == SHT_NOBITS) continue;
        g->initial = malloc(s->st_size + 1);
        memcpy(g->initial, c->bytes + section->sh_offset + s->st_value, s->st_size);
    }
    read_registers(c, image, symbols, names);
}

/* The driver gets no size either: it takes what the header says. */
MockImage *mock_read_cubin(const void *bytes, const char **why) {
    Cubin c = {.bytes = bytes, .head = bytes};
    *why = "no ELF file for CUDA";
    if (memcmp(c.head->e_ident, ELFMAG, SELFMAG) || c.head->e_machine != MACHINE_CUDA) return NULL;
    *why = "an ELF file without sections";
    if (!c.head->e_shnum) return NULL;
    c.sections = (const Elf64_Shdr *)(c.bytes + c.head->e_shoff);
    c.names = c.bytes + c.sections[c.head->e_shstrndx].sh_offset;
    uint32_t flags = c.head->e_flags;
    int sm = c.head->e_ident[EI_ABIVERSION] >= ABI_NEW ? (int)(flags >> 8 & 0xff) : (int)(flags & 0xff);
    MockImage *image = calloc(1, sizeof *image);
    strcpy(image->kind, "cubin");
    snprintf(image->arch, sizeof image->arch, "sm_%d", sm);
    read_kernels(&c, image, sm);
    for (int i = 1; i < c.head->e_shnum; i++)
        if (c.sections[i].sh_type == SHT_SYMTAB) read_globals(&c, image, &c.sections[i]);
    return image;
}
