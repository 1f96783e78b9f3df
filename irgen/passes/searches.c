/* searches.c -- tells LLVM which selections no processor can predict (metadata `unpredictable`):
 * - those of a search, whose outcome decides which element is read and compared next, as in a binary search, a descent
 *   in a heap, or a merge. Of a good search each outcome is as likely as the other.
 * - minima and maxima in a recurrence, as in the tables of dynamic programming, where each is of several ways that are
 *   about as good. The largest of many numbers is not among these: it changes the less often the more came before.
 * LLVM makes a branch of a selection by the result of a load, or one around which a loop waits
 * (isFormingBranchFromSelectProfitable in CodeGenPrepare.cpp, X86CmovConversion.cpp), as that pays if outcomes mostly
 * repeat; here every second one would be missed, and the next items' searches, which do not wait for this one, begun
 * again. Runs after the pipeline, which drops metadata where it merges selections. */
#include "irgen/passes/passes.h"

#include <string.h>

enum { MOST_VALUES = 128 }; /* visited for one selection */

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

static void visit_operands(Slice *s, LLVMValueRef v, bool loaded) {
    bool is_phi = LLVMIsAPHINode(v);
    unsigned n = is_phi ? LLVMCountIncoming(v) : LLVMIsACallInst(v) ? LLVMGetNumArgOperands(v)
                                                                    : (unsigned)LLVMGetNumOperands(v);
    for (unsigned k = 0; k < n; k++) visit(s, is_phi ? LLVMGetIncomingValue(v, k) : LLVMGetOperand(v, k), loaded);
}

/* Does the condition depend on an element whose address depends on what is selected, in the iteration before? */
static bool is_search(LLVMValueRef select) {
    Slice s = {.n = 0};
    visit(&s, LLVMGetOperand(select, 0), false);
    for (int i = 0; i < s.n; i++) {
        LLVMValueRef v = s.seen[i];
        if (s.loaded[i] && v == select) return true;
        if (!LLVMIsACallInst(v)) visit_operands(&s, v, s.loaded[i] || LLVMIsALoadInst(v));
    }
    return false;
}

static bool is_choice_of_one(LLVMValueRef v) {
    return LLVMIsASelectInst(v) && LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) == LLVMIntegerTypeKind;
}

/* The comparison of a minimum or maximum of two integers, true if it is the first one; 0: it is none. */
static LLVMIntPredicate extreme_of(LLVMValueRef v) {
    static const struct {
        const char *name;
        LLVMIntPredicate is_first;
    } rows[] = {{"llvm.smin.i", LLVMIntSLT},
                {"llvm.smax.i", LLVMIntSGT},
                {"llvm.umin.i", LLVMIntULT},
                {"llvm.umax.i", LLVMIntUGT}};
    size_t n;
    if (!LLVMIsACallInst(v) || !LLVMIsAFunction(LLVMGetCalledValue(v))) return 0;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(v), &n);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strncmp(name, rows[i].name, strlen(rows[i].name))) return rows[i].is_first;
    return 0;
}

/* The minimum that this one is a part of: min(min(a, b), c). */
static LLVMValueRef whole_of(LLVMValueRef v) {
    for (;;) {
        LLVMUseRef use = LLVMGetFirstUse(v);
        LLVMValueRef user = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
        if (!user || !LLVMIsACallInst(user) || LLVMGetCalledValue(user) != LLVMGetCalledValue(v)) return v;
        v = user;
    }
}

static bool comes_from(LLVMValueRef phi, LLVMValueRef v) {
    unsigned n = LLVMIsAPHINode(phi) ? LLVMCountIncoming(phi) : 0;
    for (unsigned i = 0; i < n; i++)
        if (LLVMGetIncomingValue(phi, i) == v) return true;
    return false;
}

/* The largest of all so far, and nothing else: max(max(most, a), b), with its parts. */
static bool is_running(LLVMValueRef part, LLVMValueRef whole) {
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef v = LLVMGetOperand(part, k);
        bool is_part = LLVMIsACallInst(v) && LLVMGetCalledValue(v) == LLVMGetCalledValue(whole);
        if (comes_from(v, whole) || (is_part && whole_of(v) == whole && is_running(v, whole))) return true;
    }
    return false;
}

/* Does it depend on itself, in the iteration before, and on elements? How far a loop goes does not. */
static bool is_of_recurrence(LLVMValueRef v) {
    Slice s = {.n = 0};
    bool itself = false, elements = false;
    visit_operands(&s, v, false);
    for (int i = 0; i < s.n; i++) {
        bool is_element = LLVMIsALoadInst(s.seen[i]);
        itself |= s.seen[i] == v;
        elements |= is_element;
        if (!is_element) visit_operands(&s, s.seen[i], false);
    }
    return itself && elements && !is_running(whole_of(v), whole_of(v));
}

static LLVMValueRef as_selection(Cg *cg, LLVMValueRef v) {
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    LLVMPositionBuilderBefore(cg->b, v);
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(v));
    LLVMValueRef select = LLVMBuildSelect(cg->b, LLVMBuildICmp(cg->b, extreme_of(v), a, b, ""), a, b, "");
    LLVMReplaceAllUsesWith(v, select);
    LLVMInstructionEraseFromParent(v);
    return select;
}

void cg_mark_searches(Cg *cg) {
    if (cg->target->gpu || cg->options->opt_level < 1) return;
    LLVMValueRef nothing = LLVMMetadataAsValue(cg->ctx, LLVMMDNodeInContext2(cg->ctx, NULL, 0));
    unsigned kind = LLVMGetMDKindIDInContext(cg->ctx, "unpredictable", 13);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef v = LLVMGetFirstInstruction(bb), next; v; v = next) {
                next = LLVMGetNextInstruction(v);
                if (is_choice_of_one(v) && is_search(v)) LLVMSetMetadata(v, kind, nothing);
                if (extreme_of(v) && is_of_recurrence(v)) LLVMSetMetadata(as_selection(cg, v), kind, nothing);
            }
}
