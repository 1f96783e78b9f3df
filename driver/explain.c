/* explain.c -- `kdslc explain E0301`: prints a section of docs/errors.md, which is embedded in the compiler, as plain
 * text. */
#include "driver/explain.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "driver/output.h"

extern const char kdsl_errors[], kdsl_errors_end[];
__asm__(".pushsection .rodata.kdsl_errors,\"a\"\n"
        ".globl kdsl_errors, kdsl_errors_end\n"
        ".hidden kdsl_errors, kdsl_errors_end\n"
        "kdsl_errors:\n"
        ".incbin \"" KDSL_ERRORS_PAGE "\"\n"
        "kdsl_errors_end:\n.byte 0\n.popsection");

bool is_diagnostic_code(const char *text) {
    if (!strchr("EWew", *text) || strlen(text) != 5) return false;
    return strspn(text + 1, "0123456789") == 4;
}

/* The text after the heading of the section, or NULL. */
static const char *find_section(const char *code) {
    char heading[] = "\n### x....\n";
    heading[5] = (char)toupper((unsigned char)code[0]);
    memcpy(heading + 6, code + 1, 4);
    const char *at = strstr(kdsl_errors, heading);
    return at ? at + strlen(heading) : NULL;
}

static const struct {
    const char *fence, *title;
} blocks[] = {{"```kdsl-error", "Wrong:"}, {"```kdsl-right", "Right:"}};

/* One line of the page: fences become titles, programs are indented. */
static void put_line(Buf *b, const char *line, int n, bool *in_block) {
    if (!*in_block && n == 0 && b->n > 1 && b->at[b->n - 2] == '\n') return; /* one empty line is enough */
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        if ((size_t)n != strlen(blocks[i].fence) || memcmp(line, blocks[i].fence, (size_t)n)) continue;
        buf_printf(b, "%s\n\n", blocks[i].title);
        *in_block = true;
        return;
    }
    if (n == 3 && !memcmp(line, "```", 3)) *in_block = false;
    else if (n > 2 && *line == '*' && line[n - 1] == '*') buf_printf(b, "%.*s\n", n - 2, line + 1);
    else buf_printf(b, "%s%.*s\n", *in_block && n ? "    " : "", n, line);
}

bool explain_code(const char *code, Buf *out) {
    const char *at = find_section(code), *end = kdsl_errors_end;
    if (!at) return false;
    bool in_block = false;
    buf_printf(out, "%c%s: ", toupper((unsigned char)code[0]), code + 1);
    while (*at == '\n') at++;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        if (!in_block && *at == '#') break;
        put_line(out, at, (int)(stop - at), &in_block);
        at = stop + 1;
    }
    while (out->n > 1 && out->at[out->n - 2] == '\n') out->n--;
    return true;
}
