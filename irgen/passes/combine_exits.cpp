// combine_exits.cpp -- unrolling of innermost loops, with one branch for the checks of several iterations that may
// leave the loop: the reduction of control dependences of Schlansker, Mahlke and Johnson (Control CPR, PLDI 1999).
//
// A check is a branch between two accesses, and no access moves across it. A thread of a GPU then waits for the memory
// once an access, where unrolled code would have the accesses of several iterations under way at the same time:
//
//     loop:  c = column[e]                            blocks:  c0 = column[e] ... c3 = column[e + 3]
//            c >= n -> report                                  any of c0 ... c3 >= n -> loop, at e
//            sum += value[e] * x[c]          ==>               sum += value[e] * x[c0] ... value[e + 3] * x[c3]
//            e + 1 < end -> loop                               4 more before end -> blocks; else -> loop, at e + 4
//
// The loop stays as it is. It executes the iterations that are no whole block, and those of a block in which a check
// would fail: it finds the one that does, with everything before it done and nothing after it. So no program can tell
// the difference, and nothing has to be recorded.
//
// Small iterations are executed in blocks of 16, then in blocks of four, then one by one: addresses, the counter and
// the branches of a block are shared by more of them. With an atomic update, which takes longer than these, they are in
// blocks of eight, which need fewer registers. Larger ones are in blocks of four, or, if no check leaves the
// loop, unrolled by LLVM.
//
// A loop qualifies if its number of iterations is known when it is entered, if its body is a chain of blocks that only
// failed checks leave, and if what computes the checks of an iteration needs nothing that an earlier iteration stores
// or carries on, but for counters.
#include "irgen/passes/combine_exits.h"

#include "irgen/lang/marks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace {

constexpr char not_vectorised[] = "llvm.loop.vectorize.enable"; // 0: LLVM's hint

constexpr unsigned few_copies = 4;       // iterations of a block: accesses under way, against registers
constexpr unsigned many_copies = 16;     // of small iterations: what a block needs by itself is shared by more
constexpr unsigned update_copies = 8;    // of small iterations with an atomic update
constexpr unsigned most_instructions = 48; // of an iteration
constexpr unsigned small_iteration = 12, small_accesses = 3; // instructions, without conversions and addresses
constexpr unsigned fewest_of_many = 64;  // iterations, if their number is a constant
constexpr unsigned fewest_iterations = 16; // fewer, if it is a constant, are unrolled completely
constexpr unsigned longest_way = 4;     // blocks between a check and its report

using Copies = DenseMap<const Value *, Value *>;

// Part of an iteration: what is executed up to a check, or after the last one.
struct Segment {
    SmallVector<Instruction *, 16> instructions;
    BranchInst *check = nullptr;
    bool fails_if = true;
};

struct Chain {
    Loop *loop = nullptr;
    SmallVector<Segment, 4> segments;
    const SCEV *count = nullptr;  // iterations
    bool count_is_small = false;  // 31 bits are enough for it
    unsigned n_copies = few_copies;
};

// Does every way from here report a failed check, or call a function that is rarely called?
bool is_report(const BasicBlock *bb) {
    for (unsigned i = 0; bb && i < longest_way; i++, bb = bb->getUniqueSuccessor())
        for (const Instruction &inst : *bb) {
            auto *call = dyn_cast<CallInst>(&inst);
            const Function *callee = call ? call->getCalledFunction() : nullptr;
            if (callee && callee->hasFnAttribute(Attribute::Cold)) return true;
            if (isa<AtomicCmpXchgInst>(inst) && inst.hasMetadata(CG_REPORT)) return true;
        }
    return false;
}

// Splits the body at its checks; false: it is not such a chain.
bool collect(Chain &c) {
    const Loop *loop = c.loop;
    BasicBlock *header = loop->getHeader(), *latch = loop->getLoopLatch();
    unsigned n_blocks = 0, n_instructions = 0;
    c.segments.emplace_back();
    for (BasicBlock *bb = header;;) {
        n_blocks++;
        if (bb != header && (!bb->getSinglePredecessor() || isa<PHINode>(bb->front()))) return false;
        for (Instruction &i : *bb) {
            if (isa<PHINode>(i) || i.isTerminator() || i.isDebugOrPseudoInst() || isa<AssumeInst>(i)) continue;
            if (++n_instructions > most_instructions) return false;
            c.segments.back().instructions.push_back(&i);
        }
        auto *br = dyn_cast<BranchInst>(bb->getTerminator());
        if (!br) return false;
        if (bb == latch) return br->isUnconditional() && n_blocks == loop->getNumBlocks();
        if (br->isUnconditional()) {
            bb = br->getSuccessor(0);
            continue;
        }
        bool first_leaves = !loop->contains(br->getSuccessor(0)), second_leaves = !loop->contains(br->getSuccessor(1));
        if (first_leaves == second_leaves) return false;
        BasicBlock *out = br->getSuccessor(first_leaves ? 0 : 1);
        bb = br->getSuccessor(first_leaves ? 1 : 0);
        if (br->getParent() == header) continue; // the end of the loop
        if (!is_report(out)) return false;
        c.segments.back().check = br;
        c.segments.back().fails_if = first_leaves;
        c.segments.emplace_back();
    }
}

bool is_in(const Loop *loop, const Value *v) {
    auto *i = dyn_cast<Instruction>(v);
    return i && loop->contains(i);
}

// Can v be computed for an iteration before the ones ahead of it are through? `ready`: what the segments up to now
// compute for all iterations of a block. Other operations are made where they are needed, if they touch no memory.
bool is_ahead(const Chain &c, const Value *v, const SmallPtrSetImpl<const Value *> &ready,
              SmallPtrSetImpl<const Value *> &seen) {
    if (!is_in(c.loop, v) || ready.contains(v) || !seen.insert(v).second) return true;
    auto *i = cast<Instruction>(v);
    if (auto *phi = dyn_cast<PHINode>(i))
        return is_ahead(c, phi->getIncomingValueForBlock(c.loop->getLoopLatch()), ready, seen);
    if (i->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(i)) return false;
    return all_of(i->operands(), [&](const Use &u) { return is_ahead(c, u, ready, seen); });
}

bool may_change(AAResults &aa, const Chain &c, const LoadInst *load) {
    MemoryLocation anywhere = MemoryLocation::getBeforeOrAfter(load->getPointerOperand());
    for (const Instruction *i : c.segments.back().instructions)
        if (i->mayWriteToMemory() && isModSet(aa.getModRefInfo(i, anywhere))) return true;
    return false;
}

bool is_legal(AAResults &aa, const Chain &c) {
    SmallPtrSet<const Value *, 32> ready;
    for (const Segment &s : c.segments) {
        bool is_last = &s == &c.segments.back();
        for (const Instruction *i : s.instructions) {
            auto *call = dyn_cast<CallInst>(i);
            if (call && (!isa<IntrinsicInst>(call) || call->isConvergent())) return false;
            if (is_last) continue;
            auto *load = dyn_cast<LoadInst>(i);
            if (load ? !load->isSimple() || may_change(aa, c, load) : i->mayReadOrWriteMemory()) return false;
            for (const Use &u : i->operands()) {
                SmallPtrSet<const Value *, 16> seen;
                if (!is_ahead(c, u, ready, seen)) return false;
            }
            ready.insert(i);
        }
        SmallPtrSet<const Value *, 16> seen;
        if (s.check && !is_ahead(c, s.check->getCondition(), ready, seen)) return false;
    }
    return true;
}

// Of a loop that no check leaves.
bool may_unroll(const Chain &c) {
    if (none_of(c.segments[0].instructions, [](const Instruction *i) { return isa<LoadInst>(i); })) return false;
    for (const char *option : {"llvm.loop.unroll.disable", "llvm.loop.unroll.count"})
        if (findOptionMDForLoop(c.loop, option)) return false;
    return true;
}

// LLVM's own unrolling takes such a loop, by as many iterations.
void unroll_later(const Chain &c) {
    if (may_unroll(c)) addStringMetadataToLoop(c.loop, "llvm.loop.unroll.count", few_copies);
}

class Blocks {
public:
    Blocks(Chain &chain, ScalarEvolution &evolution)
        : c(chain), se(evolution), loop(*chain.loop), builder(loop.getHeader()->getContext()) {}

    void make() {
        BasicBlock *header = loop.getHeader(), *before = loop.getLoopPreheader();
        SCEVExpander expander(se, "blocks");
        Value *count = expander.expandCodeFor(c.count, c.count->getType(), before->getTerminator()->getIterator());
        if (c.count_is_small) {
            builder.SetInsertPoint(before->getTerminator());
            count = builder.CreateTrunc(count, builder.getInt32Ty());
        }
        begin(count, before);
        for (size_t s = 0; s < c.segments.size(); s++) segment(s);
        Value *next = nullptr;
        if (counter) {
            next = builder.CreateAdd(counter, ConstantInt::get(counter->getType(), c.n_copies));
            counter->addIncoming(next, blocks.back());
        } else {
            next = get(c.n_copies - 1, own->getIncomingValueForBlock(loop.getLoopLatch()));
        }
        BranchInst *latch = builder.CreateCondBr(builder.CreateICmpEQ(next, end), rest, blocks.front());
        for (PHINode &phi : header->phis()) {
            Value *last = get(c.n_copies - 1, phi.getIncomingValueForBlock(loop.getLoopLatch()), latch);
            cast<PHINode>(at_begin[&phi])->addIncoming(last, blocks.back());
            cast<PHINode>(at_rest[&phi])->addIncoming(last, blocks.back());
        }
        stop_unrolling(latch, own ? ArrayRef<StringRef>(order) : ArrayRef<StringRef>());
        stop_unrolling(loop.getLoopLatch()->getTerminator(), {CG_ROLLED});
    }

    BasicBlock *header_of_blocks() { return blocks.front(); }

private:
    Chain &c;
    ScalarEvolution &se;
    Loop &loop;
    IRBuilder<> builder;
    SmallVector<BasicBlock *, 4> blocks;
    BasicBlock *rest = nullptr; // leads to the loop, which executes what is left
    PHINode *own = nullptr;     // of the loop: grows by one an iteration
    StringRef order;            // by which it is compared with its end
    PHINode *counter = nullptr; // of iterations, if there is no such one
    Value *end = nullptr;       // of either, behind the last whole block
    Copies copies[many_copies], at_begin, at_rest;

    void begin(Value *count, BasicBlock *before) {
        BasicBlock *header = loop.getHeader();
        LLVMContext &context = header->getContext();
        for (size_t s = 0; s < c.segments.size(); s++)
            blocks.push_back(BasicBlock::Create(context, "block", header->getParent(), header));
        rest = BasicBlock::Create(context, "rest", header->getParent(), header);
        builder.SetInsertPoint(before->getTerminator());
        Type *type = count->getType();
        Value *whole = builder.CreateAnd(count, ConstantInt::getSigned(type, -int64_t(c.n_copies)), "whole");
        own = own_counter(type);
        end = whole;
        if (own) {
            Value *start = own->getIncomingValueForBlock(before);
            end = builder.CreateAdd(start, whole, "end");
        }
        builder.CreateCondBr(builder.CreateICmpNE(whole, ConstantInt::get(type, 0)), blocks.front(), rest);
        before->getTerminator()->eraseFromParent();
        builder.SetInsertPoint(rest);
        BranchInst *to_loop = builder.CreateBr(header);
        builder.SetInsertPoint(blocks.front());
        if (!own) {
            counter = builder.CreatePHI(type, 2, "done");
            counter->addIncoming(ConstantInt::get(type, 0), before);
        }
        for (PHINode &phi : header->phis()) {
            Value *start = phi.getIncomingValueForBlock(before);
            PHINode *begin = builder.CreatePHI(phi.getType(), 2, phi.getName());
            unsigned n_ways = 2 + unsigned(c.segments.size());
            PHINode *left = PHINode::Create(phi.getType(), n_ways, phi.getName(), to_loop->getIterator());
            begin->addIncoming(start, before);
            left->addIncoming(start, before);
            phi.setIncomingValueForBlock(before, left);
            phi.replaceIncomingBlockWith(before, rest);
            at_begin[&phi] = begin;
            at_rest[&phi] = left;
        }
    }

    // The number that the loop compares with its end, if it grows by one an iteration and checks leave the loop: the
    // end of the blocks is not above that of the loop, so both are compared by the same order (release_loops.cpp).
    PHINode *own_counter(Type *count) {
        auto *test = dyn_cast<BranchInst>(loop.getHeader()->getTerminator());
        auto *compare =
            c.segments.size() > 1 && test->isConditional() ? dyn_cast<ICmpInst>(test->getCondition()) : nullptr;
        for (unsigned k = 0; compare && compare->isRelational() && k < 2; k++) {
            auto *phi = dyn_cast<PHINode>(compare->getOperand(k));
            if (!phi || phi->getParent() != loop.getHeader() || phi->getType() != count) continue;
            auto *counts = dyn_cast<SCEVAddRecExpr>(se.getSCEV(phi));
            if (!counts || counts->getLoop() != &loop || !counts->isAffine() || !counts->getOperand(1)->isOne())
                continue;
            order = compare->isSigned() ? CG_ORDERED_BY_SIGN : CG_ORDERED;
            return phi;
        }
        return nullptr;
    }

    // What v is in a copy, made at the builder's place, or before `at`, if no segment has made it.
    Value *get(unsigned copy, Value *v, Instruction *at = nullptr) {
        if (!is_in(&loop, v)) return v;
        if (Value *made = copies[copy].lookup(v)) return made;
        if (auto *phi = dyn_cast<PHINode>(v))
            return copy ? get(copy - 1, phi->getIncomingValueForBlock(loop.getLoopLatch()), at) : at_begin[phi];
        return clone(copy, cast<Instruction>(v), at);
    }

    Value *clone(unsigned copy, Instruction *i, Instruction *at = nullptr) {
        if (Value *made = copies[copy].lookup(i)) return made;
        SmallVector<Value *, 4> operands;
        for (Use &u : i->operands()) operands.push_back(get(copy, u, at));
        Instruction *made = i->clone();
        for (unsigned k = 0; k < operands.size(); k++) made->setOperand(k, operands[k]);
        if (at) made->insertBefore(at->getIterator());
        else builder.Insert(made, i->getName());
        return copies[copy][i] = made;
    }

    void segment(size_t s) {
        const Segment &part = c.segments[s];
        builder.SetInsertPoint(blocks[s]);
        for (unsigned copy = 0; copy < c.n_copies; copy++)
            for (Instruction *i : part.instructions) clone(copy, i);
        if (!part.check) return;
        Value *any = nullptr;
        for (unsigned copy = 0; copy < c.n_copies; copy++) {
            Value *fails = get(copy, part.check->getCondition());
            if (!part.fails_if) fails = builder.CreateNot(fails);
            any = any ? builder.CreateOr(any, fails) : fails;
        }
        MDNode *rarely = MDBuilder(builder.getContext()).createUnlikelyBranchWeights();
        builder.CreateCondBr(any, rest, blocks[s + 1], rarely);
        for (PHINode &phi : loop.getHeader()->phis())
            cast<PHINode>(at_rest[&phi])->addIncoming(at_begin[&phi], blocks[s]);
    }

    static void stop_unrolling(Instruction *latch, ArrayRef<StringRef> marks) {
        LLVMContext &context = latch->getContext();
        SmallVector<MDNode *, 2> added = {MDNode::get(context, MDString::get(context, "llvm.loop.unroll.disable"))};
        for (StringRef mark : marks) added.push_back(MDNode::get(context, MDString::get(context, mark)));
        MDNode *old = latch->getMetadata(LLVMContext::MD_loop);
        MDNode *made = makePostTransformationMetadata(context, old, {"llvm.loop.unroll."}, added);
        latch->setMetadata(LLVMContext::MD_loop, made);
    }
};

// An iteration of a few instructions, besides conversions and addresses.
bool is_small(const Chain &c) {
    unsigned n = 0, n_accesses = 0;
    for (const Segment &s : c.segments)
        for (const Instruction *i : s.instructions) {
            n += !isa<CastInst, GetElementPtrInst>(i);
            n_accesses += i->mayReadOrWriteMemory();
        }
    return n <= small_iteration && n_accesses <= small_accesses;
}

bool has_update(const Chain &c) {
    return any_of(c.segments.back().instructions, [](const Instruction *i) { return isa<AtomicRMWInst>(i); });
}

// By a header, the iterations of the blocks that its loop has been given.
using Changed = DenseMap<const BasicBlock *, unsigned>;

// Makes blocks of a loop, larger ones first, or leaves it; true: it has changed.
bool change(Chain &c, ScalarEvolution &se, Changed &changed) {
    Loop *loop = c.loop;
    bool again = changed.lookup(loop->getHeader()) == many_copies, has_checks = c.segments.size() > 1;
    unsigned &copies = changed[loop->getHeader()];
    copies = few_copies;
    c.count = se.getExitCount(loop, loop->getHeader());
    auto *known = dyn_cast<SCEVConstant>(c.count);
    bool many = !again && is_small(c) && !(known && known->getAPInt().ult(fewest_of_many));
    if (!has_checks && !again && !(many && may_unroll(c))) {
        unroll_later(c);
        return false;
    }
    if (isa<SCEVCouldNotCompute>(c.count) || (known && known->getAPInt().ult(fewest_iterations))) return false;
    auto *most = dyn_cast<SCEVConstant>(se.getExitCount(loop, loop->getHeader(), ScalarEvolution::ConstantMaximum));
    c.count_is_small = most && c.count->getType()->getIntegerBitWidth() > 32 && most->getAPInt().isIntN(31);
    SCEVExpander expander(se, "blocks");
    if (!expander.isSafeToExpandAt(c.count, loop->getLoopPreheader()->getTerminator())) return false;
    c.n_copies = !many ? few_copies : has_update(c) ? update_copies : many_copies;
    copies = c.n_copies == many_copies ? many_copies : few_copies;
    Blocks made(c, se);
    made.make();
    changed[made.header_of_blocks()] = few_copies;
    return true;
}

// Changes one loop that still may get blocks; false: there is none left.
bool change_one(Function &fn, FunctionAnalysisManager &analyses, Changed &changed) {
    auto &loops = analyses.getResult<LoopAnalysis>(fn);
    auto &se = analyses.getResult<ScalarEvolutionAnalysis>(fn);
    auto &aa = analyses.getResult<AAManager>(fn);
    for (Loop *loop : loops.getLoopsInPreorder()) {
        if (changed.lookup(loop->getHeader()) == few_copies || !loop->isInnermost()) continue;
        if (!loop->getLoopPreheader() || !loop->getLoopLatch()) continue;
        Chain c;
        c.loop = loop;
        if (collect(c) && is_legal(aa, c) && change(c, se, changed)) return true;
    }
    return false;
}

// LLVM would make vectors of two of their numbers, add up in order what these hold, and have more code for nothing: a
// thread of a GPU has no vectors.
void keep_scalar(ArrayRef<Loop *> loops) {
    for (Loop *loop : loops)
        if (loop->isInnermost() && !findOptionMDForLoop(loop, not_vectorised))
            addStringMetadataToLoop(loop, not_vectorised, 0);
}

} // namespace

int LLVMKdslCombineExits(LLVMModuleRef module, LLVMTargetMachineRef machine) {
    LoopAnalysisManager of_loops;
    FunctionAnalysisManager of_functions;
    CGSCCAnalysisManager of_sccs;
    ModuleAnalysisManager of_modules;
    PassBuilder builder(reinterpret_cast<TargetMachine *>(machine));
    builder.registerModuleAnalyses(of_modules);
    builder.registerCGSCCAnalyses(of_sccs);
    builder.registerFunctionAnalyses(of_functions);
    builder.registerLoopAnalyses(of_loops);
    builder.crossRegisterProxies(of_loops, of_functions, of_sccs, of_modules);
    int n = 0;
    for (Function &fn : *unwrap(module)) {
        Changed changed;
        while (!fn.isDeclaration() && change_one(fn, of_functions, changed)) {
            n++;
            of_functions.invalidate(fn, PreservedAnalyses::none());
        }
        if (!fn.isDeclaration()) keep_scalar(of_functions.getResult<LoopAnalysis>(fn).getLoopsInPreorder());
    }
    return n;
}
