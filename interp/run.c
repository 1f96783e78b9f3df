/* run.c -- executes a program, on a stack that is large enough for deep recursion. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/run.h"

static const size_t stack_bytes = (size_t)1 << 32;

uint64_t interp_random(Run *r) { /* splitmix64 */
    uint64_t z = r->random += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

void interp_frame_begin(Frame *f, Run *r, const Func *fn, Slot *slots, WorkItem *item) {
    *f = (Frame){.run = r, .fn = fn, .slots = slots, .item = item};
    for (int i = 0; i < fn->n_symbols; i++) {
        slots[i].at = NULL;
        slots[i].is_heap = false;
    }
}

void interp_frame_end(Frame *f) {
    for (int i = 0; i < f->fn->n_symbols; i++)
        if (f->slots[i].is_heap) free(f->slots[i].at);
}

typedef struct ProgramRun {
    Run run;
    int32_t status;
} ProgramRun;

static void run_main(void *with) {
    ProgramRun *p = with;
    const Func *fn = p->run.program->main;
    Slot slots[fn->n_symbols + 1];
    Frame f;
    interp_frame_begin(&f, &p->run, fn, slots, NULL);
    f.result = &p->status;
    interp_block(&f, fn->item->fn.body);
    interp_frame_end(&f);
}

int interp_run(const Program *p, const InterpOptions *o) {
    ProgramRun program = {.run = {.program = p, .c = p->c, .options = *o, .random = o->seed}};
    Fiber *stack = fiber_new(stack_bytes);
    fiber_start(stack, run_main, &program);
    fiber_resume(stack);
    fiber_free(stack);
    fflush(stdout);
    return program.status & 0xff;
}
