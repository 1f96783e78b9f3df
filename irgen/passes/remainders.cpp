// remainders.cpp -- remainders of sums by subtraction (strength reduction): what is added to or taken from an index
// before a remainder, `(i + 1) % n`, `(i + n - 1) % n`, wraps it around the end of an array, so nearly always it is
// less than the divisor, or less than twice that. Two comparisons tell so, and a division, of 26 to 40 cycles before
// Ice Lake and of 10 to 18 since, is made for other numbers only. Runs after the pipeline, which would not know the
// remainder any more.
#include "irgen/passes/remainders.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned narrow = 32; // division of fewer bits is fast

bool wraps_around(const Instruction &i) {
    unsigned op = i.getOpcode();
    if ((op != Instruction::URem && op != Instruction::SRem) || !i.getType()->isIntegerTy()) return false;
    Value *sum = i.getOperand(0);
    match(sum, m_Freeze(m_Value(sum)));
    bool is_sum = match(sum, m_Add(m_Value(), m_Value())) || match(sum, m_Sub(m_Value(), m_Value()));
    return is_sum && !isa<Constant>(i.getOperand(1)) && i.getType()->getIntegerBitWidth() >= narrow;
}

// Of a signed remainder neither may be negative: -3 without 2^31 - 1 is less than that as an unsigned number.
void subtract(Instruction *rem) {
    IRBuilder<> b(rem);
    Value *x = b.CreateFreeze(rem->getOperand(0)), *y = b.CreateFreeze(rem->getOperand(1));
    Value *is_less = b.CreateICmpULT(x, y), *beyond = b.CreateSub(x, y), *is_near = b.CreateICmpULT(beyond, y);
    Value *near = b.CreateOr(is_less, is_near), *without = b.CreateSelect(is_less, x, beyond);
    Value *zero = Constant::getNullValue(y->getType());
    if (rem->getOpcode() == Instruction::SRem) near = b.CreateAnd(near, b.CreateICmpSGE(b.CreateOr(x, y), zero));
    MDNode *weights = MDBuilder(rem->getContext()).createBranchWeights(1, 1000);
    BasicBlock *from = rem->getParent();
    Instruction *far = SplitBlockAndInsertIfThen(b.CreateNot(near), rem, false, weights);
    PHINode *result = PHINode::Create(rem->getType(), 2, "", rem->getIterator());
    rem->replaceAllUsesWith(result);
    rem->moveBefore(far->getIterator());
    rem->setOperand(0, x);
    rem->setOperand(1, y);
    result->addIncoming(without, from);
    result->addIncoming(rem, far->getParent());
}

} // namespace

void LLVMKdslSubtractRemainders(LLVMValueRef function) {
    SmallVector<Instruction *> all;
    for (Instruction &i : instructions(*unwrap<Function>(function)))
        if (wraps_around(i)) all.push_back(&i);
    for (Instruction *i : all) subtract(i);
}
