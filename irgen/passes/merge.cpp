// merge.cpp -- merging of blocks, with the debug records between them, which the C API would leave behind.
#include "irgen/passes/merge.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

LLVMBool LLVMKdslMergeIntoPredecessor(LLVMBasicBlockRef block) {
    return llvm::MergeBlockIntoPredecessor(llvm::unwrap(block));
}

void LLVMKdslDeleteDeadPhis(LLVMBasicBlockRef block) { llvm::DeleteDeadPHIs(llvm::unwrap(block)); }

LLVMBool LLVMKdslCountBelow(LLVMBasicBlockRef block, LLVMValueRef counter, LLVMBasicBlockRef before) {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(llvm::unwrap(block)->getTerminator());
    auto *compare =
        branch && branch->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
    if (!compare || !compare->hasOneUse()) return false;
    llvm::CmpInst::Predicate p = compare->getPredicate();
    llvm::Value *last = compare->getOperand(1);
    if (last == llvm::unwrap(counter)) {
        last = compare->getOperand(0);
        p = llvm::CmpInst::getSwappedPredicate(p);
    } else if (compare->getOperand(0) != llvm::unwrap(counter)) {
        return false;
    }
    bool ends = p == llvm::CmpInst::ICMP_SGT || p == llvm::CmpInst::ICMP_UGT;
    if (ends) p = llvm::CmpInst::getInversePredicate(p);
    if (p != llvm::CmpInst::ICMP_SLE && p != llvm::CmpInst::ICMP_ULE) return false;
    llvm::IRBuilder<> b(llvm::unwrap(before)->getTerminator());
    b.SetCurrentDebugLocation(compare->getDebugLoc());
    llvm::Value *hi = b.CreateNSWAdd(last, llvm::ConstantInt::get(last->getType(), 1));
    compare->setPredicate(llvm::CmpInst::ICMP_SLT);
    compare->setOperand(0, llvm::unwrap(counter));
    compare->setOperand(1, hi);
    compare->setSameSign(false);
    if (ends) branch->swapSuccessors();
    return true;
}
