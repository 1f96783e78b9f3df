/* shadow_private.c -- --check=init for arrays of a work item that are declared without values: each byte of such an
 * array has one that says whether it has been written, in the frame beside it, so that nothing but a read without a
 * value needs the runtime. Of an array that lives across barriers, each item of the group has its own bytes. What is
 * passed to a function that may write it counts as written from then on. */
#include "irgen/lang/lang.h"

#include <stddef.h>
#include <string.h>

#include "runtime/runtime.h"

enum { FLAG_ALIGN = 8 };

static LLVMValueRef *flags_at(CgFunc *f, const Symbol *sym) {
    size_t n = (size_t)f->func->n_symbols + 1;
    if (!f->shadow_private) f->shadow_private = arena_array(&f->cg->c->arena, LLVMValueRef, n);
    return &f->shadow_private[sym->id];
}

static uint64_t room_of(CgFunc *f, const Symbol *sym) {
    uint64_t bytes = LLVMConstIntGetZExtValue(cg_array_bytes(f, &f->slots[sym->id].array));
    return (bytes + FLAG_ALIGN - 1) / FLAG_ALIGN * FLAG_ALIGN;
}

/* NULL: what happens to it is not recorded. Between the segments of a group, those of its first item. */
static LLVMValueRef flags_of(CgFunc *f, const Symbol *sym) {
    bool is_ours = sym && sym->kind == SYM_LOCAL && !sym->is_shared && sym->func == f->func && sym->id >= 0;
    LLVMValueRef flags = f->cg->shadows && is_ours && f->shadow_private ? *flags_at(f, sym) : NULL;
    if (!flags || !f->slots[sym->id].kept || !f->group_item) return flags;
    LLVMTypeRef of_item = LLVMArrayType2(f->cg->i8, room_of(f, sym));
    return LLVMBuildInBoundsGEP2(f->b, of_item, flags, &f->group_item, 1, "");
}

static void set_all(CgFunc *f, const Symbol *sym, LLVMValueRef flags, int value) {
    LLVMValueRef byte = LLVMConstInt(f->cg->i8, (unsigned)value, false);
    LLVMBuildMemSet(f->b, flags, byte, cg_array_bytes(f, &f->slots[sym->id].array), FLAG_ALIGN);
}

void cg_private_declare(CgFunc *f, const Symbol *sym, bool has_value) {
    if (!f->cg->shadows || has_value || !symbol_is_shadowed(sym)) return;
    LLVMValueRef *flags = flags_at(f, sym);
    uint64_t items = f->slots[sym->id].kept ? (uint64_t)f->func->group.items : 1;
    if (!*flags) {
        *flags = cg_alloca(f, LLVMArrayType2(f->cg->i8, room_of(f, sym) * items), "is_set");
        LLVMSetAlignment(*flags, FLAG_ALIGN);
    }
    set_all(f, sym, flags_of(f, sym), 0);
}

void cg_private_written(CgFunc *f, const Symbol *sym) {
    LLVMValueRef flags = flags_of(f, sym);
    if (flags) set_all(f, sym, flags, 1);
}

static void report_unset(CgFunc *f, int touch, LLVMValueRef offset, LLVMValueRef flags, int64_t bytes) {
    LLVMValueRef row = cg_shadow_row(f->cg, f->cg->program->touches.at[touch - 1].array);
    LLVMValueRef args[5] = {row, flags, offset, cg_i64(f->cg, bytes), cg_i64(f->cg, touch)};
    LLVMTypeRef params[5] = {f->cg->ptr, f->cg->ptr, f->cg->i64, f->cg->i64, f->cg->i64};
    LLVMValueRef at = cg_i64(f->cg, (int64_t)offsetof(KdslShadow, unset));
    LLVMValueRef field = LLVMBuildInBoundsGEP2(f->b, f->cg->i8, cg_shadow(f), &at, 1, "");
    LLVMValueRef fn = LLVMBuildLoad2(f->b, f->cg->ptr, field, "");
    LLVMBuildCall2(f->b, LLVMFunctionType(f->cg->void_, params, 5, false), fn, args, 5, "");
}

/* True: the access is one of memory of the item. */
bool cg_touch_private(CgFunc *f, CgTouch how, int touch, LLVMValueRef at, int64_t bytes) {
    const Symbol *sym = f->cg->program->touches.at[touch - 1].array;
    bool is_private = sym->kind == SYM_LOCAL && !sym->is_shared;
    LLVMValueRef flags = flags_of(f, sym);
    if (!is_private || !flags || !bytes) return is_private;
    LLVMValueRef base = LLVMBuildPtrToInt(f->b, f->slots[sym->id].array.data, f->cg->i64, "");
    LLVMValueRef offset = LLVMBuildSub(f->b, LLVMBuildPtrToInt(f->b, at, f->cg->i64, ""), base, "");
    LLVMValueRef place = LLVMBuildInBoundsGEP2(f->b, f->cg->i8, flags, &offset, 1, "");
    if (how != TOUCH_READ) {
        LLVMBuildMemSet(f->b, place, LLVMConstInt(f->cg->i8, 1, false), cg_i64(f->cg, bytes), 1);
        return true;
    }
    LLVMBasicBlockRef unset = cg_block(f, "unset"), done = cg_block(f, "is_set");
    LLVMTypeRef type = LLVMIntTypeInContext(f->cg->ctx, 8 * (unsigned)bytes);
    if (bytes <= 8) {
        LLVMValueRef found = LLVMBuildLoad2(f->b, type, place, "");
        LLVMSetAlignment(found, 1);
        LLVMValueRef ones = LLVMConstInt(type, UINT64_C(0x0101010101010101), false);
        LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntEQ, found, ones, ""), done, unset);
    } else {
        cg_goto(f, unset);
    }
    cg_enter(f, unset);
    report_unset(f, touch, offset, flags, bytes);
    cg_goto(f, done);
    cg_enter(f, done);
    return true;
}
