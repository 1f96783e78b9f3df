/* grade.h -- `kdslc grade`: exercises, and what is measured of submissions.
 *
 * exercise.c reads what is graded; measure.c finds the facts of one program; sandbox.c runs it; judge.c compares the
 * facts with the limits and writes the sentences; grade.c grades each submission in a process of its own; report.c
 * prints; similar.c finds submissions that are alike. */
#ifndef KDSL_GRADE_H
#define KDSL_GRADE_H

#include "base/base.h"
#include "driver/options.h"
#include "driver/results.h"

typedef enum Fact {
#define FACT(id, ...) FACT_##id,
#include "driver/grade/facts.def"
    FACT__COUNT
} Fact;

/* How a fact is found. Bits. */
typedef enum FactSource {
    SOURCE_CHECK = 1,  /* by the analyses of the checked program */
    SOURCE_LAUNCH = 2, /* by generating code for a GPU */
    SOURCE_VECTOR = 4, /* by generating vector code */
    SOURCE_RUN = 8,    /* by running it */
} FactSource;

typedef struct FactRow {
    const char *name;
    FactSource source;
    const char *one, *several, *explained_by;
    bool only_answer;
} FactRow;
extern const FactRow fact_rows[FACT__COUNT]; /* exercise.c */

/* Exercises -------------------------------------------------------------------------------------------------------- */

typedef enum LimitKind { LIMIT_NONE, LIMIT_NUMBER, LIMIT_SOLUTION } LimitKind;
typedef struct Limit {
    LimitKind kind;
    int64_t most;
} Limit;

typedef struct Answer {
    const char *constant; /* of the submission */
    Fact fact;
} Answer;

/* As its file says (docs/grading.md). Paths are relative to the current folder. */
typedef struct Exercise {
    const char *path, *name; /* name: the module that the checker imports */
    const char *title;
    const char *checker, *solution; /* NULL: the exercise needs none */
    const char *program;            /* of which `answers` are asked; NULL: none */
    Limit limits[FACT__COUNT];
    double most_time;               /* as a multiple of the solution's; 0: not graded */
    Vec(Answer) answers;
    Vec(const char *) must_race;    /* names of tests */
    double seconds;                 /* for each test */
    int64_t megabytes;              /* for each process */
} Exercise;

/* False: reported. */
bool exercise_read(Compiler *c, const char *path, Exercise *e);
unsigned exercise_sources(const Exercise *e); /* bits of FactSource that its limits or answers need */
bool exercise_needs_solution(const Exercise *e);

/* Measuring -------------------------------------------------------------------------------------------------------- */

enum { UNKNOWN = -1 };

typedef struct Measured {
    bool compiles, runs; /* runs: it was started, and has told the results of its tests */
    Buf said;         /* it does not compile, or cannot be run: why, as for a user */
    int64_t value[FACT__COUNT];    /* UNKNOWN: not measured */
    Buf where[FACT__COUNT];        /* lines: the first places that count */
    Buf results;                   /* of its tests: results_take reads them */
    int n_tests;                   /* of the checker */
    double seconds;                /* of all tests together, the least of the runs */
    Vec(struct Const *) constants; /* those of Exercise.answers, in their order; NULL: there is none */
} Measured;

typedef enum MeasureKind {
    MEASURE_SUBMISSION, /* in the checker */
    MEASURE_PROGRAM,    /* a program with a `main` */
    MEASURE_CONSTANTS,  /* only the constants that are answers */
} MeasureKind;

/* Everything is in the arena of `c` or in *m, to which measure_free belongs. */
void measure(Compiler *c, const Options *o, const Exercise *e, MeasureKind kind, const char *path, unsigned sources,
             Measured *m);
/* The time of the tests of two programs, run in turn: seconds[0] and seconds[1]. False: one does not run. */
bool measure_times(Compiler *c, const Options *o, const Exercise *e, const char *const path[2], double seconds[2]);
void measure_free(Measured *m);

/* Running ---------------------------------------------------------------------------------------------------------- */

typedef struct Sandbox {
    const char *program; /* the path of bwrap; NULL: programs run without a sandbox */
    const char *why_not;
} Sandbox;
Sandbox sandbox_find(Compiler *c);

double grade_now(void); /* seconds since some point in time */

typedef struct RunLimits {
    double seconds; /* for the whole run; its tests have theirs */
    double test_seconds;
    int64_t megabytes;
} RunLimits;

/* Runs a program with no input and no environment but what is needed. *results: of its tests; *profile: what its
 * processes did on the device, JSON values one after the other; *said: what it printed, the first part of it. False:
 * it could not be started, or did not end in time; *why. */
bool sandbox_run(Compiler *c, const Sandbox *s, Blob program, const RunLimits *limits, Buf *results, Buf *profile,
                 Buf *said, const char **why);

/* Judging ---------------------------------------------------------------------------------------------------------- */

struct json_object;
/* What a submission gets, as docs/grading.md describes it. `solution`: measured; NULL: the exercise needs none. ratio:
 * time by the solution's, 0: not measured. */
struct json_object *judge(Compiler *c, const Exercise *e, const char *path, const Measured *m,
                          const Measured *of_solution, double ratio);

/* Printing --------------------------------------------------------------------------------------------------------- */

/* A pair of submissions that share much, with the places. */
typedef struct Alike {
    int a, b;        /* submissions */
    double part;     /* of the smaller one's text that the larger one has, too: 0 to 1 */
    Vec(int) lines[2]; /* of a and of b: the lines that are shared, ascending */
} Alike;
typedef Vec(Alike) Alikes;

/* Submissions with the same text, but for comments and layout. Only the first is compared with others. */
typedef struct Same {
    Vec(int) who; /* two or more */
} Same;
typedef Vec(Same) Sames;

typedef struct Graded {
    const char *path;
    struct json_object *verdict;
    const char *text; /* of its file, for the pairs; only of a class */
} Graded;

typedef struct Class {
    const Exercise *exercise;
    const Sandbox *sandbox;
    Graded *at;
    int n;
    Sames same;
    Alikes alike; /* the most alike first */
} Class;

/* What all paths have in common at their beginning (bytes) and end is left out where submissions are named. */
const char *class_name(Arena *arena, const Class *class, int i);
bool class_is_read(const Graded *g); /* false: there is no file, or one that must not be read */
/* The criteria, in order, as JSON objects with `name`: those of a submission that compiles, if there is one. */
struct json_object *class_columns(const Class *class);

void report_text(const Class *class, bool colour, Buf *out);
void report_json(const Class *class, Buf *out);
void report_junit(const Class *class, Buf *out);
void report_html(Arena *arena, const Class *class, Buf *out); /* page.c: one page, with the pairs side by side */

/* similar.c: the groups of the same text; and pairs of texts that share at least `least` of their text (0 to 1),
 * without what `skeleton` (NULL: none) has as well, but no two of one group. */
void similar_find(Arena *arena, const char *const *text, const char *skeleton, double least, Class *class);

/* Grades the submissions that the command line names. Returns the exit code; -1: reported. */
int grade_run(Compiler *c, const Options *o);

/* 1234567 as "1,234,567" */
const char *with_commas(Arena *arena, int64_t v); /* judge.c */

#endif
