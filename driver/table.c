/* table.c -- the rows of options.def. */
#include "driver/table.h"

const CommandRow command_rows[] = {
#define COMMAND(id, name, arguments, help) {name, arguments, help},
#include "driver/options.def"
};

const OptionRow option_rows[] = {
#define OPTION(id, spelling, value, level, help) {spelling, value, LEVEL_##level, help},
#include "driver/options.def"
};

const WordRow emit_rows[] = {
    {"", ""},
#define EMIT(id, name, stage, function, help) {name, help},
#include "driver/options.def"
};

const WordRow explain_rows[] = {
    {"", ""},
#define EXPLAIN(id, name, function, help) {name, help},
#include "driver/options.def"
};
