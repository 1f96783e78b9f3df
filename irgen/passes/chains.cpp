// chains.cpp -- reassociation along the critical path (tree height reduction): of the least of several numbers one of
// which comes from the iteration before, as in the tables of dynamic programming,
//
//     next = min(min(row[j] + 1, row[j - 1] + 1), diagonal + cost);      // row[j - 1]: what the last iteration stored
//
// the others are combined first, while that one is still computed: then an iteration waits for one operation instead of
// two. LLVM does so for sums (reassociate), and leaves minima and maxima alone.
//
// Legal for minima and maxima of integers and of floats by minimumnum and maximumnum, which have no order.
#include "irgen/passes/chains.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

constexpr unsigned most_leaves = 16;

using Late = SmallPtrSet<const Value *, 32>; // what depends on what the iteration before has computed

bool is_extreme(const Value *v) {
    auto *call = dyn_cast<IntrinsicInst>(v);
    if (!call) return false;
    switch (call->getIntrinsicID()) {
    case Intrinsic::smin:
    case Intrinsic::smax:
    case Intrinsic::umin:
    case Intrinsic::umax:
    case Intrinsic::minimumnum:
    case Intrinsic::maximumnum: return true;
    default: return false;
    }
}

bool is_same_extreme(const Value *v, const IntrinsicInst *root) {
    auto *call = dyn_cast<IntrinsicInst>(v);
    return call && call->getIntrinsicID() == root->getIntrinsicID() && call->getType() == root->getType();
}

bool begins_loop(const Instruction &i, const LoopInfo &loops) {
    return isa<PHINode>(i) && loops.isLoopHeader(i.getParent());
}

// Adds what depends on `late` in the same iteration of the loop whose blocks these are.
void add_dependent(LoopBlocksRPO &order, const LoopInfo &loops, Late &late) {
    for (const BasicBlock *block : order)
        for (const Instruction &i : *block)
            if (!begins_loop(i, loops) && any_of(i.operands(), [&](const Use &u) { return late.contains(u); }))
                late.insert(&i);
}

// Its next value depends on it, and is more than a step further.
bool is_recurrence(const PHINode &phi, const Loop *loop, LoopBlocksRPO &order, const LoopInfo &loops) {
    const BasicBlock *latch = loop->getLoopLatch();
    const auto *next = latch ? dyn_cast<Instruction>(phi.getIncomingValueForBlock(latch)) : nullptr;
    if (!next || !loop->contains(next)) return false;
    bool is_step = next->getOpcode() == Instruction::Add && next->getOperand(0) == &phi &&
                   loop->isLoopInvariant(next->getOperand(1));
    if (is_step) return false;
    Late late;
    late.insert(&phi);
    add_dependent(order, loops, late);
    return late.contains(next);
}

// A minimum of several leaves, in any nesting.
struct Tree {
    IntrinsicInst *root;
    SmallVector<Value *, most_leaves> leaves;
    Value *late = nullptr;
    unsigned n_late = 0;

    // Parts are in the innermost loop of the root: what is computed outside of it stays there.
    bool read(Value *v, const Loop *loop, const LoopInfo &loops, const Late &depends) {
        auto *part = dyn_cast<IntrinsicInst>(v);
        bool is_part = part && is_same_extreme(v, root) && loops.getLoopFor(part->getParent()) == loop;
        if (is_part && (part == root || part->hasOneUse()))
            return read(part->getArgOperand(0), loop, loops, depends) &&
                   read(part->getArgOperand(1), loop, loops, depends);
        if (leaves.size() == most_leaves) return false;
        if (depends.contains(v)) n_late++, late = v;
        leaves.push_back(v);
        return true;
    }

    // Three leaves or more of which one is late, and not yet last.
    bool waits() const {
        return leaves.size() >= 3 && n_late == 1 && root->getArgOperand(0) != late && root->getArgOperand(1) != late;
    }

    void put_last(Late &depends) {
        IRBuilder<> b(root);
        Value *all = nullptr;
        for (Value *leaf : leaves)
            if (leaf != late) all = all ? combine(b, all, leaf) : leaf;
        Value *whole = combine(b, all, late);
        depends.insert(whole);
        root->replaceAllUsesWith(whole);
        RecursivelyDeleteTriviallyDeadInstructions(root, nullptr, nullptr, [&](Value *v) { depends.erase(v); });
    }

  private:
    Value *combine(IRBuilder<> &b, Value *x, Value *y) {
        CallInst *made = b.CreateCall(root->getCalledFunction(), {x, y});
        if (isa<FPMathOperator>(made)) made->copyFastMathFlags(root);
        return made;
    }
};

bool is_root(const IntrinsicInst *v) {
    return !v->use_empty() && !(v->hasOneUse() && is_same_extreme(v->user_back(), v));
}

// Each tree is of one loop, the innermost around it: two loops would put it in order by turns.
bool shorten(Loop *loop, LoopInfo &loops) {
    Late late;
    LoopBlocksRPO order(loop);
    order.perform(&loops);
    for (const PHINode &phi : loop->getHeader()->phis())
        if (is_recurrence(phi, loop, order, loops)) late.insert(&phi);
    if (late.empty()) return false;
    add_dependent(order, loops, late);
    bool changed = false;
    for (BasicBlock *block : order)
        for (Instruction &i : make_early_inc_range(*block)) {
            if (!late.contains(&i) || !is_extreme(&i) || loops.getLoopFor(block) != loop) continue;
            auto *root = cast<IntrinsicInst>(&i);
            Tree tree{root, {}};
            if (!is_root(root) || !tree.read(root, loop, loops, late) || !tree.waits()) continue;
            tree.put_last(late);
            changed = true;
        }
    return changed;
}

} // namespace

int LLVMKdslShortenChains(LLVMValueRef function) {
    Function &fn = *unwrap<Function>(function);
    bool has_any = any_of(instructions(fn), [](const Instruction &i) { return is_extreme(&i); }), changed = false;
    if (!has_any) return 0;
    DominatorTree tree(fn);
    LoopInfo loops(tree);
    for (Loop *loop : loops.getLoopsInPreorder()) changed |= shorten(loop, loops);
    return changed;
}
