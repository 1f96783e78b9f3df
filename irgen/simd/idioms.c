/* idioms.c -- recognition of loops that count bits (loop idiom recognition): they become instructions of the machine,
 * which vectors have, too, while a loop takes as many rounds as the slowest item of a block.
 *
 *     while x != 0 { x &= x - 1; n += 1; }            n += popcount(x)        (Kernighan)
 *     while x != 0 { n += x & 1; x >>= 1; }           n += popcount(x)
 *     while x != 0 { x >>= 1; n += 1; }               n += 32 - leading_zeros(x)
 *     for b in 32 { n += x >> b & 1; }                n += popcount(x)
 *
 * A loop has no other effect: all that it carries is such a counter, or goes up by the same in each round. */
#include "irgen/simd/simd.h"

#include <string.h>

typedef enum BitLoop { NO_BIT_LOOP, CLEARS_LOWEST, SHIFTS, GOES_THROUGH } BitLoop;

typedef struct Idiom {
    Cg *cg;
    LLVMBasicBlockRef before, head, body;
    LLVMValueRef branch;
    bool leaves_by_true;
    BitLoop kind;
    LLVMValueRef x;       /* the phi whose bits are counted, or, in a loop that goes through them, the number */
    LLVMValueRef counter; /* GOES_THROUGH: of the bits */
} Idiom;

/* Forms ------------------------------------------------------------------------------------------------------------ */

static bool is_op(LLVMValueRef v, LLVMOpcode op) { return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op; }

static bool is_number(LLVMValueRef v, int64_t n) { return LLVMIsAConstantInt(v) && LLVMConstIntGetSExtValue(v) == n; }

static bool is_in(const Idiom *m, LLVMValueRef v) {
    if (!LLVMIsAInstruction(v)) return false;
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(v);
    return bb == m->head || bb == m->body;
}

static LLVMValueRef coming(LLVMValueRef phi, LLVMBasicBlockRef from) {
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == from) return LLVMGetIncomingValue(phi, i);
    return NULL;
}

static LLVMValueRef next_of(const Idiom *m, LLVMValueRef phi) { return coming(phi, m->body); }

/* v is an `op` of a and something, which is returned; NULL: it is not. */
static LLVMValueRef other_operand(LLVMValueRef v, LLVMOpcode op, LLVMValueRef a) {
    if (!is_op(v, op)) return NULL;
    if (LLVMGetOperand(v, 0) == a) return LLVMGetOperand(v, 1);
    return LLVMGetOperand(v, 1) == a ? LLVMGetOperand(v, 0) : NULL;
}

static LLVMValueRef without_casts(LLVMValueRef v) {
    while (is_op(v, LLVMZExt) || is_op(v, LLVMTrunc)) v = LLVMGetOperand(v, 0);
    return v;
}

/* The number of bits that v is shifted by, without what keeps it below the width. */
static LLVMValueRef shifted_by(LLVMValueRef v) {
    LLVMValueRef by = without_casts(LLVMGetOperand(v, 1));
    int64_t most = LLVMGetIntTypeWidth(LLVMTypeOf(v)) - 1;
    bool is_kept = is_op(by, LLVMAnd) && is_number(LLVMGetOperand(by, 1), most);
    return is_kept ? without_casts(LLVMGetOperand(by, 0)) : by;
}

static bool clears_lowest(const Idiom *m, LLVMValueRef x) {
    LLVMValueRef less = other_operand(next_of(m, x), LLVMAnd, x), one = less ? other_operand(less, LLVMAdd, x) : NULL;
    return one && is_number(one, -1);
}

static bool shifts(const Idiom *m, LLVMValueRef x) {
    LLVMValueRef next = next_of(m, x);
    return is_op(next, LLVMLShr) && LLVMGetOperand(next, 0) == x && is_number(LLVMGetOperand(next, 1), 1);
}

/* The last bit of v, of any width? */
static LLVMValueRef last_bit_of(LLVMValueRef v) {
    v = without_casts(v);
    if (!is_op(v, LLVMAnd) || !is_number(LLVMGetOperand(v, 1), 1)) return NULL;
    return without_casts(LLVMGetOperand(v, 0));
}

/* What is added to a sum in each round is a bit of the number. */
static bool is_bit(const Idiom *m, LLVMValueRef added) {
    LLVMValueRef of = last_bit_of(added);
    if (!of) return false;
    if (m->kind == SHIFTS) return of == m->x;
    if (m->kind != GOES_THROUGH || !is_op(of, LLVMLShr) || LLVMGetOperand(of, 0) != m->x) return false;
    return shifted_by(of) == m->counter;
}

static LLVMValueRef added_to(const Idiom *m, LLVMValueRef phi) { return other_operand(next_of(m, phi), LLVMAdd, phi); }

/* The loop --------------------------------------------------------------------------------------------------------- */

static bool only_phis_and_test(const Idiom *m) {
    LLVMValueRef v = LLVMGetFirstInstruction(m->head);
    while (LLVMIsAPHINode(v)) {
        if (LLVMCountIncoming(v) != 2 || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind) return false;
        v = LLVMGetNextInstruction(v);
    }
    return v == LLVMGetCondition(m->branch) && LLVMGetNextInstruction(v) == m->branch;
}

static bool is_without_effect(const Idiom *m) {
    for (LLVMValueRef v = LLVMGetFirstInstruction(m->body); v; v = LLVMGetNextInstruction(v)) {
        if (LLVMIsATerminatorInst(v)) continue;
        if (!LLVMIsABinaryOperator(v) && !LLVMIsACastInst(v)) return false;
        for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
            if (!is_in(m, LLVMGetUser(u))) return false;
    }
    return true;
}

static int n_predecessors(LLVMBasicBlockRef bb, LLVMBasicBlockRef except, LLVMBasicBlockRef *other) {
    int n = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(bb)); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsATerminatorInst(user)) continue;
        n++;
        if (LLVMGetInstructionParent(user) != except) *other = LLVMGetInstructionParent(user);
    }
    return n;
}

/* A header that tests, and a body. */
static bool find_blocks(Idiom *m, LLVMBasicBlockRef head) {
    *m = (Idiom){.cg = m->cg, .head = head, .branch = LLVMGetBasicBlockTerminator(head)};
    if (!LLVMIsABranchInst(m->branch) || !LLVMIsConditional(m->branch)) return false;
    for (unsigned i = 0; i < 2 && !m->body; i++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(m->branch, i), other = NULL;
        LLVMValueRef back = LLVMGetBasicBlockTerminator(to);
        bool is_body = LLVMIsABranchInst(back) && !LLVMIsConditional(back) && LLVMGetSuccessor(back, 0) == head;
        if (!is_body || n_predecessors(to, head, &other) != 1) continue;
        m->body = to;
        m->leaves_by_true = i == 1;
    }
    return m->body && n_predecessors(head, m->body, &m->before) == 2 && m->before && only_phis_and_test(m) &&
           is_without_effect(m);
}

/* By the test of the header: x != 0, or counter < width. */
static bool find_kind(Idiom *m) {
    LLVMValueRef test = LLVMGetCondition(m->branch), a = LLVMGetOperand(test, 0), b = LLVMGetOperand(test, 1);
    if (!LLVMIsAICmpInst(test) || !LLVMIsAPHINode(a) || LLVMGetInstructionParent(a) != m->head) return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(test);
    if (is_number(b, 0) && p == (m->leaves_by_true ? LLVMIntEQ : LLVMIntNE)) {
        m->x = a;
        m->kind = clears_lowest(m, a) ? CLEARS_LOWEST : shifts(m, a) ? SHIFTS : NO_BIT_LOOP;
        return m->kind != NO_BIT_LOOP;
    }
    bool is_below = m->leaves_by_true ? p == LLVMIntEQ || p == LLVMIntSGE || p == LLVMIntUGE
                                      : p == LLVMIntNE || p == LLVMIntSLT || p == LLVMIntULT;
    LLVMValueRef step = added_to(m, a);
    if (!is_below || !step || !is_number(step, 1) || !is_number(coming(a, m->before), 0)) return false;
    m->kind = GOES_THROUGH;
    m->counter = a;
    for (LLVMValueRef v = LLVMGetFirstInstruction(m->body); v && !m->x; v = LLVMGetNextInstruction(v))
        if (is_op(v, LLVMLShr) && shifted_by(v) == a) m->x = LLVMGetOperand(v, 0);
    return m->x && !is_in(m, m->x) && is_number(b, LLVMGetIntTypeWidth(LLVMTypeOf(m->x)));
}

static bool is_known(const Idiom *m, LLVMValueRef phi) {
    if (phi == m->x || phi == m->counter) return true;
    LLVMValueRef added = added_to(m, phi);
    return added && (!is_in(m, added) || is_bit(m, added));
}

/* Code ------------------------------------------------------------------------------------------------------------- */

static LLVMValueRef resized(const Idiom *m, LLVMValueRef v, LLVMTypeRef t) {
    return LLVMBuildIntCast2(m->cg->b, v, t, false, "");
}

static LLVMValueRef intrinsic(const Idiom *m, const char *name, LLVMValueRef *args, unsigned n) {
    LLVMTypeRef t = LLVMTypeOf(args[0]);
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(m->cg->module, id, &t, 1);
    return LLVMBuildCall2(m->cg->b, LLVMGlobalGetValueType(fn), fn, args, n, "");
}

/* Rounds of the loop. */
static LLVMValueRef rounds_of(const Idiom *m, LLVMValueRef x, LLVMValueRef ones) {
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef width = LLVMConstInt(t, LLVMGetIntTypeWidth(t), false);
    if (m->kind != SHIFTS) return m->kind == CLEARS_LOWEST ? ones : width;
    LLVMValueRef args[2] = {x, LLVMConstNull(m->cg->i1)};
    return LLVMBuildSub(m->cg->b, width, intrinsic(m, "llvm.ctlz", args, 2), "");
}

static LLVMValueRef value_behind(const Idiom *m, LLVMValueRef phi, LLVMValueRef ones, LLVMValueRef rounds) {
    LLVMTypeRef t = LLVMTypeOf(phi);
    if (phi == m->x) return LLVMConstNull(t);
    LLVMValueRef first = coming(phi, m->before), added = added_to(m, phi);
    if (is_bit(m, added)) return LLVMBuildAdd(m->cg->b, first, resized(m, ones, t), "");
    return LLVMBuildAdd(m->cg->b, first, LLVMBuildMul(m->cg->b, resized(m, rounds, t), added, ""), "");
}

/* The loop is left at once; what it carried is known before. */
static void write(Idiom *m) {
    LLVMBuilderRef b = m->cg->b;
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(m->before);
    LLVMPositionBuilderBefore(b, enter);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(m->branch));
    LLVMValueRef x = m->kind == GOES_THROUGH ? m->x : coming(m->x, m->before);
    LLVMValueRef ones = intrinsic(m, "llvm.ctpop", &x, 1), rounds = rounds_of(m, x, ones);
    for (LLVMValueRef phi = LLVMGetFirstInstruction(m->head); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef behind = value_behind(m, phi, ones, rounds);
        for (LLVMUseRef u = LLVMGetFirstUse(phi), next; u; u = next) {
            LLVMValueRef user = LLVMGetUser(u);
            next = LLVMGetNextUse(u);
            if (is_in(m, user)) continue;
            for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(user); k++)
                if (LLVMGetOperand(user, k) == phi) LLVMSetOperand(user, k, behind);
            next = LLVMGetFirstUse(phi); /* one use may have been several */
            while (next && is_in(m, LLVMGetUser(next))) next = LLVMGetNextUse(next);
        }
    }
    LLVMSetCondition(m->branch, LLVMConstInt(m->cg->i1, m->leaves_by_true, false));
}

static bool is_idiom(Idiom *m, LLVMBasicBlockRef head) {
    if (!find_blocks(m, head) || !find_kind(m)) return false;
    bool counts = false;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(head); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        if (!is_known(m, phi)) return false;
        counts |= phi != m->x && phi != m->counter;
    }
    return counts;
}

bool simd_recognise_idioms(Cg *cg, LLVMValueRef fn) {
    Idiom m = {.cg = cg};
    bool any = false;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        if (!is_idiom(&m, bb)) continue;
        write(&m);
        any = true;
    }
    return any;
}
