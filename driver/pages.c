/* pages.c -- --help, the manual page and completion scripts, from the rows of options.def. */
#include "driver/pages.h"

#include <string.h>

#include "driver/options.h"

/* Help ------------------------------------------------------------------------------------------------------------ */

/* Prints the help text for the words since `start`, beginning in column `column`. */
static void help_column(Buf *b, size_t start, int column, const char *help) {
    int width = (int)(b->n - start);
    buf_printf(b, "%*s%s\n", width < column ? column - width : 1, "", help);
}

/* "=CPU", "NAME", " FILE" */
static void add_value(Buf *b, const char *value) {
    buf_printf(b, "%s%s", *value && !strchr("=+", *value) ? " " : "", *value == '+' ? value + 1 : value);
}

void help_page(Buf *b, Level most) {
    buf_puts(b, "kdslc compiles KDSL programs.\n\n");
    for (int i = 0; i < COMMAND__COUNT; i++) {
        const CommandRow *row = &command_rows[i];
        size_t start = b->n;
        if (!*row->help) continue;
        buf_printf(b, "  kdslc %s%s%s", row->name, *row->name ? " " : "", row->arguments);
        help_column(b, start, 36, row->help);
    }
    buf_puts(b, "\nOptions:\n");
    for (int i = 0; i < OPTION__COUNT; i++) {
        const OptionRow *row = &option_rows[i];
        if (row->level > most) continue;
        size_t start = b->n;
        buf_printf(b, "  %s", row->spelling);
        add_value(b, row->value);
        help_column(b, start, 20, row->help);
        for (int e = 1; i == OPTION_EXPLAIN && e < EXPLAIN__COUNT; e++)
            buf_printf(b, "%20s  %-13s%s\n", "", explain_rows[e].name, explain_rows[e].help);
        for (int e = 1; i == OPTION_EMIT && e < EMIT__COUNT; e++)
            buf_printf(b, "%20s  %-13s%s\n", "", emit_rows[e].name, emit_rows[e].help);
    }
    if (most == LEVEL_BASIC) buf_puts(b, "\n`kdslc --help-all` lists all options.");
    buf_puts(b, "\nFor C programs: kdslc -c --header=k.h k.kdsl, then cc main.c k.o $(kdslc --print-link-flags)\n"
                "A source file named - is standard input.\nExit codes: 0 success, 1 errors were reported, 2 wrong "
                "command line; `run` returns the exit code of the program.\n");
}

/* Manual ---------------------------------------------------------------------------------------------------------- */

/* Text for troff: a backslash and a dot or quote at the start of a line would be commands, a - a hyphen. */
static void add_troff(Buf *b, const char *text) {
    for (bool at_start = true; *text; at_start = *text++ == '\n') {
        if (at_start && (*text == '.' || *text == '\'')) buf_puts(b, "\\&");
        if (*text == '\\') buf_puts(b, "\\e");
        else if (*text == '-') buf_puts(b, "\\-");
        else buf_putc(b, *text);
    }
}

static void add_words(Buf *b, const WordRow *rows, int n) {
    buf_puts(b, ".RS\n");
    for (int i = 1; i < n; i++) {
        buf_puts(b, ".TP\n.B ");
        add_troff(b, rows[i].name);
        buf_puts(b, "\n");
        add_troff(b, rows[i].help);
        buf_puts(b, "\n");
    }
    buf_puts(b, ".RE\n");
}

void manual_page(Buf *b, Level most) {
    buf_puts(b, ".TH KDSLC 1 \"\" \"kdslc " KDSL_VERSION "\" \"KDSL\"\n.SH NAME\nkdslc \\- compile KDSL programs\n.SH "
                "SYNOPSIS\n");
    for (int i = 0; i < COMMAND__COUNT; i++) {
        const CommandRow *row = &command_rows[i];
        if (!*row->help) continue;
        buf_puts(b, ".br\n.B kdslc");
        buf_printf(b, "%s%s\n", *row->name ? " " : "", row->name);
        if (!*row->arguments) continue;
        buf_puts(b, ".I ");
        add_troff(b, row->arguments);
        buf_puts(b, "\n");
    }
    buf_puts(b, ".SH DESCRIPTION\nKDSL is a small language for kernels on GPUs and CPUs. kdslc compiles a program, "
                "host code and kernels, to one executable.\n.SH COMMANDS\n");
    for (int i = 0; i < COMMAND__COUNT; i++) {
        if (!*command_rows[i].help || !*command_rows[i].name) continue;
        buf_printf(b, ".TP\n.B %s\n", command_rows[i].name);
        add_troff(b, command_rows[i].help);
        buf_puts(b, "\n");
    }
    buf_puts(b, ".SH OPTIONS\nOptions come before or after the command and the file; for\n.B run\nand\n.B profile\n"
                "before the file, because everything after the file is passed to the program.\n");
    for (int i = 0; i < OPTION__COUNT; i++) {
        const OptionRow *row = &option_rows[i];
        if (row->level > most) continue;
        Buf words = {0};
        buf_puts(&words, row->spelling);
        add_value(&words, row->value);
        buf_puts(b, ".TP\n.B ");
        add_troff(b, words.at);
        buf_puts(b, "\n");
        add_troff(b, row->help);
        buf_puts(b, "\n");
        buf_free(&words);
        if (i == OPTION_EXPLAIN) add_words(b, explain_rows, EXPLAIN__COUNT);
        if (i == OPTION_EMIT) add_words(b, emit_rows, EMIT__COUNT);
    }
    buf_puts(b, ".SH EXIT STATUS\n0: success. 1: errors were reported. 2: the command line is wrong.\n.B kdslc run\n"
                "returns the exit code of the program, which is 3 if a check or an assert failed.\n"
                ".SH C PROGRAMS\n.nf\nkdslc \\-c \\-\\-header=kernels.h kernels.kdsl\n"
                "cc main.c kernels.o $(kdslc \\-\\-print\\-link\\-flags)\n.fi\n"
                "In CMake, find_package(Kdsl) and kdsl_target_sources(TARGET PRIVATE kernels.kdsl); the page "
                "install.md has a complete project.\n.SH SEE ALSO\n"
                "The reference and the other pages are installed beside the README of KDSL.\n");
}

/* Completion ------------------------------------------------------------------------------------------------------ */

static void add_spellings(Buf *b, const char *separator) {
    const char *sep = "";
    for (int i = 0; i < OPTION__COUNT; i++) {
        const OptionRow *row = &option_rows[i];
        if (row->level == LEVEL_TESTS) continue;
        buf_printf(b, "%s%s%s", sep, row->spelling, *row->value == '=' ? "=" : "");
        sep = separator;
    }
}

static void add_commands(Buf *b, const char *separator) {
    const char *sep = "";
    for (int i = 0; i < COMMAND__COUNT; i++) {
        if (!*command_rows[i].help || !*command_rows[i].name) continue;
        buf_printf(b, "%s%s", sep, command_rows[i].name);
        sep = separator;
    }
}

static void add_names(Buf *b, const WordRow *rows, int n) {
    for (int i = 1; i < n; i++) buf_printf(b, "%s%s", i > 1 ? " " : "", rows[i].name);
}

static void bash_page(Buf *b) {
    buf_puts(b, "# bash completion of kdslc; from kdslc --completion=bash\n_kdslc() {\n"
                "    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
                "    if [ \"$word\" = = ]; then word=\n"
                "    elif [ \"$previous\" = = ]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
                "    case $previous in\n    --explain) COMPREPLY=($(compgen -W \"");
    add_names(b, explain_rows, EXPLAIN__COUNT);
    buf_puts(b, "\" -- \"$word\")); return ;;\n    --emit) COMPREPLY=($(compgen -W \"");
    add_names(b, emit_rows, EMIT__COUNT);
    buf_puts(b, "\" -- \"$word\")); return ;;\n    esac\n    case $word in\n    -*) COMPREPLY=($(compgen -W \"");
    add_spellings(b, " ");
    buf_puts(b, "\" -- \"$word\"))\n        [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n        return ;;\n"
                "    esac\n    COMPREPLY=($(compgen -f -X '!*.kdsl' -- \"$word\") $(compgen -d -S / -- \"$word\"))\n"
                "    [ \"$COMP_CWORD\" = 1 ] && COMPREPLY+=($(compgen -W \"");
    add_commands(b, " ");
    buf_puts(b, "\" -- \"$word\"))\n}\ncomplete -F _kdslc kdslc\n");
}

/* In single quotes, for zsh's _arguments, where brackets and colons have a meaning. */
static void add_zsh(Buf *b, const char *text) {
    for (; *text; text++) {
        if (*text == '\'') buf_puts(b, "'\\''");
        else if (strchr("[]:\\", *text)) buf_printf(b, "\\%c", *text);
        else buf_putc(b, *text);
    }
}

static void zsh_page(Buf *b) {
    buf_puts(b, "#compdef kdslc\n# zsh completion of kdslc; from kdslc --completion=zsh\n_arguments \\\n");
    for (int i = 0; i < OPTION__COUNT; i++) {
        const OptionRow *row = &option_rows[i];
        if (row->level == LEVEL_TESTS) continue;
        const char *how = *row->value == '=' ? "=-" : *row->value == '+' ? "-" : *row->value ? "+" : "";
        buf_printf(b, "  '%s%s[", row->spelling, how);
        add_zsh(b, row->help);
        buf_puts(b, "]");
        if (*row->value) {
            buf_puts(b, ":");
            add_zsh(b, row->value + (*row->value == '=' || *row->value == '+'));
            buf_puts(b, ":");
            if (i == OPTION_EXPLAIN || i == OPTION_EMIT) {
                buf_puts(b, "(");
                if (i == OPTION_EXPLAIN) add_names(b, explain_rows, EXPLAIN__COUNT);
                else add_names(b, emit_rows, EMIT__COUNT);
                buf_puts(b, ")");
            } else if (!strcmp(row->value, "FILE") || !strcmp(row->value, "+FOLDER")) {
                buf_puts(b, "_files");
            }
        }
        buf_puts(b, "' \\\n");
    }
    buf_puts(b, "  '1:command or file:{_values command ");
    add_commands(b, " ");
    buf_puts(b, "; _files -g \"*.kdsl\"}' \\\n  '*:file:_files -g \"*.kdsl\"'\n");
}

static void add_fish(Buf *b, const char *text) {
    for (; *text; text++) buf_printf(b, strchr("'\\", *text) ? "\\%c" : "%c", *text);
}

static void fish_page(Buf *b) {
    buf_puts(b, "# fish completion of kdslc; from kdslc --completion=fish\n");
    for (int i = 0; i < COMMAND__COUNT; i++) {
        if (!*command_rows[i].help || !*command_rows[i].name) continue;
        buf_printf(b, "complete -c kdslc -n __fish_use_subcommand -a %s -d '", command_rows[i].name);
        add_fish(b, command_rows[i].help);
        buf_puts(b, "'\n");
    }
    for (int i = 0; i < OPTION__COUNT; i++) {
        const OptionRow *row = &option_rows[i];
        if (row->level == LEVEL_TESTS) continue;
        const char *name = row->spelling + 1;
        bool is_long = *name == '-', is_letter = !name[1];
        buf_printf(b, "complete -c kdslc %s %s", is_long ? "-l" : is_letter ? "-s" : "-o", is_long ? name + 1 : name);
        if (*row->value) buf_puts(b, " -r");
        if (i == OPTION_EXPLAIN || i == OPTION_EMIT) {
            buf_puts(b, " -f -a '");
            if (i == OPTION_EXPLAIN) add_names(b, explain_rows, EXPLAIN__COUNT);
            else add_names(b, emit_rows, EMIT__COUNT);
            buf_puts(b, "'");
        }
        buf_puts(b, " -d '");
        add_fish(b, row->help);
        buf_puts(b, "'\n");
    }
}

bool completion_page(Buf *b, const char *shell) {
    if (!strcmp(shell, "bash")) bash_page(b);
    else if (!strcmp(shell, "zsh")) zsh_page(b);
    else if (!strcmp(shell, "fish")) fish_page(b);
    else return false;
    return true;
}
