/* aggregates.c -- scalar replacement of aggregate values: structs and arrays that are loaded, stored, chosen or merged
 * as a whole become loads, stores, selects and phis of their parts. LLVM does so for memory of the frame, and elsewhere
 * for structs without padding alone; lanes of a vector are single values. What puts parts together and takes them apart
 * again is folded away afterwards. */
#include "irgen/simd/simd.h"

enum { MOST_PARTS = 64 }; /* of one value: larger ones are arrays to be indexed, in memory */

static unsigned n_parts(LLVMTypeRef t) {
    LLVMTypeKind kind = LLVMGetTypeKind(t);
    if (kind == LLVMArrayTypeKind) return (unsigned)LLVMGetArrayLength2(t);
    return kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(t) : 0;
}

static bool is_aggregate(LLVMTypeRef t) {
    LLVMTypeKind kind = LLVMGetTypeKind(t);
    return kind == LLVMArrayTypeKind || kind == LLVMStructTypeKind;
}

static LLVMTypeRef part_type(LLVMTypeRef t, unsigned i) {
    return LLVMGetTypeKind(t) == LLVMArrayTypeKind ? LLVMGetElementType(t) : LLVMStructGetTypeAtIndex(t, i);
}

static uint64_t part_offset(LLVMTargetDataRef layout, LLVMTypeRef t, unsigned i) {
    if (LLVMGetTypeKind(t) == LLVMStructTypeKind) return LLVMOffsetOfElement(layout, t, i);
    return i * LLVMABISizeOfType(layout, LLVMGetElementType(t));
}

static uint64_t all_parts(LLVMTypeRef t) {
    if (!is_aggregate(t)) return 1;
    uint64_t sum = 0, n = LLVMGetTypeKind(t) == LLVMArrayTypeKind ? LLVMGetArrayLength2(t) : n_parts(t);
    if (n > MOST_PARTS) return n;
    for (unsigned i = 0; i < n && sum <= MOST_PARTS; i++) sum += all_parts(part_type(t, i));
    return sum;
}

/* Memory -------------------------------------------------------------------------------------------------------- */

typedef struct Memory {
    LLVMBuilderRef b;
    LLVMTargetDataRef layout;
    LLVMValueRef pointer;
    unsigned align; /* of the whole */
} Memory;

static LLVMValueRef part_at(const Memory *p, uint64_t offset, unsigned *align) {
    uint64_t both = p->align | offset;
    LLVMTypeRef i8 = LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(p->pointer)));
    LLVMValueRef by = LLVMConstInt(LLVMInt64TypeInContext(LLVMGetTypeContext(i8)), offset, false);
    *align = (unsigned)(both & (0 - both));
    return offset ? LLVMBuildInBoundsGEP2(p->b, i8, p->pointer, &by, 1, "") : p->pointer;
}

static LLVMValueRef load_parts(const Memory *p, LLVMTypeRef t, uint64_t offset) {
    if (!is_aggregate(t)) {
        unsigned align;
        LLVMValueRef at = part_at(p, offset, &align), v = LLVMBuildLoad2(p->b, t, at, "");
        LLVMSetAlignment(v, align);
        return v;
    }
    LLVMValueRef whole = LLVMGetPoison(t);
    for (unsigned i = 0; i < n_parts(t); i++) {
        LLVMValueRef part = load_parts(p, part_type(t, i), offset + part_offset(p->layout, t, i));
        whole = LLVMBuildInsertValue(p->b, whole, part, i, "");
    }
    return whole;
}

static void store_parts(const Memory *p, LLVMValueRef v, uint64_t offset) {
    LLVMTypeRef t = LLVMTypeOf(v);
    if (!is_aggregate(t)) {
        unsigned align;
        LLVMValueRef at = part_at(p, offset, &align);
        LLVMSetAlignment(LLVMBuildStore(p->b, v, at), align);
        return;
    }
    for (unsigned i = 0; i < n_parts(t); i++)
        store_parts(p, LLVMBuildExtractValue(p->b, v, i, ""), offset + part_offset(p->layout, t, i));
}

/* Values, one level at a time ------------------------------------------------------------------------------------- */

static LLVMValueRef split_phi(LLVMBuilderRef b, LLVMValueRef phi) {
    LLVMTypeRef t = LLVMTypeOf(phi);
    LLVMValueRef after = phi, whole = LLVMGetPoison(t);
    while (LLVMIsAPHINode(after)) after = LLVMGetNextInstruction(after);
    for (unsigned i = 0; i < n_parts(t); i++) {
        LLVMPositionBuilderBefore(b, phi);
        LLVMValueRef part = LLVMBuildPhi(b, part_type(t, i), "");
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
            LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(from));
            LLVMValueRef v = LLVMBuildExtractValue(b, LLVMGetIncomingValue(phi, k), i, "");
            LLVMAddIncoming(part, &v, &from, 1);
        }
        LLVMPositionBuilderBefore(b, after);
        whole = LLVMBuildInsertValue(b, whole, part, i, "");
    }
    return whole;
}

static LLVMValueRef split_choice(LLVMBuilderRef b, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    bool is_select = LLVMIsASelectInst(v) != NULL;
    LLVMValueRef whole = LLVMGetPoison(t);
    for (unsigned i = 0; i < n_parts(t); i++) {
        LLVMValueRef part = LLVMBuildExtractValue(b, LLVMGetOperand(v, is_select), i, "");
        if (is_select) {
            LLVMValueRef other = LLVMBuildExtractValue(b, LLVMGetOperand(v, 2), i, "");
            part = LLVMBuildSelect(b, LLVMGetOperand(v, 0), part, other, "");
        } else {
            part = LLVMBuildFreeze(b, part, "");
        }
        whole = LLVMBuildInsertValue(b, whole, part, i, "");
    }
    return whole;
}

/* Vector code has no form for it, but for its parts. */
static bool is_split(LLVMValueRef v) {
    bool is_store = LLVMIsAStoreInst(v) != NULL, is_access = is_store || LLVMIsALoadInst(v);
    LLVMTypeRef t = LLVMTypeOf(is_store ? LLVMGetOperand(v, 0) : v);
    if (!is_aggregate(t) || all_parts(t) > MOST_PARTS || (is_access && LLVMGetVolatile(v))) return false;
    return is_access || LLVMIsAPHINode(v) || LLVMIsASelectInst(v) || LLVMIsAFreezeInst(v);
}

static void split(Cg *cg, LLVMTargetDataRef layout, LLVMValueRef v) {
    LLVMPositionBuilderBefore(cg->b, v);
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(v));
    bool is_store = LLVMIsAStoreInst(v) != NULL;
    if (is_store || LLVMIsALoadInst(v)) {
        Memory p = {cg->b, layout, LLVMGetOperand(v, is_store), LLVMGetAlignment(v)};
        if (is_store) store_parts(&p, LLVMGetOperand(v, 0), 0);
        else LLVMReplaceAllUsesWith(v, load_parts(&p, LLVMTypeOf(v), 0));
    } else {
        LLVMReplaceAllUsesWith(v, LLVMIsAPHINode(v) ? split_phi(cg->b, v) : split_choice(cg->b, v));
    }
    LLVMInstructionEraseFromParent(v);
}

void simd_split_aggregates(Cg *cg, LLVMValueRef fn) {
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cg->module);
    for (bool again = true; again;) { /* parts may have parts */
        again = false;
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef v = LLVMGetFirstInstruction(bb), next; v; v = next) {
                next = LLVMGetNextInstruction(v);
                if (!is_split(v)) continue;
                split(cg, layout, v);
                again = true;
            }
    }
}

/* Parameters ------------------------------------------------------------------------------------------------------- */

static bool is_known_in(LLVMBasicBlockRef entry, LLVMValueRef v) {
    return !LLVMIsAInstruction(v) || LLVMGetInstructionParent(v) == entry;
}

/* Parts of what is the same for all work items, a parameter that is a struct or a vector, are taken outside the loops.
 */
void simd_hoist_parts(Cg *cg, LLVMValueRef fn) {
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn);
    for (LLVMBasicBlockRef bb = LLVMGetNextBasicBlock(entry); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef v = LLVMGetFirstInstruction(bb), next; v; v = next) {
            next = LLVMGetNextInstruction(v);
            bool is_part =
                LLVMIsAExtractValueInst(v) || (LLVMIsAExtractElementInst(v) && LLVMIsAConstant(LLVMGetOperand(v, 1)));
            if (!is_part || !is_known_in(entry, LLVMGetOperand(v, 0))) continue;
            LLVMInstructionRemoveFromParent(v);
            LLVMPositionBuilderBefore(cg->b, LLVMGetBasicBlockTerminator(entry));
            LLVMInsertIntoBuilder(cg->b, v);
        }
}
