/* subwords.c -- sub-word accesses of private memory: where a work item accesses its own memory with elements of several
 * sizes, as the fields of `struct { a: f32, b: u8, c: [i32; 3] }`, each smaller element is accessed as part of a word
 * of the largest size. A load is a load of the word, a shift and a truncation; a store is a read-modify-write.
 *
 * The memory of all items of a block is interleaved by elements of one size (privates.c), which words are. SROA has
 * made registers of whatever it could before: here are objects that an item indexes with a value computed at run time.
 *
 * Legal: an element whose address is a multiple of its size lies in one word, and no other item touches this word. The
 * other bytes of the word keep their values; bytes that have no value yet are frozen. */
#include "irgen/simd/simd.h"

enum { MOST_BYTES = 8, BITS = 8 };

typedef Vec(LLVMValueRef) Accesses;

typedef struct Words {
    Cg *cg;
    LLVMTargetDataRef layout;
    LLVMValueRef object;
    Accesses of;
    uint64_t least, bytes; /* of the smallest access, and of a word */
} Words;

static uint64_t size_of(const Words *w, LLVMTypeRef t) { return LLVMABISizeOfType(w->layout, t); }

static bool is_number(LLVMTypeRef t) {
    LLVMTypeKind k = LLVMGetTypeKind(t);
    return k == LLVMIntegerTypeKind || k == LLVMHalfTypeKind || k == LLVMBFloatTypeKind || k == LLVMFloatTypeKind ||
           k == LLVMDoubleTypeKind;
}

/* Which accesses --------------------------------------------------------------------------------------------------- */

static bool note_access(Words *w, LLVMValueRef access) {
    LLVMTypeRef t = simd_element(access);
    uint64_t bytes = size_of(w, t);
    if (!is_number(t) || LLVMGetVolatile(access) || simd_is_atomic(access)) return false;
    if (bytes > MOST_BYTES || LLVMGetAlignment(access) < bytes || LLVMSizeOfTypeInBits(w->layout, t) != BITS * bytes)
        return false;
    if (!w->least || bytes < w->least) w->least = bytes;
    if (bytes > w->bytes) w->bytes = bytes;
    vec_push(&w->cg->c->arena, &w->of, access);
    return true;
}

/* Through addresses made from `pointer`; false: it has uses of another kind. */
static bool note_accesses(Words *w, LLVMValueRef pointer) {
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (simd_is_call_of(user, "llvm.lifetime.") || simd_is_call_of(user, "llvm.mem")) continue;
        bool is_address = simd_is_access(user) && simd_address(user) == pointer && LLVMGetOperand(user, 0) != pointer;
        if (LLVMIsALoadInst(user) || is_address) {
            if (!note_access(w, user)) return false;
        } else if (!LLVMIsAGetElementPtrInst(user) || LLVMGetOperand(user, 0) != pointer || !note_accesses(w, user)) {
            return false;
        }
    }
    return true;
}

/* Offsets ---------------------------------------------------------------------------------------------------------- */

/* Bytes from the object's beginning: a constant, and what is known at run time only, or NULL. */
typedef struct Offset {
    uint64_t constant;
    LLVMValueRef sum;
    bool in_words; /* what is known at run time is a number of words */
} Offset;

static void add_index(const Words *w, Offset *o, LLVMValueRef index, uint64_t scale) {
    if (LLVMIsAConstantInt(index)) {
        o->constant += (uint64_t)LLVMConstIntGetSExtValue(index) * scale;
        return;
    }
    LLVMBuilderRef b = w->cg->b;
    LLVMValueRef by = LLVMBuildIntCast2(b, index, w->cg->i64, true, "");
    by = LLVMBuildMul(b, by, cg_i64(w->cg, (int64_t)scale), "");
    o->sum = o->sum ? LLVMBuildAdd(b, o->sum, by, "") : by;
    o->in_words &= scale % w->bytes == 0;
}

static Offset offset_of(const Words *w, LLVMValueRef pointer) {
    if (!LLVMIsAGetElementPtrInst(pointer)) return (Offset){0, NULL, true};
    Offset o = offset_of(w, LLVMGetOperand(pointer, 0));
    LLVMTypeRef t = LLVMGetGEPSourceElementType(pointer);
    for (int i = 1; i < LLVMGetNumOperands(pointer); i++) {
        LLVMValueRef index = LLVMGetOperand(pointer, (unsigned)i);
        if (i > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            o.constant += LLVMOffsetOfElement(w->layout, t, field);
            t = LLVMStructGetTypeAtIndex(t, field);
            continue;
        }
        if (i > 1) t = LLVMGetElementType(t);
        add_index(w, &o, index, size_of(w, t));
    }
    return o;
}

/* Accesses of words ------------------------------------------------------------------------------------------------ */

typedef struct Part {
    LLVMTypeRef word;
    LLVMValueRef at;    /* of the word */
    LLVMValueRef shift; /* of the element in it, in bits */
} Part;

static Part part_of(const Words *w, LLVMValueRef access) {
    LLVMBuilderRef b = w->cg->b;
    LLVMTypeRef word = LLVMIntTypeInContext(w->cg->ctx, (unsigned)(BITS * w->bytes));
    Offset o = offset_of(w, simd_address(access));
    LLVMValueRef first = cg_i64(w->cg, (int64_t)(o.constant & ~(w->bytes - 1)));
    LLVMValueRef shift = LLVMConstInt(word, BITS * (o.constant & (w->bytes - 1)), false);
    if (o.sum && o.in_words) {
        first = LLVMBuildAdd(b, o.sum, first, "");
    } else if (o.sum) {
        LLVMValueRef all = LLVMBuildAdd(b, o.sum, cg_i64(w->cg, (int64_t)o.constant), "");
        LLVMValueRef inside = LLVMBuildAnd(b, all, cg_i64(w->cg, (int64_t)w->bytes - 1), "");
        first = LLVMBuildAnd(b, all, cg_i64(w->cg, -(int64_t)w->bytes), "");
        inside = LLVMBuildIntCast2(b, inside, word, false, "");
        shift = LLVMBuildMul(b, inside, LLVMConstInt(word, BITS, false), "");
    }
    return (Part){word, LLVMBuildGEP2(b, w->cg->i8, w->object, &first, 1, ""), shift};
}

static LLVMValueRef load_word(const Words *w, const Part *p) {
    LLVMValueRef v = LLVMBuildLoad2(w->cg->b, p->word, p->at, "");
    LLVMSetAlignment(v, (unsigned)w->bytes);
    return v;
}

static LLVMTypeRef bits_of(const Words *w, LLVMTypeRef t) {
    return LLVMIntTypeInContext(w->cg->ctx, (unsigned)(BITS * size_of(w, t)));
}

static void load_part(const Words *w, LLVMValueRef load) {
    LLVMBuilderRef b = w->cg->b;
    Part p = part_of(w, load);
    LLVMTypeRef t = LLVMTypeOf(load);
    LLVMValueRef v = LLVMBuildLShr(b, load_word(w, &p), p.shift, "");
    v = LLVMBuildBitCast(b, LLVMBuildTrunc(b, v, bits_of(w, t), ""), t, "");
    LLVMReplaceAllUsesWith(load, v);
}

static void store_part(const Words *w, LLVMValueRef store) {
    LLVMBuilderRef b = w->cg->b;
    Part p = part_of(w, store);
    LLVMValueRef v = LLVMGetOperand(store, 0);
    LLVMTypeRef bits = bits_of(w, LLVMTypeOf(v));
    LLVMValueRef mask = LLVMConstInt(p.word, (UINT64_C(1) << LLVMGetIntTypeWidth(bits)) - 1, false);
    LLVMValueRef old = LLVMBuildFreeze(b, load_word(w, &p), "");
    old = LLVMBuildAnd(b, old, LLVMBuildNot(b, LLVMBuildShl(b, mask, p.shift, ""), ""), "");
    v = LLVMBuildZExt(b, LLVMBuildFreeze(b, LLVMBuildBitCast(b, v, bits, ""), ""), p.word, "");
    v = LLVMBuildOr(b, old, LLVMBuildShl(b, v, p.shift, ""), "");
    LLVMSetAlignment(LLVMBuildStore(b, v, p.at), (unsigned)w->bytes);
}

static bool use_words(Words *w) {
    w->bytes = w->least = 0;
    if (!note_accesses(w, w->object) || w->least == w->bytes) return false;
    if (size_of(w, LLVMGetAllocatedType(w->object)) % w->bytes) return false;
    if (LLVMGetAlignment(w->object) < w->bytes) LLVMSetAlignment(w->object, (unsigned)w->bytes);
    unsigned alias = LLVMGetMDKindIDInContext(w->cg->ctx, "tbaa", 4);
    for (int i = 0; i < w->of.n; i++) {
        LLVMValueRef access = w->of.at[i];
        LLVMSetMetadata(access, alias, NULL); /* a word has numbers of several types */
        if (size_of(w, simd_element(access)) == w->bytes) continue;
        LLVMPositionBuilderBefore(w->cg->b, access);
        LLVMSetCurrentDebugLocation2(w->cg->b, LLVMInstructionGetDebugLoc(access));
        if (LLVMIsAStoreInst(access)) store_part(w, access);
        else load_part(w, access);
        LLVMInstructionEraseFromParent(access);
    }
    return true;
}

bool simd_use_words(Cg *cg, LLVMValueRef fn) {
    bool any = false;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn);
    for (LLVMValueRef v = LLVMGetFirstInstruction(entry); v; v = LLVMGetNextInstruction(v)) {
        Words w = {.cg = cg, .layout = LLVMGetModuleDataLayout(cg->module), .object = v};
        if (LLVMIsAAllocaInst(v) && use_words(&w)) any = true;
    }
    return any;
}
