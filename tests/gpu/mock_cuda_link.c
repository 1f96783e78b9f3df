/* mock_cuda_link.c -- the linker of the driver, which turns PTX into a cubin. The cubin of the mock is an ELF file that
   looks as ptxas makes it, as far as a loader looks before it gives the file to the driver, and has the PTX in a
   section. */
#define _GNU_SOURCE
#include "tests/gpu/mock_cuda.h"
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SECTION[] = ".mock.ptx";

/* Names of sections: "", .shstrtab, .mock.ptx */
static const char NAMES[] = "\0.shstrtab\0.mock.ptx";
enum { NAME_NAMES = 1, NAME_PTX = 11, N_SECTIONS = 3 };

void *write_linked(const MockImage *image, int sm, size_t *n_bytes) {
    size_t text_bytes = strlen(image->text) + 1, names_at = sizeof(Elf64_Ehdr), text_at = names_at + sizeof NAMES;
    size_t sections_at = (text_at + text_bytes + 7) & ~(size_t)7;
    *n_bytes = sections_at + N_SECTIONS * sizeof(Elf64_Shdr);
    char *file = calloc(1, *n_bytes);
    Elf64_Ehdr head = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 0x41, 8},
        .e_type = ET_EXEC,
        .e_machine = 190,
        .e_version = EV_CURRENT,
        .e_shoff = sections_at,
        .e_flags = 0x06000004u | (uint32_t)sm << 8,
        .e_ehsize = sizeof head,
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = N_SECTIONS,
        .e_shstrndx = 1,
    };
    Elf64_Shdr sections[N_SECTIONS] = {
        {0},
        {NAME_NAMES, SHT_STRTAB, 0, 0, names_at, sizeof NAMES, 0, 0, 1, 0},
        {NAME_PTX, SHT_PROGBITS, 0, 0, text_at, text_bytes, 0, 0, 1, 0},
    };
    memcpy(file, &head, sizeof head);
    memcpy(file + names_at, NAMES, sizeof NAMES);
    memcpy(file + text_at, image->text, text_bytes);
    memcpy(file + sections_at, sections, sizeof sections);
    return file;
}

const char *read_linked(const void *cubin) {
    const Elf64_Ehdr *head = cubin;
    const char *bytes = cubin;
    if (memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_shnum != N_SECTIONS) return NULL;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + head->e_shoff);
    const char *name = bytes + sections[1].sh_offset + sections[2].sh_name;
    return strcmp(name, SECTION) ? NULL : bytes + sections[2].sh_offset;
}

/* CUjit_option, CUjitInputType */
enum {
    OPTION_ERROR_LOG = 5,
    OPTION_ERROR_LOG_BYTES = 6,
    INPUT_PTX = 1,
};

typedef struct {
    Device *device;
    char *log;
    size_t log_bytes;
    void *cubin;
    size_t cubin_bytes;
} Link;

EXPORT CUresult cuLinkCreate_v2(unsigned n_options, const int *options, void **values, Link **state) {
    CURRENT(d);
    Link *link = calloc(1, sizeof *link);
    link->device = d;
    for (unsigned i = 0; i < n_options; i++) {
        if (options[i] == OPTION_ERROR_LOG) link->log = values[i];
        if (options[i] == OPTION_ERROR_LOG_BYTES) link->log_bytes = (size_t)values[i];
    }
    if (link->log && link->log_bytes) *link->log = 0;
    *state = link;
    return CUDA_SUCCESS;
}

static CUresult refuse(Link *link, CUresult error, const char *why) {
    if (link->log && link->log_bytes) snprintf(link->log, link->log_bytes, "ptxas application ptx input: %s\n", why);
    mock_log("link %d failed: %s", link->device->number, why);
    return error;
}

/* CUDA 13.0 knows PTX 9.0, 12.4 knows 8.4 and so on. */
static bool driver_knows(const char *ptx) {
    const char *version = strstr(ptx, ".version");
    int major = 0, minor = 0;
    if (!version || sscanf(version, ".version %d.%d", &major, &minor) != 2) return true; /* the reader will say it */
    int driver = driver_version();
    return major * 10 + minor <= (driver / 1000 - 4) * 10 + driver % 1000 / 10;
}

/* The text need not end with a zero: the size may leave it out. */
EXPORT CUresult cuLinkAddData_v2(Link *link, int type, void *data, size_t n_bytes, const char *name, unsigned n_options,
                                 int *options, void **values) {
    (void)name, (void)n_options, (void)options, (void)values;
    if (!link) return CUDA_ERROR_INVALID_HANDLE;
    if (type != INPUT_PTX) return CUDA_ERROR_INVALID_VALUE;
    char *ptx = strndup(data, n_bytes);
    const char *why;
    MockImage *image = mock_read_ptx(ptx, &why);
    CUresult error = CUDA_SUCCESS;
    if (mock_fails("link")) error = refuse(link, CUDA_ERROR_INVALID_PTX, "fatal: as KDSL_MOCK_FAIL says");
    else if (!driver_knows(ptx))
        error = refuse(link, CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "fatal: Unsupported .version");
    else if (!image) error = refuse(link, CUDA_ERROR_INVALID_PTX, why);
    else if (!runs_on(image, link->device))
        error = refuse(link, CUDA_ERROR_INVALID_PTX,
                       "fatal: SM version specified by .target is higher than default SM version assumed");
    if (!error) {
        free(link->cubin);
        link->cubin = write_linked(image, link->device->sm, &link->cubin_bytes);
        mock_log("link %d ptx %s for sm_%d", link->device->number, image->arch, link->device->sm);
    }
    mock_free_image(image);
    free(ptx);
    return error;
}

EXPORT CUresult cuLinkComplete(Link *link, void **cubin, size_t *n_bytes) {
    if (!link) return CUDA_ERROR_INVALID_HANDLE;
    if (!link->cubin) return CUDA_ERROR_INVALID_IMAGE;
    *cubin = link->cubin;
    if (n_bytes) *n_bytes = link->cubin_bytes;
    return CUDA_SUCCESS;
}

/* The cubin is the linker's, and gone with it: who still reads it will notice. */
EXPORT CUresult cuLinkDestroy(Link *link) {
    if (!link) return CUDA_ERROR_INVALID_HANDLE;
    if (link->cubin) memset(link->cubin, 0xDD, link->cubin_bytes);
    free(link->cubin);
    free(link);
    return CUDA_SUCCESS;
}
