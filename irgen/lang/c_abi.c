/* c_abi.c -- how C functions take and return values: System V Application Binary Interface, AMD64, section 3.2.3
 * ("Parameter Passing"). A struct or vector of at most 16 bytes is passed as one or two words of 8 bytes in registers,
 * each in a register for integers if any number in it is one, else in one for floats. Both words are in registers or
 * none is. Others are copied to the stack; results are written where the caller says.
 *
 * In the header a vector is a struct of numbers with an alignment (driver/header.c), and so it is here. */
#include "irgen/lang/lang.h"

#include <string.h>

enum { WORD = 8, MOST_BYTES = 2 * WORD };

void cg_c_begin(CgC *c, Cg *cg, const Type *result) {
    *c = (CgC){.cg = cg, .n_int = 6, .n_float = 8};
    c->result = cg_c_result(c, result);
    if (c->result.way == C_IN_MEMORY) c->n_int--; /* its address */
}

/* signext, zeroext, or NULL: fills its register. */
static const char *extension(const Type *t) {
    if (t->kind == TY_BOOL) return "zeroext";
    if (!t->is_int || t->bits >= 32) return NULL;
    return t->is_signed ? "signext" : "zeroext";
}

/* Which words have integers? */
static void classify(const Type *t, int64_t at, bool has_integer[2]) {
    bool is_vector = t->kind == TY_VECTOR, is_many = is_vector || t->kind == TY_FIXED;
    int64_t n_bytes = is_many ? type_size_bytes(t->elem) : 0, all = is_vector ? n_bytes * t->width : type_size_bytes(t);
    for (int64_t i = 0; is_many && i < all; i += n_bytes) classify(t->elem, at + i, has_integer);
    for (int i = 0; i < t->n_fields; i++) classify(t->fields[i].type, at + t->fields[i].offset, has_integer);
    if (!is_many && t->kind != TY_STRUCT) has_integer[at / WORD] |= !t->is_float;
}

static CPassing of_parts(CgC *c, const Type *t) {
    bool has_integer[2] = {false, false};
    int n = (int)((type_size_bytes(t) + WORD - 1) / WORD), n_int = 0;
    CPassing p = {.way = C_IN_MEMORY, .type = t};
    if (type_size_bytes(t) > MOST_BYTES) return p;
    classify(t, 0, has_integer);
    for (int i = 0; i < n; i++) {
        n_int += has_integer[i];
        p.word[i] = has_integer[i] ? c->cg->i64 : c->cg->f64;
    }
    if (n_int > c->n_int || n - n_int > c->n_float) return p;
    c->n_int -= n_int;
    c->n_float -= n - n_int;
    p.way = C_IN_WORDS;
    p.n_words = n;
    return p;
}

CPassing cg_c_param(CgC *c, const Type *t, bool by_reference) {
    if (!by_reference && type_is_parts(t)) return of_parts(c, t);
    bool is_float = !by_reference && t->is_float;
    int *left = is_float ? &c->n_float : &c->n_int;
    if (*left) --*left;
    return (CPassing){.way = C_DIRECT, .type = t, .n_words = 1, .word = {by_reference ? c->cg->ptr : cg_type(c->cg, t)},
                      .extension = by_reference ? NULL : extension(t)};
}

/* Results have registers of their own. */
CPassing cg_c_result(CgC *c, const Type *t) {
    CgC own = {.cg = c->cg, .n_int = 2, .n_float = 2};
    if (type_is_parts(t)) return of_parts(&own, t);
    return (CPassing){.way = C_DIRECT, .type = t, .n_words = 1, .word = {cg_type(c->cg, t)}, .extension = extension(t)};
}

/* Types ------------------------------------------------------------------------------------------------------------ */

int cg_c_types(Cg *cg, const CPassing *p, LLVMTypeRef *types) {
    if (p->way == C_IN_MEMORY) types[0] = cg->ptr;
    for (int i = 0; i < p->n_words; i++) types[i] = p->word[i];
    return p->way == C_IN_MEMORY ? 1 : p->n_words;
}

LLVMTypeRef cg_c_result_type(Cg *cg, const CPassing *p) {
    LLVMTypeRef words[2] = {p->word[0], p->word[1]};
    if (p->way == C_IN_MEMORY) return cg->void_;
    return p->n_words == 1 ? p->word[0] : LLVMStructTypeInContext(cg->ctx, words, 2, false);
}

/* Of parameter `at`, for a function or a call. */
static void attributes(Cg *cg, const CPassing *p, const char *of_memory, LLVMValueRef v, unsigned at,
                       void (*add)(LLVMValueRef, LLVMAttributeIndex, LLVMAttributeRef)) {
    if (p->extension) add(v, at, cg_attr(cg, p->extension, 0));
    if (p->way != C_IN_MEMORY) return;
    unsigned kind = LLVMGetEnumAttributeKindForName(of_memory, strlen(of_memory));
    int64_t align = type_align_bytes(p->type);
    add(v, at, LLVMCreateTypeAttribute(cg->ctx, kind, cg_type_mem(cg, p->type)));
    add(v, at, cg_attr(cg, "align", (uint64_t)(align < WORD ? WORD : align)));
}

void cg_c_param_attributes(Cg *cg, const CPassing *p, LLVMValueRef v, int first) {
    bool is_call = LLVMIsAFunction(v) == NULL;
    attributes(cg, p, "byval", v, (unsigned)first + 1,
               is_call ? LLVMAddCallSiteAttribute : LLVMAddAttributeAtIndex);
}

void cg_c_result_attributes(Cg *cg, const CPassing *p, LLVMValueRef call) {
    bool in_memory = p->way == C_IN_MEMORY;
    attributes(cg, p, "sret", call, in_memory ? 1 : LLVMAttributeReturnIndex, LLVMAddCallSiteAttribute);
}

/* Values ----------------------------------------------------------------------------------------------------------- */

/* Memory for a value of the type, and whole words. */
LLVMValueRef cg_c_memory(CgFunc *f, const Type *t) {
    int64_t n_bytes = type_size_bytes(t), align = type_align_bytes(t);
    if (n_bytes < MOST_BYTES) n_bytes = MOST_BYTES;
    LLVMValueRef at = cg_alloca(f, LLVMArrayType2(f->cg->i8, (uint64_t)n_bytes), "");
    LLVMSetAlignment(at, (unsigned)(align < WORD ? WORD : align));
    return at;
}

static LLVMValueRef word_at(LLVMBuilderRef b, Cg *cg, LLVMValueRef at, int i) {
    LLVMValueRef offset = cg_i64(cg, i * WORD);
    return LLVMBuildInBoundsGEP2(b, cg->i8, at, &offset, 1, "");
}

int cg_c_give(CgFunc *f, const CPassing *p, CgValue v, LLVMValueRef *args) {
    if (p->way == C_DIRECT) {
        args[0] = v.v;
        return 1;
    }
    LLVMValueRef at = cg_c_memory(f, p->type);
    cg_store(f, cg_variable(at, (Type *)p->type), v);
    args[0] = at;
    if (p->way == C_IN_MEMORY) return 1;
    for (int i = 0; i < p->n_words; i++) args[i] = LLVMBuildLoad2(f->b, p->word[i], word_at(f->b, f->cg, at, i), "");
    return p->n_words;
}

/* The words that C passes as parameters `first` ..., or a pointer to the value, are stored at `to`, which has room for
 * whole words. */
void cg_c_take(Cg *cg, const CPassing *p, LLVMValueRef fn, int first, LLVMValueRef to) {
    LLVMBuilderRef b = cg->b;
    if (p->way == C_IN_MEMORY) {
        unsigned align = (unsigned)(type_align_bytes(p->type) < WORD ? 1 : WORD);
        LLVMBuildMemCpy(b, to, align, LLVMGetParam(fn, (unsigned)first), align, cg_i64(cg, type_size_bytes(p->type)));
        return;
    }
    for (int i = 0; i < p->n_words; i++) {
        LLVMValueRef v = LLVMGetParam(fn, (unsigned)(first + i));
        if (LLVMTypeOf(v) == cg->i1) v = LLVMBuildZExt(b, v, cg->i8, "");
        LLVMBuildStore(b, v, word_at(b, cg, to, i));
    }
}

LLVMValueRef cg_c_returned(CgFunc *f, const CPassing *p, LLVMValueRef call, LLVMValueRef memory) {
    if (p->way == C_DIRECT) return call;
    for (int i = 0; p->way == C_IN_WORDS && i < p->n_words; i++) {
        LLVMValueRef v = p->n_words == 1 ? call : LLVMBuildExtractValue(f->b, call, (unsigned)i, "");
        LLVMBuildStore(f->b, v, word_at(f->b, f->cg, memory, i));
    }
    return cg_load(f, cg_variable(memory, (Type *)p->type)).v;
}
