/* searches.c -- tells LLVM which selections no processor can predict (metadata `unpredictable`): those of a search,
 * whose outcome decides which element is read and compared next, as in a binary search, a descent in a heap, or a
 * merge. Of a good search each outcome is as likely as the other. LLVM makes a branch of a selection by the result of a
 * load, or one around which a loop waits (isFormingBranchFromSelectProfitable in CodeGenPrepare.cpp,
 * X86CmovConversion.cpp), as that pays if outcomes mostly repeat; here every second one would be missed, and the next
 * items' searches, which do not wait for this one, begun again. Runs after the pipeline, which drops metadata where it
 * merges selections. */
#include "irgen/passes/passes.h"

enum { MOST_VALUES = 64 }; /* visited for one selection */

typedef struct Slice {
    LLVMValueRef seen[MOST_VALUES];
    bool loaded[MOST_VALUES]; /* what a load on the way has been given, an address */
    int n;
} Slice;

static void visit(Slice *s, LLVMValueRef v, bool loaded) {
    if (!LLVMIsAInstruction(v) || s->n == MOST_VALUES) return;
    for (int i = 0; i < s->n; i++)
        if (s->seen[i] == v && (s->loaded[i] || !loaded)) return;
    s->seen[s->n] = v;
    s->loaded[s->n++] = loaded;
}

/* Does the condition depend on an element whose address depends on what is selected, in the iteration before? */
static bool is_search(LLVMValueRef select) {
    Slice s = {.n = 0};
    visit(&s, LLVMGetOperand(select, 0), false);
    for (int i = 0; i < s.n; i++) {
        LLVMValueRef v = s.seen[i];
        if (s.loaded[i] && v == select) return true;
        bool loaded = s.loaded[i] || LLVMIsALoadInst(v);
        bool is_phi = LLVMIsAPHINode(v);
        unsigned n = is_phi ? LLVMCountIncoming(v) : LLVMIsACallInst(v) ? 0 : (unsigned)LLVMGetNumOperands(v);
        for (unsigned k = 0; k < n; k++)
            visit(&s, is_phi ? LLVMGetIncomingValue(v, k) : LLVMGetOperand(v, k), loaded);
    }
    return false;
}

static bool is_choice_of_one(LLVMValueRef v) {
    return LLVMIsASelectInst(v) && LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) == LLVMIntegerTypeKind;
}

void cg_mark_searches(Cg *cg) {
    if (cg->target->gpu || cg->options->opt_level < 1) return;
    LLVMValueRef nothing = LLVMMetadataAsValue(cg->ctx, LLVMMDNodeInContext2(cg->ctx, NULL, 0));
    unsigned kind = LLVMGetMDKindIDInContext(cg->ctx, "unpredictable", 13);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v))
                if (is_choice_of_one(v) && is_search(v)) LLVMSetMetadata(v, kind, nothing);
}
