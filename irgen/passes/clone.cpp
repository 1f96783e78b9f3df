// clone.cpp -- see clone.h. LLVM has no C interface of CloneFunction and CloneBasicBlock, nor of the order of uses.
#include "irgen/passes/clone.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

LLVMValueRef LLVMKdslCloneFunction(LLVMValueRef fn) {
    llvm::ValueToValueMapTy copies;
    return llvm::wrap(llvm::CloneFunction(llvm::unwrap<llvm::Function>(fn), copies));
}

LLVMMemoryBufferRef LLVMKdslWriteModule(LLVMModuleRef m) {
    llvm::SmallString<0> bytes;
    llvm::raw_svector_ostream out(bytes);
    llvm::WriteBitcodeToFile(*llvm::unwrap(m), out, /*ShouldPreserveUseListOrder=*/true);
    return llvm::wrap(llvm::MemoryBuffer::getMemBufferCopy(bytes).release());
}

// Phis take what comes from blocks of the copy, in the head also from blocks outside; phis outside, from both.
static void joinPaths(llvm::BasicBlock *copy, bool isHead, const llvm::SmallPtrSetImpl<llvm::BasicBlock *> &all,
                      const llvm::ValueToValueMapTy &copies) {
    for (llvm::PHINode &phi : copy->phis())
        for (unsigned i = phi.getNumIncomingValues(); i-- > 0 && !isHead;)
            if (!all.contains(phi.getIncomingBlock(i))) phi.removeIncomingValue(i, false);
    for (llvm::BasicBlock *to : llvm::successors(copy))
        for (llvm::PHINode &phi : to->phis()) {
            if (all.contains(to)) break;
            for (unsigned i = 0, n = phi.getNumIncomingValues(); i < n; i++) {
                auto from = copies.find(phi.getIncomingBlock(i));
                if (from == copies.end() || from->second != copy) continue;
                auto value = copies.find(phi.getIncomingValue(i));
                phi.addIncoming(
                    value == copies.end() ? phi.getIncomingValue(i) : static_cast<llvm::Value *>(value->second), copy);
            }
        }
}

LLVMBasicBlockRef LLVMKdslCloneBlocks(const LLVMBasicBlockRef *blocks, unsigned n, LLVMBasicBlockRef head) {
    llvm::ValueToValueMapTy copies;
    llvm::SmallVector<llvm::BasicBlock *, 32> made;
    llvm::SmallPtrSet<llvm::BasicBlock *, 32> all;
    llvm::Function *fn = llvm::unwrap(head)->getParent();
    for (unsigned i = 0; i < n; i++) {
        llvm::BasicBlock *copy = llvm::CloneBasicBlock(llvm::unwrap(blocks[i]), copies, "", fn);
        copies[llvm::unwrap(blocks[i])] = copy;
        made.push_back(copy);
        all.insert(copy);
    }
    llvm::remapInstructionsInBlocks(made, copies);
    auto *first = llvm::cast<llvm::BasicBlock>(static_cast<llvm::Value *>(copies[llvm::unwrap(head)]));
    for (llvm::BasicBlock *copy : made) joinPaths(copy, copy == first, all, copies);
    return llvm::wrap(first);
}
