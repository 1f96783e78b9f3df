/* stages.c -- loops whose rounds wait for quotients and roots. A machine has only so many registers for what is under
 * way, and gives them back in the order of the program: what waits for a quotient holds up everything behind it. So
 * where a round is a long straight way through divisions, it is cut there into stages, and each turn of the loop does
 * the stages of different rounds: the sums of one, the division of the next but one, and so on. Nothing then waits
 * where it stands. What a stage leaves for later ones is kept in the frame for a few rounds. Each item's operations,
 * and their order in what goes on from round to round, are what they were.
 *
 *     for t in 0..n + 4 {
 *         if t - 4 is a round { its sums }  if t - 2 is { its division }  if t is { what comes before }
 *     }
 *
 * Works on the scalar loop, when it is known how its values change from item to item. */
#include "irgen/simd/simd.h"

enum {
    MOST_STAGES = 4,
    APART = 2,
    KEPT = 8, /* rounds from one stage to the next; for which values are kept */
    LEAST_TRIPS = 32,
    LATENCY = 3,
    LATENCY_FUSED = 4,
    STARTED = 4 /* operations in a cycle */
};

typedef struct Slow { /* cycles, of a vector of at most 256 bits */
    int latency, busy;
} Slow;

typedef struct Stages {
    Cg *cg;
    SimdRegion *g;
    LLVMBuilderRef b;
    SimdCounted c;
    LLVMValueRef turn;         /* counts the loop's turns once it is written again */
    int *stage;                /* by instruction of the loop's block */
    LLVMValueRef *ring;        /* by instruction: where it is kept; NULL: no later stage uses it */
    int last;
} Stages;

/* Which loops -------------------------------------------------------------------------------------------------------
 */

static bool slow(LLVMValueRef v, Slow *is) {
    bool is_root = simd_is_call_of(v, "llvm.sqrt.");
    if (!is_root && !(LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMFDiv)) return false;
    *is = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMDoubleTypeKind ? (Slow){17, 7} : (Slow){12, 4};
    return true;
}

static bool is_slow(LLVMValueRef v) {
    Slow s;
    return slow(v, &s);
}

static bool is_float(LLVMValueRef v) {
    LLVMTypeKind k = LLVMGetTypeKind(LLVMTypeOf(v));
    return k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind;
}

static LLVMValueRef at(const Stages *s, int i) { return s->g->values.at[s->c.of[i]].v; }

/* Of a value among the round's instructions; -1: it is from elsewhere. */
static int place(const Stages *s, LLVMValueRef v) {
    int v_at = value_map_get(s->g->value_of, v);
    for (int i = 0; i < s->c.n && v_at >= 0; i++)
        if (s->c.of[i] == v_at) return i;
    return -1;
}

static bool is_in(const Stages *s, LLVMValueRef v) { return simd_is_in_counted(s->g, &s->c, v); }

/* Stages ------------------------------------------------------------------------------------------------------------
 */

/* Neither seen by anybody else nor dependent on when it is done. */
static bool may_move(LLVMValueRef v) {
    if (LLVMIsALoadInst(v)) return !LLVMGetVolatile(v) && LLVMGetOrdering(v) == LLVMAtomicOrderingNotAtomic;
    if (LLVMIsACallInst(v)) return simd_has_vector_form(v);
    return LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsAGetElementPtrInst(v) || LLVMIsASelectInst(v) ||
           LLVMIsAFCmpInst(v) || LLVMIsAICmpInst(v) || LLVMIsAUnaryOperator(v);
}

/* Carried by the loop from round to round, other than its counter. */
static bool is_carried(const Stages *s, LLVMValueRef v) {
    return LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == s->c.head && v != s->c.counter;
}

/* The stage of an operand's user, as far as that operand has a say: a quotient begins a stage, and what is made of it
 * the next one; what goes on from round to round goes on where it is made. */
static int stage_after(const Stages *s, LLVMValueRef user, LLVMValueRef operand) {
    if (is_carried(s, operand)) {
        int made = place(s, simd_coming(&s->c, operand, true));
        return made < 0 ? 0 : s->stage[made];
    }
    int o = place(s, operand);
    int stage = o < 0 ? 0 : s->stage[o] + (is_slow(user) || is_slow(operand));
    return stage < MOST_STAGES ? stage : MOST_STAGES - 1;
}

/* As early as may be; until nothing moves, for what goes on pulls others along. */
static void find_earliest(Stages *s) {
    for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < s->c.n; i++) {
            LLVMValueRef v = at(s, i);
            for (int k = 0; k < LLVMGetNumOperands(v); k++) {
                int stage = stage_after(s, v, LLVMGetOperand(v, (unsigned)k));
                if (stage <= s->stage[i]) continue;
                s->stage[i] = stage;
                moved = true;
            }
            if (s->stage[i] > s->last) s->last = s->stage[i];
        }
    }
}

/* Places and loads go where they are used first. */
static void find_latest_places(Stages *s) {
    for (int i = s->c.n; i-- > 0;) {
        LLVMValueRef v = at(s, i);
        bool is_place = LLVMIsALoadInst(v) || LLVMIsAGetElementPtrInst(v) || !is_float(v);
        int first = MOST_STAGES;
        for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
            int user = place(s, LLVMGetUser(u));
            if (user >= 0 && s->stage[user] < first) first = s->stage[user];
        }
        if (is_place && first < MOST_STAGES) s->stage[i] = first;
    }
}

/* Where a quotient goes on from round to round, each round waits for the one before, whatever is done. */
static bool may_be_cut(const Stages *s) {
    bool *carried = arena_array(s->g->arena, bool, s->c.n);
    for (int i = 0; i < s->c.n; i++) {
        LLVMValueRef v = at(s, i);
        if (!may_move(v)) return false;
        for (int k = 0; k < LLVMGetNumOperands(v); k++) {
            LLVMValueRef operand = LLVMGetOperand(v, (unsigned)k);
            int o = place(s, operand);
            carried[i] |= is_carried(s, operand) || (o >= 0 && carried[o]);
        }
        if (carried[i] && is_slow(v)) return false;
    }
    return true;
}

static bool find_stages(Stages *s) {
    if (!may_be_cut(s)) return false;
    find_earliest(s);
    find_latest_places(s);
    return s->last > 0;
}

/* Only numbers are kept for later stages. */
static bool find_kept(Stages *s, bool *kept) {
    for (int i = 0; i < s->c.n; i++)
        for (LLVMUseRef u = LLVMGetFirstUse(at(s, i)); u; u = LLVMGetNextUse(u)) {
            int user = place(s, LLVMGetUser(u));
            kept[i] |= user >= 0 && s->stage[user] > s->stage[i];
            if (kept[i] && !is_float(at(s, i))) return false;
        }
    return true;
}

/* What goes on from round to round is used and made in one stage. */
static bool goes_on_in_one_stage(const Stages *s) {
    LLVMValueRef v = LLVMGetFirstInstruction(s->c.head);
    for (; LLVMIsAPHINode(v); v = LLVMGetNextInstruction(v)) {
        if (LLVMCountIncoming(v) != 2) return false;
        int made = place(s, simd_coming(&s->c, v, true));
        if (made < 0) return false;
        for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            int used = place(s, user);
            if (v == s->c.counter ? !is_in(s, user) : used >= 0 ? s->stage[used] != s->stage[made] : is_in(s, user))
                return false;
        }
    }
    LLVMValueRef branch = LLVMGetNextInstruction(v);
    return v == LLVMGetCondition(LLVMGetBasicBlockTerminator(s->c.head)) && branch == LLVMGetLastInstruction(s->c.head);
}

static bool stays_inside(const Stages *s) {
    for (int i = 0; i < s->c.n; i++)
        for (LLVMUseRef u = LLVMGetFirstUse(at(s, i)); u; u = LLVMGetNextUse(u))
            if (!is_in(s, LLVMGetUser(u))) return false;
    return true;
}

static bool is_long(const Stages *s) {
    int64_t trips = simd_trips(s->c.lo, s->c.hi);
    return !trips || trips >= LEAST_TRIPS;
}

/* Would the machine wait? It has so many operations under way as it has in sight, each for as long as the way through
 * the round takes; but it cannot divide faster than it divides. */
static bool waits(const Stages *s, const SimdTarget *t) {
    int *way = arena_array(s->g->arena, int, s->c.n), longest = 0, n = 0, busy = 0;
    for (int i = 0; i < s->c.n; i++) {
        LLVMValueRef v = at(s, i);
        Slow is = {simd_is_call_of(v, "llvm.fma.") ? LATENCY_FUSED : LATENCY, 0};
        slow(v, &is);
        bool counts = s->g->values.at[s->c.of[i]].rate.x == LANE_VARYING;
        for (int k = 0; k < LLVMGetNumOperands(v); k++) {
            int o = place(s, LLVMGetOperand(v, (unsigned)k));
            if (o >= 0 && way[o] > way[i]) way[i] = way[o];
        }
        if (!counts || simd_is_sign_of_fused(v)) continue;
        way[i] += is.latency;
        busy += is.busy * (t->vector_bits > 256 ? t->vector_bits / 256 : 1);
        if (way[i] > longest) longest = way[i];
        n++;
    }
    int least = n / STARTED > busy ? n / STARTED : busy;
    return busy && n * longest > least * SIMD_IN_SIGHT * 5 / 4;
}

/* The loop again ----------------------------------------------------------------------------------------------------
 */

static LLVMValueRef i64(const Stages *s, int64_t v) { return cg_i64(s->cg, v); }

static LLVMBasicBlockRef block(const Stages *s, const char *name) {
    return LLVMAppendBasicBlockInContext(s->cg->ctx, s->g->fn, name);
}

static void make_rings(Stages *s, const bool *kept) {
    LLVMPositionBuilderBefore(s->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(s->g->fn)));
    for (int i = 0; i < s->c.n; i++)
        if (kept[i]) s->ring[i] = LLVMBuildAlloca(s->b, LLVMArrayType2(LLVMTypeOf(at(s, i)), KEPT), "kept");
}

static LLVMValueRef ring_at(const Stages *s, int i, LLVMValueRef round) {
    LLVMValueRef k = LLVMBuildAnd(s->b, round, i64(s, KEPT - 1), "");
    return LLVMBuildInBoundsGEP2(s->b, LLVMTypeOf(at(s, i)), s->ring[i], &k, 1, "");
}

/* The instructions of one stage, for the round that it is at, counted from 0. */
static void write_stage(Stages *s, int stage, LLVMValueRef round) {
    LLVMValueRef counter = LLVMBuildNSWAdd(s->b, s->c.lo, round, "");
    LLVMValueRef *read = arena_array(s->g->arena, LLVMValueRef, s->c.n);
    for (int i = 0; i < s->c.n; i++) {
        LLVMValueRef v = at(s, i);
        if (s->stage[i] != stage) continue;
        for (int k = 0; k < LLVMGetNumOperands(v); k++) {
            LLVMValueRef operand = LLVMGetOperand(v, (unsigned)k);
            int o = place(s, operand);
            if (operand == s->c.counter) LLVMSetOperand(v, (unsigned)k, counter);
            if (o < 0 || s->stage[o] == stage) continue;
            if (!read[o]) read[o] = LLVMBuildLoad2(s->b, LLVMTypeOf(operand), ring_at(s, o, round), "");
            LLVMSetOperand(v, (unsigned)k, read[o]);
        }
        LLVMInstructionRemoveFromParent(v);
        LLVMInsertIntoBuilder(s->b, v);
        if (s->ring[i]) LLVMBuildStore(s->b, v, ring_at(s, i, round));
    }
}

/* Of what goes on from round to round and is made in this stage: where the ways meet again. */
static void meet(Stages *s, int stage, LLVMBasicBlockRef skipped, LLVMBasicBlockRef done) {
    for (LLVMValueRef v = LLVMGetFirstInstruction(s->c.head); LLVMIsAPHINode(v); v = LLVMGetNextInstruction(v)) {
        int made = v == s->c.counter || v == s->turn ? -1 : place(s, simd_coming(&s->c, v, true));
        if (made < 0 || s->stage[made] != stage) continue;
        LLVMValueRef both = LLVMBuildPhi(s->b, LLVMTypeOf(v), ""), values[2] = {v, at(s, made)};
        LLVMBasicBlockRef from[2] = {skipped, done};
        LLVMAddIncoming(both, values, from, 2);
        LLVMSetOperand(v, LLVMGetIncomingBlock(v, 1) == s->c.body, both);
    }
}

/* The header's phis, now that rounds end in `latch`. */
static void close_loop(Stages *s, LLVMBasicBlockRef latch) {
    LLVMBasicBlockRef from[2] = {s->c.before, latch};
    for (LLVMValueRef v = LLVMGetFirstInstruction(s->c.head), next; LLVMIsAPHINode(v); v = next) {
        next = LLVMGetNextInstruction(v);
        if (v == s->turn) continue;
        if (v != s->c.counter) {
            LLVMPositionBuilderBefore(s->b, v);
            LLVMValueRef again = LLVMBuildPhi(s->b, LLVMTypeOf(v), ""),
                         values[2] = {simd_coming(&s->c, v, false), simd_coming(&s->c, v, true)};
            LLVMReplaceAllUsesWith(v, again);
            if (values[1] == v) values[1] = again;
            LLVMAddIncoming(again, values, from, 2);
        }
        LLVMInstructionEraseFromParent(v);
    }
}

static void delete_old(Stages *s, LLVMBasicBlockRef first) {
    LLVMBasicBlockRef next = first == s->c.body ? NULL : LLVMGetSuccessor(LLVMGetBasicBlockTerminator(first), 0);
    LLVMDeleteBasicBlock(first);
    if (next) delete_old(s, next);
}

static void write_loop(Stages *s) {
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(s->c.before), branch = LLVMGetBasicBlockTerminator(s->c.head);
    LLVMValueRef old = LLVMGetCondition(branch);
    LLVMPositionBuilderBefore(s->b, enter);
    LLVMValueRef trips = LLVMBuildSub(s->b, s->c.hi, s->c.lo, "");
    LLVMValueRef any = LLVMBuildICmp(s->b, LLVMIntSLT, s->c.lo, s->c.hi, "");
    LLVMValueRef turns = LLVMBuildAdd(s->b, trips, i64(s, s->last * APART), "");
    turns = LLVMBuildSelect(s->b, any, turns, i64(s, 0), "");
    LLVMPositionBuilderBefore(s->b, LLVMGetFirstInstruction(s->c.head));
    s->turn = LLVMBuildPhi(s->b, s->cg->i64, "turn");
    LLVMPositionBuilderBefore(s->b, branch);
    LLVMSetCondition(branch, LLVMBuildICmp(s->b, LLVMIntULT, s->turn, turns, ""));
    LLVMInstructionEraseFromParent(old);
    LLVMBasicBlockRef first = LLVMGetSuccessor(branch, 0), ask = block(s, "stage");
    LLVMSetSuccessor(branch, 0, ask);
    for (int stage = s->last; stage >= 0; stage--) {
        LLVMBasicBlockRef does = block(s, "does"), next = block(s, "stage");
        LLVMPositionBuilderAtEnd(s->b, ask);
        LLVMValueRef round = LLVMBuildSub(s->b, s->turn, i64(s, stage * APART), "");
        LLVMBuildCondBr(s->b, LLVMBuildICmp(s->b, LLVMIntULT, round, trips, ""), does, next);
        LLVMPositionBuilderAtEnd(s->b, does);
        write_stage(s, stage, round);
        LLVMBuildBr(s->b, next);
        LLVMPositionBuilderAtEnd(s->b, next);
        meet(s, stage, ask, does);
        ask = next;
    }
    LLVMValueRef values[2] = {i64(s, 0), LLVMBuildAdd(s->b, s->turn, i64(s, 1), "")};
    LLVMBasicBlockRef from[2] = {s->c.before, ask};
    LLVMBuildBr(s->b, s->c.head);
    LLVMAddIncoming(s->turn, values, from, 2);
    close_loop(s, ask);
    delete_old(s, first);
}

/* The first loop of the region that is better in stages is written so, and has to be read again. */
bool simd_stages(Cg *cg, SimdRegion *g, const SimdTarget *t) {
    for (int l = 0; l < g->loops.n; l++) {
        Stages s = {.cg = cg, .g = g, .b = cg->b};
        if (g->loops.at[l].divergent || simd_is_rest(g, l)) continue;
        if (!simd_find_counted(g, l, &s.c) || !is_long(&s) || !waits(&s, t)) continue;
        bool *kept = arena_array(g->arena, bool, s.c.n);
        s.stage = arena_array(g->arena, int, s.c.n);
        s.ring = arena_array(g->arena, LLVMValueRef, s.c.n);
        if (!find_stages(&s) || !find_kept(&s, kept) || !goes_on_in_one_stage(&s) || !stays_inside(&s)) continue;
        LLVMSetCurrentDebugLocation2(s.b, LLVMInstructionGetDebugLoc(LLVMGetBasicBlockTerminator(s.c.head)));
        make_rings(&s, kept);
        write_loop(&s);
        return true;
    }
    return false;
}
