/* container.c -- LLVM's offload container format, which its tools expect (`llvm-objdump --offloading`): kind of the
 * image, triple and processor. libomptarget gets the image inside; the container serves tools only. Layout:
 * llvm/include/llvm/Object/OffloadBinary.h of LLVM 22, version 1. */
#include "offload/container.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGE_OBJECT = 1, IMAGE_CUBIN = 3, IMAGE_PTX = 5, PRODUCER_OPENMP = 1, N_STRINGS = 2, ALIGN = 16 };

typedef struct Header {
    uint8_t magic[4];
    uint32_t version;
    uint64_t bytes, entry, entry_bytes;
} Header;

typedef struct Entry {
    uint16_t image_kind, producer;
    uint32_t flags;
    uint64_t strings, n_strings, image, image_bytes;
} Entry;

typedef struct Head {
    Header header;
    Entry entry;
    uint64_t strings[N_STRINGS][2]; /* offsets of key and value */
} Head;

static uint16_t kind_of(const DeviceImage *image) {
    if (strncmp(image->triple, "nvptx", 5)) return IMAGE_OBJECT;
    return image->bytes.n > 4 && !memcmp(image->bytes.at,
                                         "\x7f"
                                         "ELF",
                                         4)
               ? IMAGE_CUBIN
               : IMAGE_PTX;
}

bool container_make(const DeviceImage *image, Container *c) {
    const char *const texts[N_STRINGS][2] = {{"arch", image->arch}, {"triple", image->triple}};
    Head head = {.header = {{0x10, 0xff, 0x10, 0xad}, 1, 0, offsetof(Head, entry), sizeof(Entry)},
                 .entry = {kind_of(image), PRODUCER_OPENMP, 0, offsetof(Head, strings), N_STRINGS, 0, image->bytes.n}};
    uint64_t at = sizeof head;
    for (int i = 0; i < 2 * N_STRINGS; i++) {
        head.strings[i / 2][i % 2] = at;
        at += strlen(texts[i / 2][i % 2]) + 1;
    }
    head.entry.image = (at + ALIGN - 1) / ALIGN * ALIGN;
    head.header.bytes = (head.entry.image + image->bytes.n + ALIGN - 1) / ALIGN * ALIGN;
    char *all = calloc(1, head.header.bytes);
    if (!all) return false;
    memcpy(all, &head, sizeof head);
    for (int i = 0; i < 2 * N_STRINGS; i++) strcpy(all + head.strings[i / 2][i % 2], texts[i / 2][i % 2]);
    memcpy(all + head.entry.image, image->bytes.at, image->bytes.n);
    *c = (Container){{all, head.header.bytes}, head.entry.image, head.entry.image + image->bytes.n};
    return true;
}
