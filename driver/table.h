/* table.h -- the rows of options.def as tables, for those who parse the command line and those who describe it. */
#ifndef KDSL_TABLE_H
#define KDSL_TABLE_H

typedef enum OptionId {
#define OPTION(id, spelling, value, level, help) OPTION_##id,
#include "driver/options.def"
    OPTION__COUNT
} OptionId;

typedef enum Level { LEVEL_BASIC, LEVEL_MORE, LEVEL_TESTS } Level;

typedef struct CommandRow {
    const char *name, *arguments, *help; /* help "": for tests */
} CommandRow;
typedef struct OptionRow {
    const char *spelling, *value; /* as in options.def */
    Level level;
    const char *help;
} OptionRow;
typedef struct WordRow {
    const char *name, *help;
} WordRow;

extern const CommandRow command_rows[];
extern const OptionRow option_rows[]; /* by OptionId */
extern const WordRow emit_rows[];     /* by Emit (options.h); the first is empty */
extern const WordRow explain_rows[];  /* by Explain; the first is empty */

#endif
