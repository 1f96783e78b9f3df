/* file.c -- built-in functions for files and standard input: calls of runtime/file.c, each with the place for its
 * error message. */
#include "irgen/lang/lang.h"

#include <string.h>

static Expr *arg(const Expr *e, int i) { return e->call.args.at[i].value; }

CgValue lower_write_file(CgFunc *f, Expr *e) {
    bool append = e->call.info->builtin == BUILTIN_APPEND_FILE;
    LLVMValueRef path = cg_expr(f, arg(e, 0)).v, at, n;
    Expr *what = arg(e, 1);
    if (what->type->kind == TY_ARRAY) {
        CgArray a = cg_array(f, what);
        at = a.data;
        n = cg_array_bytes(f, &a);
    } else {
        at = cg_expr(f, what).v;
        n = cg_call_runtime(f, RT_STRLEN, &at, 1);
    }
    cg_debug_at(f, e->span);
    LLVMValueRef args[5] = {path, at, n, cg_i32(f->cg, append), cg_place_string(f->cg, e->span)};
    cg_call_runtime(f, RT_WRITE_FILE, args, 5);
    return cg_value(NULL, e->type);
}

CgValue lower_read_array(CgFunc *f, Expr *e) {
    LLVMValueRef path = cg_expr(f, arg(e, 0)).v;
    LLVMValueRef offset = cg_convert(f, cg_expr(f, arg(e, 1)), cg_scalar(f->cg, TY_INDEX)).v;
    CgArray a = cg_array(f, arg(e, 2));
    cg_debug_at(f, e->span);
    LLVMValueRef name = cg_string(f->cg, a.name, strlen(a.name)), rank = cg_i64(f->cg, a.type->rank);
    LLVMValueRef args[8] = {path, offset, a.data, cg_array_bytes(f, &a), name, rank, cg_extents_in_memory(f, 0, &a),
                            cg_place_string(f->cg, e->span)};
    cg_call_runtime(f, RT_READ_ARRAY, args, 8);
    return cg_value(NULL, e->type);
}

/* (path, place) -> a value; without a path: (place) -> a value. */
static LLVMValueRef ask(CgFunc *f, Expr *e, RuntimeId id) {
    LLVMValueRef args[2];
    int n = 0;
    if (e->call.args.n) args[n++] = cg_expr(f, arg(e, 0)).v;
    cg_debug_at(f, e->span);
    if (id != RT_FILE_EXISTS) args[n++] = cg_place_string(f->cg, e->span);
    return cg_call_runtime(f, id, args, n);
}

static CgValue answer(CgFunc *f, Expr *e, RuntimeId id) {
    LLVMValueRef v = ask(f, e, id);
    if (e->type->kind == TY_BOOL) v = LLVMBuildICmp(f->b, LLVMIntNE, v, cg_i32(f->cg, 0), "");
    return cg_value(v, e->type);
}

CgValue lower_read_file(CgFunc *f, Expr *e) { return answer(f, e, RT_READ_FILE); }
CgValue lower_file_exists(CgFunc *f, Expr *e) { return answer(f, e, RT_FILE_EXISTS); }
CgValue lower_file_size(CgFunc *f, Expr *e) { return answer(f, e, RT_FILE_SIZE); }
CgValue lower_read_line(CgFunc *f, Expr *e) { return answer(f, e, RT_READ_LINE); }
CgValue lower_input_ended(CgFunc *f, Expr *e) { return answer(f, e, RT_INPUT_ENDED); }
