/* border.c -- exported functions as C calls them: a failure that would end a KDSL program ends only the call. The
 * caller gets a status, and the message from kdsl_last_error(). Arrays that a failed call had allocated are freed. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "runtime/internal.h"

static _Thread_local jmp_buf *border; /* of the innermost exported call of this thread; NULL: none */

/* Not hidden: two libraries of ours in one program share it, and with it the meaning of kdsl_last_error. */
__attribute__((weak, visibility("default"))) _Thread_local char kdsl_error_report[KDSL_REPORT_BYTES];

const char *kdsl_last_error(void) { return kdsl_error_report; }

int32_t kdsl_border_cross(void (*run)(void *frame), void *frame) {
    jmp_buf here, *volatile outer = border;
    if (!outer) {
        kdsl_found_reset();
        kdsl_error_report[0] = '\0';
    }
    int status = setjmp(here);
    if (!status) {
        kdsl_called_at(NULL); /* of a call that has failed */
        border = &here;
        run(frame);
        if (!KDSL_IS_LIVE && kdsl_has_found()) status = KDSL_EXIT_CHECK;
        else kdsl_error_report[0] = '\0';
    } else {
        kdsl_text_reset();
    }
    border = outer;
    return status;
}

typedef struct Call {
    void (*run)(void *frame);
    void *frame;
} Call;

/* The failure of an asynchronous launch is reported while the call can still return a status. */
static void run_and_settle(void *at) {
    const Call *c = at;
    c->run(c->frame);
    kdsl_settle();
}

int32_t kdsl_border(void (*run)(void *frame), void *frame) {
    KdslBlocks outer = kdsl_blocks_begin();
    Call call = {run, frame};
    int32_t status = kdsl_border_cross(run_and_settle, &call);
    kdsl_blocks_end(outer, status != 0);
    return status;
}

void kdsl_border_tell(const KdslFailure *f) {
    size_t n = strlen(kdsl_error_report);
    if (n + 2 > sizeof kdsl_error_report) return;
    if (n) strcpy(kdsl_error_report + n++, "\n");
    kdsl_failure_text(kdsl_error_report + n, sizeof kdsl_error_report - n, f, false);
}

bool kdsl_border_is_there(void) { return border != NULL; }

void kdsl_border_leave(int status) {
    kdsl_team_leave();
    if (border) longjmp(*border, status);
}

void kdsl_border_fail(int status, const KdslFailure *f) {
    bool colour = KDSL_IS_LIVE && kdsl_failures_have_colour();
    if (!border) return;
    kdsl_failure_text(kdsl_error_report, sizeof kdsl_error_report, f, colour);
    kdsl_border_leave(status);
}

void kdsl_border_fail_again(int status, const char *text) {
    if (!border) return;
    snprintf(kdsl_error_report, sizeof kdsl_error_report, "%s", text);
    kdsl_border_leave(status);
}

void kdsl_check_argument(const char *place, const char *name, const void *at, int64_t rank, const int64_t *extents) {
    char shape[KDSL_SHAPE_BYTES];
    int64_t n = 1;
    for (int64_t d = 0; d < rank; d++) {
        if (extents[d] < 0) kdsl_fail(place, "`%s` has a negative extent: its shape is %s", name,
                                      kdsl_shape_text(shape, rank, extents));
        n = extents[d] ? n : 0;
    }
    if (!rank && !at) kdsl_fail(place, "`%s` is a null pointer", name);
    if (n && !at) kdsl_fail(place, "`%s`, whose shape is %s, is a null pointer", name,
                            kdsl_shape_text(shape, rank, extents));
}

void kdsl_check_apart(const char *place, const char *name, const char *at, int64_t n_bytes, const char *other_name,
                      const char *other, int64_t other_bytes, int32_t may_be_same) {
    bool overlap = (uintptr_t)at < (uintptr_t)other + (uintptr_t)other_bytes &&
                   (uintptr_t)other < (uintptr_t)at + (uintptr_t)n_bytes && n_bytes && other_bytes;
    if (overlap && !(may_be_same && at == other && n_bytes == other_bytes))
        kdsl_fail(place, "`%s` and `%s` overlap in memory", name, other_name);
}
