/* shadow.c -- programs with --check=race or --check=init: kernels, and the functions they call, tell the runtime of
 * each access that sema has numbered (Expr.touch). A launch gets a KdslShadow (runtime/runtime.h) from the runtime and
 * passes it to the kernel as the last argument; the entry stores it where the kernel and its functions find it. Such a
 * kernel is scalar code on one thread, as it is written: while it is generated, `shadows` is set in Cg, and no
 * transformation is allowed (cg_allows). */
#include "irgen/lang/lang.h"

#include <stddef.h>
#include <string.h>

#include "runtime/runtime.h"

/* Kernels and functions --------------------------------------------------------------------------------------- */

static LLVMValueRef home(Cg *cg) {
    LLVMValueRef v = LLVMGetNamedGlobal(cg->module, "kdsl.shadow");
    if (v) return v;
    v = LLVMAddGlobal(cg->module, cg->ptr, "kdsl.shadow");
    LLVMSetInitializer(v, LLVMConstNull(cg->ptr));
    LLVMSetLinkage(v, LLVMInternalLinkage);
    return v;
}

void cg_shadow_enter(CgFunc *f) {
    LLVMBuildStore(f->b, f->shadow, home(f->cg));
    f->shadow_at = f->shadow;
}

/* Loaded once, where the function begins. */
LLVMValueRef cg_shadow(CgFunc *f) {
    if (f->shadow_at) return f->shadow_at;
    CgHere here = cg_to_entry(f);
    f->shadow_at = LLVMBuildLoad2(f->b, f->cg->ptr, home(f->cg), "shadow");
    cg_back(f, here);
    return f->shadow_at;
}

static LLVMValueRef field(CgFunc *f, size_t offset) {
    LLVMValueRef at = cg_i64(f->cg, (int64_t)offset);
    return LLVMBuildInBoundsGEP2(f->b, f->cg->i8, cg_shadow(f), &at, 1, "");
}

static LLVMValueRef function_of(CgFunc *f, size_t offset) {
    return LLVMBuildLoad2(f->b, f->cg->ptr, field(f, offset), "");
}

static void call(CgFunc *f, LLVMValueRef fn, LLVMValueRef *args, int n) {
    LLVMTypeRef params[3];
    for (int i = 0; i < n; i++) params[i] = LLVMTypeOf(args[i]);
    LLVMBuildCall2(f->b, LLVMFunctionType(f->cg->void_, params, (unsigned)n, false), fn, args, (unsigned)n, "");
}

/* Accesses ---------------------------------------------------------------------------------------------------- */

/* What is stored, as a 64-bit number. */
static void pass_value(CgFunc *f, int touch, CgValue v) {
    LLVMValueRef bits = v.v;
    LLVMTypeRef same = LLVMIntTypeInContext(f->cg->ctx, (unsigned)v.type->bits);
    if (v.type->is_float) bits = LLVMBuildBitCast(f->b, bits, same, "");
    bits = LLVMBuildZExtOrBitCast(f->b, bits, f->cg->i64, "");
    LLVMBuildStore(f->b, bits, field(f, offsetof(KdslShadow, value)));
    LLVMBuildStore(f->b, cg_i64(f->cg, touch), field(f, offsetof(KdslShadow, value_site)));
}

void cg_touch_call(CgFunc *f, CgTouch how, int touch, LLVMValueRef at, LLVMValueRef n_bytes, CgValue stored) {
    static const size_t calls[] = {[TOUCH_READ] = offsetof(KdslShadow, reads),
                                   [TOUCH_WRITE] = offsetof(KdslShadow, writes),
                                   [TOUCH_UPDATE] = offsetof(KdslShadow, updates)};
    /* As a number: nobody needs to know that the address is known elsewhere. */
    LLVMValueRef args[3] = {LLVMBuildPtrToInt(f->b, at, f->cg->i64, ""), n_bytes, cg_i64(f->cg, touch)};
    if (!f->shadow_calls[how]) {
        cg_shadow(f);
        CgHere here = cg_to_entry(f);
        f->shadow_calls[how] = function_of(f, calls[how]);
        cg_back(f, here);
    }
    if (stored.v) pass_value(f, touch, stored);
    call(f, f->shadow_calls[how], args, 3);
}

void cg_touch_bytes(CgFunc *f, CgTouch how, int touch, LLVMValueRef at, LLVMValueRef n_bytes) {
    if (!touch || !f->cg->shadows) return;
    int64_t bytes = LLVMIsAConstantInt(n_bytes) ? (int64_t)LLVMConstIntGetZExtValue(n_bytes) : 0;
    if (!cg_touch_private(f, how, touch, at, bytes)) cg_touch_call(f, how, touch, at, n_bytes, (CgValue){0});
}

static void touch_place(CgFunc *f, CgTouch how, const CgPlace *p, CgValue stored) {
    if (!p->touch || !f->cg->shadows) return;
    int64_t bytes = type_size_bytes(p->type);
    if (cg_touch_private(f, how, p->touch, p->at, bytes) || cg_touch_cell(f, how, p, stored)) return;
    cg_touch_call(f, how, p->touch, p->at, cg_i64(f->cg, bytes), stored);
}

void cg_touch(CgFunc *f, CgTouch how, const CgPlace *p) { touch_place(f, how, p, (CgValue){0}); }

void cg_touch_store(CgFunc *f, const CgPlace *p, CgValue v) {
    bool is_number = type_is_number(p->type) || p->type->kind == TY_BOOL;
    touch_place(f, TOUCH_WRITE, p, is_number ? v : (CgValue){0});
}

/* The order of execution -------------------------------------------------------------------------------------- */

void cg_shadow_item(CgFunc *f) {
    if (!f->cg->shadows) return;
    LLVMValueRef at = field(f, offsetof(KdslShadow, turn)), last = LLVMBuildLoad2(f->b, f->cg->i64, at, "");
    f->shadow_turn = LLVMBuildAdd(f->b, last, cg_i64(f->cg, 1), "turn");
    LLVMBuildStore(f->b, f->shadow_turn, at);
}

void cg_shadow_group(CgFunc *f, LLVMValueRef number) {
    if (f->cg->shadows) call(f, function_of(f, offsetof(KdslShadow, group)), &number, 1);
}

void cg_shadow_barrier(CgFunc *f) {
    if (f->cg->shadows) call(f, function_of(f, offsetof(KdslShadow, barrier)), NULL, 0);
}

void cg_shadow_once(CgFunc *f, bool once) {
    if (!f->cg->shadows) return;
    LLVMBuildStore(f->b, cg_i64(f->cg, once), field(f, offsetof(KdslShadow, every)));
    f->shadow_turn = NULL;
    if (!once) f->shadow_phase = LLVMBuildLoad2(f->b, f->cg->i64, field(f, offsetof(KdslShadow, phase)), "phase");
}

void cg_shadow_item_of_group(CgFunc *f, LLVMValueRef number) {
    if (!f->cg->shadows) return;
    f->shadow_turn = LLVMBuildAdd(f->b, f->shadow_phase, number, "turn");
    LLVMBuildStore(f->b, f->shadow_turn, field(f, offsetof(KdslShadow, turn)));
}

/* Memory ------------------------------------------------------------------------------------------------------ */

static LLVMValueRef numbers(CgFunc *f, LLVMValueRef *v, int n, const char *name) {
    LLVMTypeRef type = LLVMArrayType2(f->cg->i64, (uint64_t)n);
    LLVMValueRef room = cg_alloca(f, type, name);
    for (int i = 0; i < n; i++) {
        LLVMValueRef at = cg_i64(f->cg, i);
        LLVMBuildStore(f->b, v[i], LLVMBuildInBoundsGEP2(f->b, f->cg->i64, room, &at, 1, ""));
    }
    return room;
}

void cg_shadow_domain(CgFunc *f, Axis *axes) {
    LLVMValueRef lo[MAX_RANK], step[MAX_RANK], trips[MAX_RANK];
    int n = f->func->domain.n;
    if (!f->shadow) return;
    for (int d = 0; d < n; d++) {
        trips[d] = cg_axis_trips(f, &axes[d]);
        lo[d] = cg_index_value(f, axes[d].lo);
        step[d] = cg_index_value(f, axes[d].step);
    }
    LLVMValueRef args[3] = {numbers(f, lo, n, "lo"), numbers(f, step, n, "step"), numbers(f, trips, n, "trips")};
    call(f, function_of(f, offsetof(KdslShadow, domain)), args, 3);
}

/* The arrays of a kernel: its recorded parameters in order, then its `shared` arrays. */
static int arrays_of(Cg *cg, const Func *kernel, const Symbol ***arrays) {
    int n = 0;
    *arrays = arena_array(&cg->c->arena, const Symbol *, kernel->params.n + kernel->group.shared.n + 1);
    for (int i = 0; i < kernel->params.n + kernel->group.shared.n; i++) {
        const Symbol *sym = i < kernel->params.n ? kernel->params.at[i] : kernel->group.shared.at[i - kernel->params.n];
        if (symbol_is_shadowed(sym)) (*arrays)[n++] = sym;
    }
    return n;
}

int cg_shadow_number(Cg *cg, const Func *kernel, const Symbol *array) {
    const Symbol **arrays;
    int n = arrays_of(cg, kernel, &arrays), i = 0;
    while (i < n && arrays[i] != array) i++;
    return i;
}

void cg_shadow_arrays(CgFunc *f, bool shared) {
    const Func *kernel = f->func;
    if (!f->cg->shadows) return;
    const Symbol **arrays;
    int n = arrays_of(f->cg, kernel, &arrays);
    for (int i = 0; i < n; i++) {
        const Symbol *sym = arrays[i];
        if (sym->is_shared != shared) continue;
        bool is_array = sym->type->kind == TY_ARRAY;
        const Slot *slot = &f->slots[sym->id];
        LLVMValueRef ext[MAX_RANK + 1] = {cg_i64(f->cg, 1)};
        for (int d = 0; is_array && d < sym->type->rank; d++) ext[d] = slot->array.ext[d];
        LLVMValueRef at = is_array ? slot->array.data : slot->addr;
        LLVMValueRef args[3] = {cg_i64(f->cg, i), LLVMBuildPtrToInt(f->b, at, f->cg->i64, ""),
                                numbers(f, ext, is_array ? sym->type->rank : 1, "extents")};
        call(f, function_of(f, offsetof(KdslShadow, array)), args, 3);
        if (shared) cg_shadow_cells(f, sym, i);
    }
}

/* Tables ------------------------------------------------------------------------------------------------------ */

typedef struct Parts { /* of an element: its numbers */
    Cg *cg;
    LLVMValueRef names[1024], at[1024];
    char kinds[1025]; /* KdslShadowArray.kinds */
    int n;
    int64_t unit;    /* bytes of each; 0: they differ */
    bool has_names;
} Parts;

static LLVMValueRef text(Cg *cg, const char *s) { return cg_string(cg, s, strlen(s)); }

static void add_parts(Parts *p, const Type *t, int64_t offset, const char *name);

static void add_part(Parts *p, const Type *t, int64_t offset, const char *name) {
    int64_t bytes = type_size_bytes(t);
    if (p->n && bytes != p->unit) p->unit = 0;
    if (!p->n) p->unit = bytes;
    p->has_names |= *name != '\0';
    for (int64_t i = 0; i < bytes; i++) p->at[offset + i] = LLVMConstInt(p->cg->i16, (uint64_t)p->n, false);
    p->kinds[p->n] = t->kind == TY_BOOL ? 'b' : t->is_float ? 'f' : t->is_signed ? 'i' : 'u';
    p->names[p->n++] = text(p->cg, name);
}

static const char *component_name(Arena *a, const char *of, int width, int i) {
    return width > 4 ? arena_printf(a, "%s.s%d", of, i) : arena_printf(a, "%s.%c", of, "xyzw"[i]);
}

static void add_elements(Parts *p, const Type *t, int64_t offset, const char *name) {
    Arena *arena = &p->cg->c->arena;
    int64_t n = 1, bytes = type_size_bytes(t->elem);
    for (int d = 0; d < t->rank; d++) n *= t->extent[d];
    for (int64_t i = 0; i < n; i++) {
        const char *at = "]";
        int64_t rest = i;
        for (int d = t->rank; d-- > 0; rest /= t->extent[d])
            at = arena_printf(arena, "%s%lld%s", d ? ", " : "[", (long long)(rest % t->extent[d]), at);
        add_parts(p, t->elem, offset + i * bytes, arena_printf(arena, "%s%s", name, at));
    }
}

static void add_parts(Parts *p, const Type *t, int64_t offset, const char *name) {
    Arena *arena = &p->cg->c->arena;
    if (t->kind == TY_VECTOR) {
        int64_t bytes = type_size_bytes(t->elem);
        for (int i = 0; i < t->width; i++)
            add_part(p, t->elem, offset + i * bytes, component_name(arena, name, t->width, i));
    } else if (t->kind == TY_FIXED) {
        add_elements(p, t, offset, name);
    } else if (t->kind == TY_STRUCT) {
        LLVMTargetDataRef layout = LLVMGetModuleDataLayout(p->cg->module);
        for (int i = 0; i < t->n_fields; i++) {
            int64_t at = (int64_t)LLVMOffsetOfElement(layout, cg_type(p->cg, t), (unsigned)i);
            add_parts(p, t->fields[i].type, offset + at, arena_printf(arena, "%s.%s", name, t->fields[i].name));
        }
    } else {
        add_part(p, t, offset, name);
    }
}

/* runtime.h, KdslShadowArray. */
static LLVMValueRef array_row(Cg *cg, const Symbol *sym) {
    const Type *elem = sym->type->kind == TY_ARRAY ? sym->type->elem : sym->type;
    int64_t bytes = type_size_bytes(elem);
    Parts *p = arena_new(&cg->c->arena, Parts);
    p->cg = cg;
    for (int64_t i = 0; i < bytes; i++) p->at[i] = LLVMConstInt(cg->i16, UINT16_MAX, false);
    add_parts(p, elem, 0, "");
    if (p->unit * p->n != bytes) p->unit = 0; /* there is padding */
    LLVMValueRef none = LLVMConstNull(cg->ptr);
    KdslMemory memory = symbol_is_fresh(sym) ? KDSL_MEMORY_FRESH : KDSL_MEMORY_GLOBAL;
    if (sym->is_shared) memory = KDSL_MEMORY_SHARED;
    const char *name = sym->part_of ? arena_printf(&cg->c->arena, "%s.%s", sym->part_of->name, sym->name) : sym->name;
    int rank = sym->type->kind == TY_ARRAY ? sym->type->rank : 0;
    LLVMValueRef extents[MAX_RANK];
    for (int d = 0; d < rank; d++) extents[d] = cg_i64(cg, sym->kind == SYM_LOCAL ? frame_facts(sym)->extents[d] : 0);
    Span written = symbol_assumed_written(sym);
    LLVMValueRef v[12] = {text(cg, name), cg_i64(cg, bytes), cg_i64(cg, rank), cg_i64(cg, p->unit), cg_i64(cg, p->n),
                         p->unit ? none : cg_constant_table(cg, "part.at", cg->i16, p->at, (int)bytes),
                         p->has_names ? cg_constant_table(cg, "part.names", cg->ptr, p->names, p->n) : none,
                         text(cg, p->kinds), cg_i64(cg, memory), cg_i64(cg, symbol_is_exposed(sym)),
                         written.hi ? cg_place_string(cg, written) : none,
                         rank ? cg_constant_table(cg, "extents", cg->i64, extents, rank) : none};
    return LLVMConstStructInContext(cg->ctx, v, 12, false);
}

LLVMValueRef cg_shadow_row(Cg *cg, const Symbol *array) {
    const char *name = arena_printf(&cg->c->arena, "kdsl.private.%s.%d", array->func->symbol, array->id);
    LLVMValueRef table = LLVMGetNamedGlobal(cg->module, name), row;
    if (table) return table;
    row = array_row(cg, array);
    return cg_constant_table(cg, name, LLVMTypeOf(row), &row, 1);
}

static LLVMValueRef site_table(Cg *cg) {
    LLVMValueRef table = LLVMGetNamedGlobal(cg->module, "kdsl.touches");
    int n = cg->program->touches.n;
    if (table) return table;
    LLVMValueRef *places = arena_array(&cg->c->arena, LLVMValueRef, n + 1);
    for (int i = 0; i < n; i++) places[i] = cg_place_string(cg, cg->program->touches.at[i].span);
    return cg_constant_table(cg, "kdsl.touches", cg->ptr, places, n);
}

/* runtime.h, KdslShadowKernel. */
static LLVMValueRef kernel_row(Cg *cg, const Func *kernel) {
    const char *name = cg_table_name(cg, kernel, arena_printf(&cg->c->arena, "kdsl.shadow.%s", kernel->symbol));
    LLVMValueRef row = LLVMGetNamedGlobal(cg->module, name);
    if (row) return row;
    if (kernel->is_made) return LLVMAddGlobal(cg->module, cg->ptr, name);
    const Symbol **arrays;
    int n = arrays_of(cg, kernel, &arrays);
    LLVMValueRef *rows = arena_array(&cg->c->arena, LLVMValueRef, n + 1), by[3];
    for (int i = 0; i < n; i++) rows[i] = array_row(cg, arrays[i]);
    for (int d = 0; d < 3; d++) by[d] = cg_i64(cg, kernel->group.items ? kernel->group.by[d] : 0);
    LLVMValueRef v[9] = {text(cg, kernel->name), cg_i64(cg, cg->program->shadow), cg_i64(cg, kernel->domain.n),
                         cg_domain_names(cg, kernel), LLVMConstArray2(cg->i64, by, 3),
                         n ? cg_constant_table(cg, "arrays", LLVMTypeOf(rows[0]), rows, n) : LLVMConstNull(cg->ptr),
                         cg_i64(cg, n), site_table(cg), cg_i64(cg, cg->program->touches.n)};
    LLVMValueRef value = LLVMConstStructInContext(cg->ctx, v, 9, false);
    row = LLVMAddGlobal(cg->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(row, value);
    LLVMSetLinkage(row, LLVMInternalLinkage);
    LLVMSetGlobalConstant(row, true);
    return cg_shared_table(cg, row);
}

LLVMValueRef cg_shadow_launch(CgFunc *f, const Func *kernel) {
    LLVMValueRef row = kernel_row(f->cg, kernel);
    return cg_call_runtime(f, RT_SHADOW_BEGIN, &row, 1);
}

void cg_shadow_launched(CgFunc *f) { cg_call_runtime(f, RT_SHADOW_END, NULL, 0); }
