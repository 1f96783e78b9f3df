/* mock_amdgpu.c -- what an AMD code object says of its kernels: an ELF file with a descriptor NAME.kd of 64 bytes for
   each kernel, and a note with metadata in MessagePack (llvm.org/docs/AMDGPUUsage.html, code object v5 and v6). */
#include "tests/gpu/mock.h"
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINE_AMDGPU = 224, MACH_BITS = 0xff, NOTE_METADATA = 32 };

/* EF_AMDGPU_MACH of the processors and families that are compiled for. */
static const struct {
    uint8_t mach;
    const char *name;
} PROCESSORS[] = {
    {0x2f, "gfx906"},        {0x30, "gfx908"},         {0x3f, "gfx90a"},          {0x4c, "gfx942"},
    {0x4f, "gfx950"},        {0x33, "gfx1010"},        {0x36, "gfx1030"},         {0x41, "gfx1100"},
    {0x46, "gfx1101"},       {0x47, "gfx1102"},        {0x48, "gfx1200"},         {0x4e, "gfx1201"},
    {0x51, "gfx9-generic"},  {0x5f, "gfx9-4-generic"}, {0x52, "gfx10-1-generic"}, {0x53, "gfx10-3-generic"},
    {0x54, "gfx11-generic"}, {0x59, "gfx12-generic"},
};

/* MessagePack: a cursor, and values as it passes them -------------------------------------------------------------- */

typedef struct {
    const uint8_t *at, *end;
} Pack;

typedef enum { PACK_BAD, PACK_OTHER, PACK_NUMBER, PACK_TEXT, PACK_LIST, PACK_MAP } PackKind;

typedef struct {
    PackKind kind;
    uint64_t number; /* or how many elements, pairs, characters */
    const char *text;
} PackValue;

static uint64_t big_endian(Pack *p, int n_bytes) {
    uint64_t value = 0;
    if (p->end - p->at < n_bytes) {
        p->at = p->end;
        return 0;
    }
    while (n_bytes--) value = value << 8 | *p->at++;
    return value;
}

static PackValue text_of(Pack *p, uint64_t n) {
    if ((uint64_t)(p->end - p->at) < n) return (PackValue){.kind = PACK_BAD};
    PackValue v = {PACK_TEXT, n, (const char *)p->at};
    p->at += n;
    return v;
}

static PackValue pack_next(Pack *p) {
    if (p->at >= p->end) return (PackValue){.kind = PACK_BAD};
    uint8_t tag = *p->at++;
    if (tag < 0x80 || tag >= 0xe0) return (PackValue){PACK_NUMBER, tag, NULL};
    if (tag < 0x90) return (PackValue){PACK_MAP, tag & 15, NULL};
    if (tag < 0xa0) return (PackValue){PACK_LIST, tag & 15, NULL};
    if (tag < 0xc0) return text_of(p, tag & 31);
    switch (tag) {
    case 0xc0:
    case 0xc2:
    case 0xc3: return (PackValue){PACK_OTHER, tag == 0xc3, NULL};
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf: return (PackValue){PACK_NUMBER, big_endian(p, 1 << (tag - 0xcc)), NULL};
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: return (PackValue){PACK_NUMBER, big_endian(p, 1 << (tag - 0xd0)), NULL};
    case 0xd9:
    case 0xda:
    case 0xdb: return text_of(p, big_endian(p, 1 << (tag - 0xd9)));
    case 0xdc:
    case 0xdd: return (PackValue){PACK_LIST, big_endian(p, 2 << (tag - 0xdc)), NULL};
    case 0xde:
    case 0xdf: return (PackValue){PACK_MAP, big_endian(p, 2 << (tag - 0xde)), NULL};
    }
    return (PackValue){.kind = PACK_BAD};
}

static void pack_skip(Pack *p) {
    for (uint64_t n = 1; n; n--) { /* how many values are left: a list or a map brings its own */
        PackValue v = pack_next(p);
        if (v.kind == PACK_BAD) return;
        if (v.kind == PACK_LIST) n += v.number;
        if (v.kind == PACK_MAP) n += 2 * v.number;
    }
}

static bool is(PackValue v, const char *text) {
    return v.kind == PACK_TEXT && v.number == strlen(text) && !memcmp(v.text, text, v.number);
}

/* Metadata --------------------------------------------------------------------------------------------------------- */

static void read_arg(Pack *p, MockKernel *k) {
    MockParam arg = {0};
    for (uint64_t n = pack_next(p).number; n && p->at < p->end; n--) {
        PackValue key = pack_next(p);
        if (is(key, ".offset")) arg.offset = (uint32_t)pack_next(p).number;
        else if (is(key, ".size")) arg.n_bytes = (uint32_t)pack_next(p).number;
        else if (is(key, ".value_kind")) {
            PackValue kind = pack_next(p);
            if (kind.kind == PACK_TEXT) snprintf(arg.type, sizeof arg.type, "%.*s", (int)kind.number, kind.text);
        } else pack_skip(p);
    }
    uint32_t param_bytes = k->param_bytes;
    MockParam *added = mock_add_param(k, arg.n_bytes, 0, arg.type);
    added->offset = arg.offset;
    k->param_bytes = param_bytes;
}

static void read_kernel(Pack *p, MockImage *image) {
    MockKernel k = {0};
    for (uint64_t n = pack_next(p).number; n && p->at < p->end; n--) {
        PackValue key = pack_next(p);
        if (is(key, ".name")) {
            PackValue name = pack_next(p);
            if (name.kind == PACK_TEXT) snprintf(k.name, sizeof k.name, "%.*s", (int)name.number, name.text);
        } else if (is(key, ".max_flat_workgroup_size")) k.max_threads = (uint32_t)pack_next(p).number;
        else if (is(key, ".vgpr_count")) k.n_registers = (uint32_t)pack_next(p).number;
        else if (is(key, ".args"))
            for (uint64_t i = pack_next(p).number; i && p->at < p->end; i--) read_arg(p, &k);
        else pack_skip(p);
    }
    MockKernel *found = mock_find_kernel(image, k.name); /* what has a descriptor */
    if (!found) {
        free(k.params);
        return;
    }
    found->params = k.params;
    found->n_params = k.n_params;
    found->max_threads = k.max_threads;
    found->n_registers = k.n_registers;
}

static void read_metadata(MockImage *image, const uint8_t *bytes, size_t n_bytes) {
    Pack p = {bytes, bytes + n_bytes};
    for (uint64_t n = pack_next(&p).number; n && p.at < p.end; n--) {
        if (!is(pack_next(&p), "amdhsa.kernels")) pack_skip(&p);
        else
            for (uint64_t i = pack_next(&p).number; i && p.at < p.end; i--) read_kernel(&p, image);
    }
}

/* The file --------------------------------------------------------------------------------------------------------- */

typedef struct {
    const uint8_t *bytes;
    size_t n_bytes;
    const Elf64_Ehdr *head;
    const Elf64_Phdr *segments;
    const Elf64_Shdr *sections;
} File;

static bool inside(const File *f, uint64_t offset, uint64_t n_bytes) {
    return offset <= f->n_bytes && n_bytes <= f->n_bytes - offset;
}

/* What is loaded at an address: its bytes, NULL where there are none in the file. */
static const uint8_t *at_address(const File *f, uint64_t address, uint64_t n_bytes) {
    for (int i = 0; i < f->head->e_phnum; i++) {
        const Elf64_Phdr *s = &f->segments[i];
        if (s->p_type == PT_LOAD && address >= s->p_vaddr && address + n_bytes <= s->p_vaddr + s->p_filesz)
            return inside(f, s->p_offset + (address - s->p_vaddr), n_bytes)
                       ? f->bytes + s->p_offset + (address - s->p_vaddr)
                       : NULL;
    }
    return NULL;
}

enum { DESCRIPTOR_BYTES = 64 }; /* begins with the sizes of group, private and argument segment, four bytes each */

static void add_descriptor(MockImage *image, const char *name, const uint8_t *descriptor) {
    MockKernel *k = mock_add_kernel(image, "");
    snprintf(k->name, sizeof k->name, "%.*s", (int)(strlen(name) - 3), name);
    memcpy(&k->shared_bytes, descriptor, 4);
    memcpy(&k->private_bytes, descriptor + 4, 4);
    memcpy(&k->param_bytes, descriptor + 8, 4);
}

static void read_symbols(const File *f, MockImage *image, const Elf64_Shdr *table) {
    if (!inside(f, table->sh_offset, table->sh_size) || table->sh_link >= f->head->e_shnum) return;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(f->bytes + table->sh_offset);
    const char *names = (const char *)f->bytes + f->sections[table->sh_link].sh_offset;
    for (size_t i = 1; i < table->sh_size / sizeof *symbols; i++) {
        const Elf64_Sym *s = &symbols[i];
        const char *name = names + s->st_name;
        if (ELF64_ST_TYPE(s->st_info) != STT_OBJECT || s->st_shndx == SHN_UNDEF) continue;
        const uint8_t *bytes = at_address(f, s->st_value, s->st_size);
        size_t n = strlen(name);
        if (n > 3 && !strcmp(name + n - 3, ".kd") && bytes && s->st_size == DESCRIPTOR_BYTES) {
            add_descriptor(image, name, bytes);
            continue;
        }
        MockGlobal *g = mock_add_global(image, name, s->st_size);
        if (!bytes) continue;
        g->initial = malloc(s->st_size + 1);
        memcpy(g->initial, bytes, s->st_size);
    }
}

static void read_note(const File *f, MockImage *image, const Elf64_Shdr *section) {
    if (!inside(f, section->sh_offset, section->sh_size)) return;
    const uint8_t *at = f->bytes + section->sh_offset, *end = at + section->sh_size;
    while (end - at > (ptrdiff_t)sizeof(Elf64_Nhdr)) {
        const Elf64_Nhdr *note = (const Elf64_Nhdr *)at;
        const uint8_t *payload = at + sizeof *note + ((note->n_namesz + 3) & ~3u);
        if (payload > end || note->n_descsz > (size_t)(end - payload)) return;
        if (note->n_type == NOTE_METADATA) read_metadata(image, payload, note->n_descsz);
        at = payload + ((note->n_descsz + 3) & ~3u);
    }
}

static const char *processor(const Elf64_Ehdr *head) {
    for (size_t i = 0; i < sizeof PROCESSORS / sizeof *PROCESSORS; i++)
        if (PROCESSORS[i].mach == (head->e_flags & MACH_BITS)) return PROCESSORS[i].name;
    return "unknown";
}

MockImage *mock_read_hsaco(const void *bytes, size_t n_bytes, const char **why) {
    File f = {.bytes = bytes, .n_bytes = n_bytes, .head = bytes};
    *why = "no ELF file for AMD";
    if (n_bytes < sizeof *f.head || memcmp(f.head->e_ident, ELFMAG, SELFMAG) || f.head->e_machine != MACHINE_AMDGPU)
        return NULL;
    *why = "an ELF file that is cut off";
    if (!inside(&f, f.head->e_shoff, f.head->e_shnum * sizeof(Elf64_Shdr)) ||
        !inside(&f, f.head->e_phoff, f.head->e_phnum * sizeof(Elf64_Phdr)))
        return NULL;
    f.sections = (const Elf64_Shdr *)(f.bytes + f.head->e_shoff);
    f.segments = (const Elf64_Phdr *)(f.bytes + f.head->e_phoff);
    MockImage *image = calloc(1, sizeof *image);
    strcpy(image->kind, "hsaco");
    snprintf(image->arch, sizeof image->arch, "%s", processor(f.head));
    for (int i = 1; i < f.head->e_shnum; i++)
        if (f.sections[i].sh_type == SHT_DYNSYM) read_symbols(&f, image, &f.sections[i]);
    for (int i = 1; i < f.head->e_shnum; i++)
        if (f.sections[i].sh_type == SHT_NOTE) read_note(&f, image, &f.sections[i]);
    return image;
}
