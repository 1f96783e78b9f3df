// release_loops.cpp -- loops in the form in which NVIDIA's assembler sees how often they run, and may unroll them.
//
// LLVM marks loops that it has unrolled as finished (llvm.loop.unroll.disable), and its back end forbids the assembler
// to unroll marked loops (.pragma "nounroll"). But the assembler knows its registers, and unrolls them further. The
// mark stays on loops with a few iterations, as those that execute what an unrolled loop has left, and on those that
// the language wants as they are (CG_ROLLED).
//
// The back end does not invert the condition of a branch: a loop that is left if its condition is true would end with
// two branches. So loops go on if it is true. A counter that only grows is below its end as long as it is not equal to
// it, from which the assembler finds the number of iterations.
#include "irgen/passes/release_loops.h"

#include "irgen/lang/marks.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace {

constexpr unsigned few_iterations = 8;

void release(Loop *loop, ScalarEvolution &se) {
    if (!findOptionMDForLoop(loop, "llvm.loop.unroll.disable") || findOptionMDForLoop(loop, CG_ROLLED)) return;
    unsigned most = se.getSmallConstantMaxTripCount(loop);
    if (most && most <= few_iterations) return;
    LLVMContext &context = loop->getHeader()->getContext();
    loop->setLoopID(makePostTransformationMetadata(context, loop->getLoopID(), {"llvm.loop.unroll."}, {}));
}

bool goes_on_if_false(const Loop *loop, const BranchInst *latch) {
    return latch && latch->isConditional() && latch->getSuccessor(1) == loop->getHeader() &&
           latch->getSuccessor(0) != loop->getHeader();
}

void go_on_if_true(Loop *loop) {
    BasicBlock *block = loop->getLoopLatch();
    auto *latch = block ? dyn_cast<BranchInst>(block->getTerminator()) : nullptr;
    if (!goes_on_if_false(loop, latch)) return;
    auto *compare = dyn_cast<CmpInst>(latch->getCondition());
    if (!compare || !compare->hasOneUse()) return;
    compare->setPredicate(compare->getInversePredicate());
    latch->swapSuccessors();
}

// k + 4 != n, where k + 4 does not wrap: if it passed n, it would have to wrap to become n, since the loop has no other
// end. Of a block of iterations with checks (combine_exits.cpp), the mark says so; loop strength reduction would give
// it a second counter, down to zero.
void compare_by_order(Loop *loop) {
    BasicBlock *block = loop->getLoopLatch();
    bool by_sign = findOptionMDForLoop(loop, CG_ORDERED_BY_SIGN),
         is_ordered = by_sign || findOptionMDForLoop(loop, CG_ORDERED);
    if (!block || (loop->getExitingBlock() != block && !is_ordered)) return;
    auto *latch = block ? dyn_cast<BranchInst>(block->getTerminator()) : nullptr;
    ICmpInst *compare = latch && latch->isConditional() ? dyn_cast<ICmpInst>(latch->getCondition()) : nullptr;
    if (!compare || compare->getPredicate() != ICmpInst::ICMP_NE || latch->getSuccessor(0) != loop->getHeader()) return;
    for (unsigned k = 0; k < 2; k++) {
        auto *next = dyn_cast<BinaryOperator>(compare->getOperand(k));
        auto *step =
            next && next->getOpcode() == Instruction::Add ? dyn_cast<ConstantInt>(next->getOperand(1)) : nullptr;
        auto *counter = step ? dyn_cast<PHINode>(next->getOperand(0)) : nullptr;
        if (!counter || counter->getParent() != loop->getHeader() || !step->getValue().isStrictlyPositive()) continue;
        if (counter->getIncomingValueForBlock(block) != next || !loop->isLoopInvariant(compare->getOperand(1 - k)))
            continue;
        bool is_unsigned = is_ordered ? !by_sign : next->hasNoUnsignedWrap();
        if (!is_ordered && !is_unsigned && !next->hasNoSignedWrap()) return;
        if (k == 1) compare->swapOperands();
        compare->setPredicate(is_unsigned ? ICmpInst::ICMP_ULT : ICmpInst::ICMP_SLT);
        return;
    }
}

// Loop strength reduction would make a pointer of 64 bits of each sum of an array and a counter, and advance all of
// them, which takes two instructions each; one is enough to add the counter to the array. It cannot tell that a counter
// does not wrap where the sum does not say so.
void keep_counters(Loop *loop) {
    for (PHINode &phi : loop->getHeader()->phis()) {
        if (!phi.getType()->isIntegerTy(32)) continue;
        for (Value *v : phi.incoming_values()) {
            auto *sum = dyn_cast<BinaryOperator>(v);
            if (sum && sum->getOpcode() == Instruction::Add && loop->contains(sum)) sum->dropPoisonGeneratingFlags();
        }
    }
}

} // namespace

void LLVMKdslReleaseLoops(LLVMValueRef function, LLVMTargetMachineRef machine) {
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
    Function &fn = *unwrap<Function>(function);
    auto &se = of_functions.getResult<ScalarEvolutionAnalysis>(fn);
    for (Loop *loop : of_functions.getResult<LoopAnalysis>(fn).getLoopsInPreorder()) {
        if (loop->isInnermost()) release(loop, se);
        go_on_if_true(loop);
        compare_by_order(loop);
        keep_counters(loop);
    }
}
