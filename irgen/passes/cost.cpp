// cost.cpp -- see cost.h; C++ because LLVM's cost model has no C interface. Operands that are constant or uniform make
// shifts and divisions cheaper on some machines, so they are passed to the model.
#include "irgen/passes/cost.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace {

constexpr auto KIND = TargetTransformInfo::TCK_RecipThroughput;

Type *wide(Type *t, unsigned lanes) {
    return lanes == 1 || !VectorType::isValidElementType(t) ? t : FixedVectorType::get(t, lanes);
}

/* A clamp, a conversion and choices (simd/saturate.c). */
InstructionCost saturating_cost(const TargetTransformInfo &tti, const CallInst &call, bool is_signed, unsigned lanes) {
    enum { CHOICES = 6 };
    Type *from = wide(call.getArgOperand(0)->getType(), lanes), *to = wide(call.getType(), lanes);
    unsigned opcode = is_signed ? Instruction::FPToSI : Instruction::FPToUI;
    return CHOICES + tti.getCastInstrCost(opcode, to, from, TargetTransformInfo::CastContextHint::None, KIND);
}

InstructionCost call_cost(const TargetTransformInfo &tti, const CallInst &call, unsigned lanes) {
    auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
    if (!intrinsic) return InstructionCost::getInvalid();
    Intrinsic::ID id = intrinsic->getIntrinsicID();
    if (id == Intrinsic::fptosi_sat || id == Intrinsic::fptoui_sat)
        return saturating_cost(tti, call, id == Intrinsic::fptosi_sat, lanes);
    SmallVector<Type *, 4> types;
    for (const Value *argument : call.args()) {
        Type *t = argument->getType();
        types.push_back(isa<ConstantInt>(argument) && t->isIntegerTy(1) ? t : wide(t, lanes));
    }
    IntrinsicCostAttributes attributes(id, wide(call.getType(), lanes), types);
    return tti.getIntrinsicInstrCost(attributes, KIND);
}

// x86 has no vector division of integers, so lanes are divided one by one, for which LLVM's model has a single number; one
// alone is a few operations, beside which the divider is busy (level_cost.c). Division by a constant becomes a product of
// twice the width, which exists for lanes of up to 32 bits. LLVM divides small 64-bit numbers in 32 bits (BypassSlowDivision),
// but not those in lanes.
InstructionCost division_cost(const Instruction &i, unsigned lanes) {
    enum { PRODUCT = 6, QUOTIENT = 4, BYPASS = 2, LANE = 19, LONG_LANE = 35 };
    bool is_long = i.getType()->getScalarSizeInBits() > 32, by_constant = isa<Constant>(i.getOperand(1));
    if (match(i.getOperand(1), PatternMatch::m_Power2())) return is_long && lanes > 1 ? 6 : 3;
    if (lanes == 1) return by_constant ? PRODUCT : is_long ? QUOTIENT + BYPASS : QUOTIENT;
    if (by_constant) return is_long ? lanes * (PRODUCT + 3) : 2 * PRODUCT;
    return lanes * (is_long ? LONG_LANE : LANE);
}

/* Lanes at addresses of their own. */
InstructionCost gather_cost(const TargetTransformInfo &tti, const Instruction &i, unsigned lanes) {
    if (lanes == 1) return InstructionCost::getInvalid();
    Intrinsic::ID id = isa<LoadInst>(i) ? Intrinsic::masked_gather : Intrinsic::masked_scatter;
    Type *t = wide(getLoadStoreType(&i), lanes);
    if (!t->isVectorTy()) return InstructionCost::getInvalid();
    MemIntrinsicCostAttributes access(id, t, getLoadStorePointerOperand(&i), false, getLoadStoreAlignment(&i));
    return tti.getMemIntrinsicInstrCost(access, KIND);
}

InstructionCost cost_of(const TargetTransformInfo &tti, const Instruction &i, unsigned lanes) {
    Type *t = wide(i.getType(), lanes);
    if (auto *cast = dyn_cast<CastInst>(&i)) {
        Type *from = wide(cast->getSrcTy(), lanes);
        return tti.getCastInstrCost(i.getOpcode(), t, from, TargetTransformInfo::CastContextHint::None, KIND);
    }
    if (isa<LoadInst>(i) || isa<StoreInst>(i)) return gather_cost(tti, i, lanes);
    if (i.isIntDivRem()) return division_cost(i, lanes);
    if (isa<BinaryOperator>(i) || isa<UnaryOperator>(i)) {
        auto first = tti.getOperandInfo(i.getOperand(0)), second = first;
        if (i.getNumOperands() > 1) second = tti.getOperandInfo(i.getOperand(1));
        return tti.getArithmeticInstrCost(i.getOpcode(), t, KIND, first, second);
    }
    if (auto *compare = dyn_cast<CmpInst>(&i)) {
        Type *of = wide(compare->getOperand(0)->getType(), lanes);
        return tti.getCmpSelInstrCost(i.getOpcode(), of, CmpInst::makeCmpResultType(of), compare->getPredicate(), KIND);
    }
    if (isa<PHINode>(i) && lanes == 1) return 0; // in vector code a phi becomes a select
    if (isa<SelectInst>(i) || isa<PHINode>(i))
        return tti.getCmpSelInstrCost(i.getOpcode(), t, CmpInst::makeCmpResultType(t), CmpInst::BAD_ICMP_PREDICATE, KIND);
    if (auto *call = dyn_cast<CallInst>(&i)) return call_cost(tti, *call, lanes);
    return InstructionCost::getInvalid();
}

double number(InstructionCost cost) { return cost.isValid() ? double(cost.getValue()) : -1; }

} // namespace

void LLVMKdslOperationCosts(LLVMTargetMachineRef machine, LLVMValueRef fn, const LLVMValueRef *at, int n, int lanes,
                        OperationCost *costs) {
    auto *target = reinterpret_cast<TargetMachine *>(machine);
    TargetTransformInfo tti = target->getTargetTransformInfo(*unwrap<Function>(fn));
    for (int k = 0; k < n; k++) {
        auto &i = *unwrap<Instruction>(at[k]);
        costs[k] = {number(cost_of(tti, i, 1)), number(cost_of(tti, i, unsigned(lanes)))};
    }
}
