/* debug.c -- debug information: one compile unit, a subprogram for each function and each kernel body, lexical blocks,
 * a line for each instruction, and variables in memory, so that they can be read at any breakpoint. Arrays are dynamic
 * array types: a debugger finds elements and extents through the descriptor. Without -g (cg->di is NULL) all functions
 * here return at once. */
#include "irgen/lang/lang.h"

#include <string.h>
#include <unistd.h>

/* DWARF 4: valgrind 3.19 cannot read LLVM's DWARF 5; lld would also have to merge the sections .debug_names, which
 * DWARF 5 brings, and gdb warns of them if they are only concatenated. */
enum { DWARF_VERSION = 4, ATE_BOOLEAN = 2, ATE_FLOAT = 4, ATE_SIGNED = 5, ATE_UNSIGNED = 7, ATE_UNSIGNED_CHAR = 8 };

static void module_flag(Cg *cg, LLVMModuleFlagBehavior how, const char *name, int v) {
    LLVMAddModuleFlag(cg->module, how, name, strlen(name), LLVMValueAsMetadata(cg_i32(cg, v)));
}

/* LLVM keeps one of each. */
static LLVMMetadataRef file_of(Cg *cg, const Source *source) {
    char dir[4096];
    if (!getcwd(dir, sizeof dir)) dir[0] = 0;
    return LLVMDIBuilderCreateFile(cg->di, source->path, strlen(source->path), dir, strlen(dir));
}

/* llvm/include/llvm/IR/DebugInfoMetadata.h, DebugDirectivesOnly: lines alone. LLVM-C has no constant for it. */
enum { EMIT_LINES_ONLY = 3 };

void cg_debug_begin(Cg *cg) {
    if (!cg->options->debug) return;
    LLVMDWARFEmissionKind kind = cg->options->only_lines ? LLVMDWARFEmissionLineTablesOnly : LLVMDWARFEmissionFull;
    if (cg->target->lines_only) kind = (LLVMDWARFEmissionKind)EMIT_LINES_ONLY;
    module_flag(cg, LLVMModuleFlagBehaviorWarning, "Debug Info Version", (int)LLVMDebugMetadataVersion());
    module_flag(cg, LLVMModuleFlagBehaviorWarning, "Dwarf Version", DWARF_VERSION);
    cg->di = LLVMCreateDIBuilder(cg->module);
    cg->di_file = file_of(cg, cg->program->module->source);
    static const char producer[] = "kdslc";
    cg->di_unit = LLVMDIBuilderCreateCompileUnit(cg->di, LLVMDWARFSourceLanguageC11, cg->di_file, producer,
                                                 sizeof producer - 1, cg->options->opt_level > 0, "", 0, 0, "", 0,
                                                 kind, 0, true, false, "", 0, "", 0);
}

void cg_debug_end(Cg *cg) {
    if (!cg->di) return;
    LLVMDIBuilderFinalize(cg->di);
    LLVMDisposeDIBuilder(cg->di);
    cg->di = NULL;
}

/* Types ------------------------------------------------------------------------------------------------------------ */

static LLVMMetadataRef basic_type(Cg *cg, const Type *t) {
    LLVMDWARFTypeEncoding encoding = ATE_UNSIGNED;
    if (t->kind == TY_BOOL) encoding = ATE_BOOLEAN;
    else if (t->is_float) encoding = ATE_FLOAT;
    else if (t->is_signed) encoding = ATE_SIGNED;
    uint64_t bits = t->kind == TY_BOOL ? 8 : (uint64_t)t->bits;
    return LLVMDIBuilderCreateBasicType(cg->di, t->name, strlen(t->name), bits, encoding, LLVMDIFlagZero);
}

static LLVMMetadataRef debug_type(Cg *cg, const Type *t);

enum { OP_DEREF = 0x06, OP_CONSTU = 0x10, OP_MINUS = 0x1c, OP_PLUS_UCONST = 0x23, OP_PUSH_OBJECT_ADDRESS = 0x97 };

/* DWARF operations on the address of an array's descriptor { data, extents }: load word `field`, perhaps minus 1. */
static LLVMMetadataRef from_descriptor(Cg *cg, int field, bool minus_one) {
    uint64_t ops[] = {OP_PUSH_OBJECT_ADDRESS, OP_PLUS_UCONST, (uint64_t)field * 8, OP_DEREF, OP_CONSTU, 1,
                      OP_MINUS};
    return LLVMDIBuilderCreateExpression(cg->di, ops, minus_one ? 7 : 4);
}

static LLVMMetadataRef array_type(Cg *cg, const Type *t) {
    LLVMMetadataRef ranges[MAX_RANK], index = debug_type(cg, cg_scalar(cg, TY_INDEX));
    for (int d = 0; d < t->rank; d++) {
        LLVMMetadataRef lower = LLVMValueAsMetadata(cg_i64(cg, 0)), upper = from_descriptor(cg, 1 + d, true);
        ranges[d] = LLVMDIBuilderCreateSubrangeType(cg->di, cg->di_unit, "", 0, 0, cg->di_file, 64, 64, LLVMDIFlagZero,
                                                    index, lower, upper, NULL, NULL);
    }
    return LLVMDIBuilderCreateDynamicArrayType(
        cg->di, cg->di_unit, "", 0, 0, cg->di_file, (uint64_t)(t->rank + 1) * 64, 64, debug_type(cg, t->elem), ranges,
        (unsigned)t->rank, from_descriptor(cg, 0, false), NULL, NULL, NULL, NULL);
}

static LLVMMetadataRef text_type(Cg *cg) {
    LLVMMetadataRef c = LLVMDIBuilderCreateBasicType(cg->di, "char", 4, 8, ATE_UNSIGNED_CHAR, LLVMDIFlagZero);
    return LLVMDIBuilderCreatePointerType(cg->di, c, 64, 0, 0, "str", 3);
}

static LLVMMetadataRef vector_type(Cg *cg, const Type *t) {
    LLVMMetadataRef range = LLVMDIBuilderGetOrCreateSubrange(cg->di, 0, t->width);
    return LLVMDIBuilderCreateVectorType(cg->di, (uint64_t)t->size_bytes * 8, (uint32_t)t->align_bytes * 8,
                                         debug_type(cg, t->elem), &range, 1);
}

static LLVMMetadataRef fixed_type(Cg *cg, const Type *t) {
    LLVMMetadataRef ranges[MAX_RANK];
    for (int d = 0; d < t->rank; d++) ranges[d] = LLVMDIBuilderGetOrCreateSubrange(cg->di, 0, t->extent[d]);
    return LLVMDIBuilderCreateArrayType(cg->di, (uint64_t)t->size_bytes * 8, (uint32_t)t->align_bytes * 8,
                                        debug_type(cg, t->elem), ranges, (unsigned)t->rank);
}

static LLVMMetadataRef struct_type(Cg *cg, const Type *t) {
    LLVMMetadataRef *members = arena_array(&cg->c->arena, LLVMMetadataRef, t->n_fields);
    for (int i = 0; i < t->n_fields; i++) {
        const TypeField *f = &t->fields[i];
        members[i] = LLVMDIBuilderCreateMemberType(
            cg->di, cg->di_file, f->name, strlen(f->name), cg->di_file, (unsigned)cg_place(cg, f->span).line,
            (uint64_t)type_size_bytes(f->type) * 8, (uint32_t)type_align_bytes(f->type) * 8, (uint64_t)f->offset * 8,
            LLVMDIFlagZero, debug_type(cg, f->type));
    }
    return LLVMDIBuilderCreateStructType(cg->di, cg->di_file, t->name, strlen(t->name), cg->di_file, 0,
                                         (uint64_t)t->size_bytes * 8, (uint32_t)t->align_bytes * 8, LLVMDIFlagZero,
                                         NULL, members, (unsigned)t->n_fields, 0, NULL, "", 0);
}

/* Structs and vectors of one kind are different types, so they have a list of their own. */
static LLVMMetadataRef type_of_parts(Cg *cg, const Type *t) {
    for (int i = 0; i < cg->di_parts.n; i++)
        if (cg->di_parts.at[i].type == t) return cg->di_parts.at[i].di;
    DebugType made = {t, t->kind == TY_ARRAY    ? array_type(cg, t)
                         : t->kind == TY_VECTOR ? vector_type(cg, t)
                         : t->kind == TY_FIXED  ? fixed_type(cg, t)
                                                : struct_type(cg, t)};
    vec_push(&cg->c->arena, &cg->di_parts, made);
    return made.di;
}

static LLVMMetadataRef debug_type(Cg *cg, const Type *t) {
    const Type *key = t->kind == TY_ARRAY ? t->elem : t;
    if (type_is_parts(key) || key->kind == TY_FIXED) return type_of_parts(cg, t);
    LLVMMetadataRef *cache = &cg->di_types[key->kind][t->kind == TY_ARRAY ? t->rank : 0];
    if (*cache) return *cache;
    *cache = t->kind == TY_ARRAY ? array_type(cg, t) : t->kind == TY_STR ? text_type(cg) : basic_type(cg, t);
    return *cache;
}

/* Functions and places --------------------------------------------------------------------------------------------- */

void cg_debug_function(CgFunc *f, const char *name) {
    Cg *cg = f->cg;
    if (!cg->di) return;
    Place p = cg_place(cg, f->func->name_span);
    LLVMMetadataRef nothing = NULL, file = file_of(cg, p.file);
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(cg->di, cg->di_file, &nothing, 1, LLVMDIFlagZero);
    /* No linkage name: gdb would show that, not the name in the source. */
    LLVMMetadataRef sub = LLVMDIBuilderCreateFunction(cg->di, file, name, strlen(name), "", 0, file, (unsigned)p.line,
                                                      type, true, true, (unsigned)p.line, LLVMDIFlagPrototyped,
                                                      cg->options->opt_level > 0);
    LLVMSetSubprogram(f->fn, sub);
    f->debug_scope = sub;
    cg_debug_at(f, f->func->name_span);
}

static LLVMMetadataRef scope_of(CgFunc *f) {
    for (const Scope *s = f->scope; s; s = s->parent)
        if (s->debug) return s->debug;
    return f->debug_scope;
}

void cg_debug_at(CgFunc *f, Span span) {
    if (!f->debug_scope || !span.hi) return;
    Place p = cg_place(f->cg, span);
    unsigned line = (unsigned)p.line, col = (unsigned)p.col;
    LLVMSetCurrentDebugLocation2(f->b, LLVMDIBuilderCreateDebugLocation(f->cg->ctx, line, col, scope_of(f), NULL));
}

void cg_debug_prologue(CgFunc *f) {
    if (f->debug_scope) LLVMSetCurrentDebugLocation2(f->b, NULL);
}

LLVMMetadataRef cg_debug_block(CgFunc *f, Span span) {
    if (!f->debug_scope || !span.hi) return NULL;
    Place p = cg_place(f->cg, span);
    return LLVMDIBuilderCreateLexicalBlock(f->cg->di, scope_of(f), file_of(f->cg, p.file), (unsigned)p.line,
                                           (unsigned)p.col);
}

/* Variables -------------------------------------------------------------------------------------------------------- */

static void declare(CgFunc *f, const Symbol *s, LLVMValueRef addr, int arg_no, LLVMMetadataRef from_addr) {
    Cg *cg = f->cg;
    Place p = cg_place(cg, s->span);
    unsigned line = (unsigned)p.line;
    LLVMMetadataRef scope = scope_of(f), type = debug_type(cg, s->type), file = file_of(cg, p.file);
    size_t n = strlen(s->name);
    LLVMMetadataRef var =
        arg_no ? LLVMDIBuilderCreateParameterVariable(cg->di, f->debug_scope, s->name, n, (unsigned)arg_no, file,
                                                      line, type, true, LLVMDIFlagZero)
               : LLVMDIBuilderCreateAutoVariable(cg->di, scope, s->name, n, file, line, type, true,
                                                 LLVMDIFlagZero, 0);
    LLVMMetadataRef at = LLVMDIBuilderCreateDebugLocation(cg->ctx, line, (unsigned)p.col,
                                                          arg_no ? f->debug_scope : scope, NULL);
    LLVMDIBuilderInsertDeclareRecordAtEnd(cg->di, addr, var, from_addr, at, LLVMGetInsertBlock(f->b));
}

void cg_debug_variable(CgFunc *f, const Symbol *s, LLVMValueRef addr, int arg_no) {
    if (f->debug_scope && addr && !f->cg->options->only_lines)
        declare(f, s, addr, arg_no, LLVMDIBuilderCreateExpression(f->cg->di, NULL, 0));
}

/* The address itself may be in a register, and gone after its last use. */
void cg_debug_reference(CgFunc *f, const Symbol *s, LLVMValueRef addr, int arg_no) {
    if (!f->debug_scope || f->cg->options->only_lines) return;
    uint64_t deref = OP_DEREF;
    LLVMValueRef copy = cg_alloca(f, f->cg->ptr, s->name);
    LLVMBuildStore(f->b, addr, copy);
    declare(f, s, copy, arg_no, LLVMDIBuilderCreateExpression(f->cg->di, &deref, 1));
}

void cg_debug_value(CgFunc *f, const Symbol *s, LLVMValueRef v, int arg_no) {
    if (!f->debug_scope || f->cg->options->only_lines) return;
    CgValue value = cg_value(v, s->type);
    LLVMValueRef addr = f->slots[s->id].debug_copy;
    bool first = !addr;
    if (first) addr = f->slots[s->id].debug_copy = cg_alloca(f, cg_type_mem(f->cg, s->type), s->name);
    cg_store(f, cg_variable(addr, s->type), value);
    if (first) cg_debug_variable(f, s, addr, arg_no);
}
