/* variables.c -- variables that persist between inputs. Each has its own memory, whose address is passed to generated
 * code: numbers and structs in their usual layout, for an array its descriptor, with the elements in a block of the
 * runtime's heap. */
#include <string.h>

#include "repl/internal.h"

Var *var_find(const Session *s, const char *name) {
    for (int i = 0; i < s->vars.n; i++)
        if (!strcmp(s->vars.at[i]->name, name)) return s->vars.at[i];
    return NULL;
}

static void free_leaves(Session *s, Var *v) {
    void (*array_free)(void *) = (void (*)(void *))(uintptr_t)jit_runtime(s->jit, "kdsl_array_free");
    for (int i = 0; i < v->leaves.n; i++) {
        if (v->leaves.at[i].is_array && array_free) array_free(*(void **)v->leaves.at[i].at);
        free(v->leaves.at[i].at);
    }
    free(v->leaves.at);
    v->leaves.at = NULL;
    v->leaves.n = v->leaves.cap = 0;
}

void var_release(Session *s, Var *v, const char *why) {
    free_leaves(s, v);
    free(v->gone);
    v->gone = copy_text(why, strlen(why));
}

void var_free(Session *s, Var *v) {
    free_leaves(s, v);
    free(v->name);
    free(v->type);
    free(v->type_now);
    free(v->gone);
    text_drop(v->text);
    free(v);
}

void var_remove(Session *s, const char *name) {
    for (int i = 0; i < s->vars.n; i++) {
        if (strcmp(s->vars.at[i]->name, name)) continue;
        var_free(s, s->vars.at[i]);
        memmove(&s->vars.at[i], &s->vars.at[i + 1], sizeof *s->vars.at * (size_t)(s->vars.n - i - 1));
        s->vars.n--;
        return;
    }
}
