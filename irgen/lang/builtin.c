/* builtin.c -- built-in functions. A row of builtin.def with INTRINSIC or LIBM needs no code here; a row with CODE has
 * a function. Kernels call the mathematical functions of irgen/math where there are any (lang/math.c): in the last
 * bits their results may differ from those on the host, which come from libm. */
#include "irgen/lang/lang.h"

#include <string.h>

typedef struct Lowering {
    const char *name, *intrinsic, *libm;
    CgValue (*code)(CgFunc *f, Expr *e);
} Lowering;

static Expr *arg(Expr *e, int i) { return e->call.args.at[i].value; }

enum { MAX_MATH_ARGS = 3 };

static CgValue math(CgFunc *f, Expr *e, const Lowering *row) {
    int n = e->call.args.n;
    CgValue v[MAX_MATH_ARGS];
    LLVMValueRef args[MAX_MATH_ARGS];
    for (int i = 0; i < n; i++) {
        v[i] = cg_widen_half(f, cg_convert(f, cg_expr(f, arg(e, i)), e->type));
        args[i] = v[i].v;
    }
    cg_debug_at(f, e->span);
    LLVMTypeRef fn_type;
    LLVMValueRef fn = cg_math(f->cg, row->name, v[0].type, n, &fn_type);
    if (!fn && row->intrinsic) {
        LLVMTypeRef over = LLVMTypeOf(args[0]);
        CgValue r = cg_value(cg_intrinsic(f, row->intrinsic, &over, 1, args, n), v[0].type);
        return cg_convert(f, r, e->type);
    }
    if (!fn) fn = cg_libm(f->cg, row->libm, v[0].type, n, &fn_type);
    return cg_convert(f, cg_value(cg_call(f, fn_type, fn, args, n), v[0].type), e->type);
}

static CgValue unary_intrinsic(CgFunc *f, const char *name, CgValue a) {
    LLVMTypeRef over = LLVMTypeOf(a.v);
    return cg_value(cg_intrinsic(f, name, &over, 1, &a.v, 1), a.type);
}

/* With an error of an ulp of its own, as GPUs' instructions for 1 / sqrt(x) have. */
static void allow_ulp(const Cg *cg, LLVMValueRef v, LLVMFastMathFlags flags) {
    if (!LLVMCanValueUseFastMathFlags(v)) return; /* a constant */
    LLVMSetFastMathFlags(v, flags);
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstReal(cg->f32, 1.0));
    LLVMSetMetadata(v, LLVMGetMDKindIDInContext(cg->ctx, "fpmath", 6),
                    LLVMMetadataAsValue(cg->ctx, LLVMMDNodeInContext2(cg->ctx, &one, 1)));
}

static CgValue lower_rsqrt(CgFunc *f, Expr *e) {
    CgValue root = unary_intrinsic(f, "llvm.sqrt", cg_widen_half(f, cg_expr(f, arg(e, 0))));
    LLVMValueRef quotient = LLVMBuildFDiv(f->b, LLVMConstReal(LLVMTypeOf(root.v), 1.0), root.v, "");
    const Gpu *gpu = f->cg->target->gpu;
    if (gpu && type_of_part(root.type)->kind == TY_F32) {
        allow_ulp(f->cg, root.v, gpu->inverse_root);
        allow_ulp(f->cg, quotient, gpu->inverse_root);
    }
    return cg_convert(f, cg_value(quotient, root.type), e->type);
}

static CgValue lower_isnan(CgFunc *f, Expr *e) {
    CgValue a = cg_widen_half(f, cg_expr(f, arg(e, 0)));
    return cg_value(LLVMBuildFCmp(f->b, LLVMRealUNO, a.v, a.v, ""), e->type);
}

static CgValue lower_isinf(CgFunc *f, Expr *e) {
    CgValue a = unary_intrinsic(f, "llvm.fabs", cg_widen_half(f, cg_expr(f, arg(e, 0))));
    LLVMValueRef inf = LLVMConstReal(LLVMTypeOf(a.v), __builtin_inf());
    return cg_value(LLVMBuildFCmp(f->b, LLVMRealOEQ, a.v, inf, ""), e->type);
}

static CgValue lower_abs(CgFunc *f, Expr *e) {
    CgValue a = cg_convert(f, cg_expr(f, arg(e, 0)), e->type);
    const Type *t = type_of_part(a.type);
    if (t->is_float) return cg_convert(f, unary_intrinsic(f, "llvm.fabs", cg_widen_half(f, a)), a.type);
    if (!t->is_signed) return a;
    LLVMTypeRef over = LLVMTypeOf(a.v);
    LLVMValueRef args[2] = {a.v, LLVMConstNull(f->cg->i1)}; /* the smallest integer stays what it is */
    return cg_value(cg_intrinsic(f, "llvm.abs", &over, 1, args, 2), a.type);
}

/* Zero bits at one end; every bit of 0. */
static CgValue zero_bits(CgFunc *f, Expr *e, const char *name) {
    CgValue a = cg_expr(f, arg(e, 0));
    LLVMTypeRef over = LLVMTypeOf(a.v);
    LLVMValueRef args[2] = {a.v, LLVMConstNull(f->cg->i1)}; /* of 0 it is defined */
    return cg_value(cg_intrinsic(f, name, &over, 1, args, 2), a.type);
}

static CgValue lower_leading_zeros(CgFunc *f, Expr *e) { return zero_bits(f, e, "llvm.ctlz"); }
static CgValue lower_trailing_zeros(CgFunc *f, Expr *e) { return zero_bits(f, e, "llvm.cttz"); }

static CgValue lower_rotate_left(CgFunc *f, Expr *e) {
    CgValue x = cg_expr(f, arg(e, 0)), n = cg_expr(f, arg(e, 1));
    if (x.type->kind == TY_VECTOR) n = cg_convert(f, n, x.type);
    return cg_binary(f, OP_ROL, x, n, NULL, e->span);
}

static CgValue min_or_max(CgFunc *f, Expr *e, bool max) {
    CgValue a = cg_convert(f, cg_expr(f, arg(e, 0)), e->type), b = cg_convert(f, cg_expr(f, arg(e, 1)), e->type);
    return cg_minmax(f, max, a, b);
}

static CgValue lower_min(CgFunc *f, Expr *e) { return min_or_max(f, e, false); }
static CgValue lower_max(CgFunc *f, Expr *e) { return min_or_max(f, e, true); }

static CgValue lower_clamp(CgFunc *f, Expr *e) {
    CgValue v[3];
    for (int i = 0; i < 3; i++) v[i] = cg_convert(f, cg_expr(f, arg(e, i)), e->type);
    return cg_minmax(f, false, cg_minmax(f, true, v[0], v[1]), v[2]);
}

static CgValue lower_len(CgFunc *f, Expr *e) {
    Expr *x = e->call.info->receiver ? e->call.info->receiver : arg(e, 0);
    if (x->type->kind == TY_ARRAY) {
        CgArray a = cg_array(f, x);
        cg_free_made(f, x, &a);
        return cg_value(cg_array_count(f, &a), e->type);
    }
    LLVMValueRef text = cg_expr(f, x).v;
    return cg_value(cg_call_runtime(f, RT_STRLEN, &text, 1), e->type);
}

static CgValue lower_shape(CgFunc *f, Expr *e) {
    CgArray a = cg_array(f, arg(e, 0));
    cg_free_made(f, arg(e, 0), &a);
    return cg_value(a.ext[arg(e, 1)->konst.i], e->type);
}

/* x.at(i, j): zero outside. The load happens only inside. */
static CgValue lower_at(CgFunc *f, Expr *e) {
    CgValue at[MAX_RANK];
    LLVMValueRef inside = NULL;
    for (int d = 0; d < e->call.args.n; d++) at[d] = cg_convert(f, cg_expr(f, arg(e, d)), cg_scalar(f->cg, TY_INDEX));
    CgArray a = cg_array(f, e->call.info->receiver); /* after the indices: a call in one may reallocate it */
    for (int d = 0; d < a.type->rank; d++) {
        LLVMValueRef in = LLVMBuildICmp(f->b, LLVMIntULT, at[d].v, a.ext[d], "");
        inside = inside ? LLVMBuildAnd(f->b, inside, in, "") : in;
    }
    LLVMBasicBlockRef from = LLVMGetInsertBlock(f->b), load = cg_block(f, "inside"), done = cg_block(f, "at");
    cg_branch(f, cg_value(inside, cg_scalar(f->cg, TY_BOOL)), load, done);
    cg_enter(f, load);
    f->check = (CgCheck){.proven = ~0u}; /* it has just been looked at */
    CgPlace element = cg_element(f, &a, at, e->span);
    element.touch = e->touch;
    CgValue v = cg_load(f, element);
    load = LLVMGetInsertBlock(f->b);
    cg_goto(f, done);
    cg_enter(f, done);
    LLVMValueRef phi = LLVMBuildPhi(f->b, LLVMTypeOf(v.v), ""), values[2] = {LLVMConstNull(LLVMTypeOf(v.v)), v.v};
    LLVMBasicBlockRef blocks[2] = {from, load};
    LLVMAddIncoming(phi, values, blocks, 2);
    cg_free_made(f, e->call.info->receiver, &a);
    return cg_value(phi, e->type);
}

static CgValue lower_swap(CgFunc *f, Expr *e) {
    if (frame_facts(arg(e, 0)->name.sym)->in_frame || frame_facts(arg(e, 1)->name.sym)->in_frame) {
        CgArray a = cg_array(f, arg(e, 0)), b = cg_array(f, arg(e, 1));
        cg_frame_swap(f, &a, &b);
        for (int i = 0; i < 2; i++) cg_private_written(f, arg(e, i)->name.sym);
        return cg_value(NULL, e->type);
    }
    LLVMValueRef desc[2];
    CgValue v[2];
    for (int i = 0; i < 2; i++) {
        CgArray a = cg_array(f, arg(e, i));
        desc[i] = cg_array_desc(f, &a);
        v[i] = cg_array_value(f, &a);
    }
    for (int i = 0; i < 2; i++) cg_store_array(f, desc[i], v[1 - i]);
    return cg_value(NULL, e->type);
}

static CgValue lower_args(CgFunc *f, Expr *e) {
    LLVMValueRef n = cg_call_runtime(f, RT_ARGS_COUNT, NULL, 0);
    CgArray a = cg_array_new(f, e->type, &n, e->span);
    Axis all = cg_axis_upto(f, n);
    CgLoop l = cg_loop_begin(f, &all);
    LLVMValueRef text = cg_call_runtime(f, RT_ARGS_AT, &l.i.v, 1);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(f->b, f->cg->ptr, a.data, &l.i.v, 1, "");
    cg_store(f, (CgPlace){at, e->type->elem, true, NULL, 0}, cg_value(text, e->type->elem));
    cg_loop_end(f, &l);
    return cg_array_value(f, &a);
}

/* A program that launches nothing is not registered with libomptarget and has no device to use. */
static CgValue lower_devices(CgFunc *f, Expr *e) {
    bool any = f->cg->options->unit != NULL || f->cg->program->launches;
    return cg_value(any ? cg_call_runtime(f, RT_NUM_DEVICES, NULL, 0) : cg_i32(f->cg, 0), e->type);
}

static CgValue lower_device_name(CgFunc *f, Expr *e) {
    LLVMValueRef args[2] = {cg_place_string(f->cg, e->span), cg_index_value(f, cg_expr(f, arg(e, 0)))};
    return cg_value(cg_call_runtime(f, RT_DEVICE_NAME, args, 2), e->type);
}

static CgValue lower_exit(CgFunc *f, Expr *e) {
    LLVMValueRef status = cg_convert(f, cg_expr(f, arg(e, 0)), cg_scalar(f->cg, TY_I32)).v;
    cg_call_runtime(f, RT_EXIT, &status, 1);
    cg_enter(f, cg_block(f, "after.exit"));
    return cg_value(NULL, e->type);
}

static CgValue lower_copy(CgFunc *f, Expr *e) {
    if (type_owns(e->type)) return cg_own_copy(f, e);
    CgArray a = cg_array(f, arg(e, 0));
    return cg_copy(f, &a, e->span);
}

static CgValue lower_clock(CgFunc *f, Expr *e) {
    return cg_value(cg_call_runtime(f, RT_CLOCK, NULL, 0), e->type);
}

static const Lowering lowering[BUILTIN__COUNT] = {
#define LOWER_INTRINSIC(s) .intrinsic = s
#define LOWER_LIBM(s) .libm = s
#define LOWER_CODE(f) .code = lower_##f
#define BUILTIN(id, name, n_args, args, result, where, value, how) [BUILTIN_##id] = {name, LOWER_##how},
#include "sema/builtin.def"
#undef BUILTIN
};

CgValue cg_builtin(CgFunc *f, Expr *e) {
    const Lowering *row = &lowering[e->call.info->builtin];
    return row->code ? row->code(f, e) : math(f, e, row);
}
