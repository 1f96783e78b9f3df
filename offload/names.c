/* names.c -- an x86 image without code: a shared object with only a symbol table, whose symbols are absolute addresses
 * of functions that are already in the process. The host plugin loads it like any other image and finds the kernels by
 * name. It is created without a linker, and is as small as possible, because the plugin never unloads it. Layout:
 * System V ABI, chapter 5, and gabi's SHN_ABS, which the loader does not relocate. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "offload/lld.h"
#include "offload/offload.h"

enum { SEGMENT_LOAD, SEGMENT_DYNAMIC, SEGMENT_STACK, N_SEGMENTS };
enum { SECTION_NULL, SECTION_SYMBOLS, SECTION_STRINGS, N_SECTIONS };
enum { N_DYNAMIC = 8, N_HASH_HEAD = 3 }; /* one bucket */

typedef struct Layout {
    size_t dynamic, init, symbols, hash, strings, sections, total, n_symbols;
} Layout;

static Layout lay_out(const OffName *names, int n) {
    Layout l = {.n_symbols = (size_t)n + 1};
    l.dynamic = sizeof(Elf64_Ehdr) + N_SEGMENTS * sizeof(Elf64_Phdr);
    l.init = l.dynamic + N_DYNAMIC * sizeof(Elf64_Dyn);
    l.symbols = l.init + sizeof(Elf64_Addr);
    l.hash = l.symbols + l.n_symbols * sizeof(Elf64_Sym);
    l.strings = l.hash + (N_HASH_HEAD + l.n_symbols) * sizeof(Elf64_Word);
    l.sections = l.strings + 1;
    for (int i = 0; i < n; i++) l.sections += strlen(names[i].name) + 1;
    l.sections = (l.sections + 7) & ~(size_t)7;
    l.total = l.sections + N_SECTIONS * sizeof(Elf64_Shdr);
    return l;
}

static void write_header(char *at, const Layout *l) {
    *(Elf64_Ehdr *)at = (Elf64_Ehdr){
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT, ELFOSABI_NONE},
        .e_type = ET_DYN,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof(Elf64_Ehdr),
        .e_shoff = l->sections,
        .e_ehsize = sizeof(Elf64_Ehdr),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = N_SEGMENTS,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = N_SECTIONS,
    };
}

/* The loader writes to the dynamic section. Without PT_GNU_STACK the loader would make the stack executable. */
static void write_segments(char *at, const Layout *l) {
    Elf64_Phdr *s = (Elf64_Phdr *)(at + sizeof(Elf64_Ehdr));
    size_t n_dynamic = N_DYNAMIC * sizeof(Elf64_Dyn);
    s[SEGMENT_LOAD] = (Elf64_Phdr){
        .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_filesz = l->total, .p_memsz = l->total, .p_align = 4096};
    s[SEGMENT_DYNAMIC] = (Elf64_Phdr){.p_type = PT_DYNAMIC,
                                      .p_flags = PF_R | PF_W,
                                      .p_offset = l->dynamic,
                                      .p_vaddr = l->dynamic,
                                      .p_paddr = l->dynamic,
                                      .p_filesz = n_dynamic,
                                      .p_memsz = n_dynamic,
                                      .p_align = 8};
    s[SEGMENT_STACK] = (Elf64_Phdr){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16};
}

static void write_dynamic(char *at, const Layout *l) {
    const Elf64_Dyn rows[N_DYNAMIC] = {
        {DT_HASH, {l->hash}},
        {DT_STRTAB, {l->strings}},
        {DT_SYMTAB, {l->symbols}},
        {DT_STRSZ, {l->sections - l->strings}},
        {DT_SYMENT, {sizeof(Elf64_Sym)}},
        {DT_INIT_ARRAY, {l->init}},
        {DT_INIT_ARRAYSZ, {sizeof(Elf64_Addr)}},
        {DT_NULL, {0}},
    };
    memcpy(at + l->dynamic, rows, sizeof rows);
}

/* A hash table with one bucket: all symbols in one chain, 1, 2, ..., n. */
static void write_hash(char *at, const Layout *l) {
    Elf64_Word *hash = (Elf64_Word *)(at + l->hash);
    hash[0] = 1;
    hash[1] = (Elf64_Word)l->n_symbols;
    hash[2] = l->n_symbols > 1;
    for (size_t i = 1; i + 1 < l->n_symbols; i++) hash[N_HASH_HEAD + i] = (Elf64_Word)(i + 1);
}

static void write_symbols(char *at, const Layout *l, const OffName *names) {
    Elf64_Sym *symbols = (Elf64_Sym *)(at + l->symbols);
    size_t string = 1;
    for (size_t i = 1; i < l->n_symbols; i++) {
        const OffName *name = &names[i - 1];
        symbols[i] = (Elf64_Sym){.st_name = (Elf64_Word)string,
                                 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                 .st_shndx = SHN_ABS,
                                 .st_value = (Elf64_Addr)name->at};
        strcpy(at + l->strings + string, name->name);
        string += strlen(name->name) + 1;
    }
}

/* The plugin reads symbols through the section headers. */
static void write_sections(char *at, const Layout *l) {
    Elf64_Shdr *s = (Elf64_Shdr *)(at + l->sections);
    s[SECTION_SYMBOLS] = (Elf64_Shdr){.sh_type = SHT_DYNSYM,
                                      .sh_flags = SHF_ALLOC,
                                      .sh_addr = l->symbols,
                                      .sh_offset = l->symbols,
                                      .sh_size = l->n_symbols * sizeof(Elf64_Sym),
                                      .sh_link = SECTION_STRINGS,
                                      .sh_info = 1,
                                      .sh_addralign = 8,
                                      .sh_entsize = sizeof(Elf64_Sym)};
    s[SECTION_STRINGS] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
                                      .sh_flags = SHF_ALLOC,
                                      .sh_addr = l->strings,
                                      .sh_offset = l->strings,
                                      .sh_size = l->sections - l->strings,
                                      .sh_addralign = 1};
}

bool off_names_image(const OffName *names, int n, void (*loaded)(void), Blob *image) {
    Layout l = lay_out(names, n);
    *image = (Blob){calloc(1, l.total), l.total};
    if (!image->at) return false;
    Elf64_Addr constructor = (Elf64_Addr)loaded;
    write_header(image->at, &l);
    write_segments(image->at, &l);
    write_dynamic(image->at, &l);
    memcpy(image->at + l.init, &constructor, sizeof constructor);
    write_symbols(image->at, &l, names);
    write_hash(image->at, &l);
    write_sections(image->at, &l);
    return true;
}

void off_close_image(void *library) { LLVMKdslCloseLibrary(library); }
