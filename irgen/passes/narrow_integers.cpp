// narrow_integers.cpp -- narrowing of integers: the language counts in 64 bits, for which a GPU needs two registers and
// two or more instructions, but the numbers of work items and the sizes of arrays fit into 32 in narrow entries
// (gpu/kernel.c). After LLVM's pipeline, which understands the 64-bit form: that a loop over n items runs where an item
// is below n.
//
//     k = phi i64 [0, k + 4]                          k = phi i32 [0, k + 4]
//     icmp slt i64 k, smin(n, m)              ==>     icmp slt i32 k, smin(trunc n, trunc m)
//     getelementptr float, x, i64 k                   getelementptr float, x, i64 (sext k)
//
// A 64-bit integer is computed in 32 bits in two cases. Its values fit into 32 bits, with a sign or without one, as
// scalar evolution and lazy value information find from the ranges of sizes, trip counts and conditions, and the marks
// of loops whose counters do not pass their ends: then it is the extension of what replaces it. Or nothing depends on
// more than its lower half (demanded bits): then it is replaced only where the lower half is used. In both, the new integer is the lower half of the old one: sums, products and bit
// operations take the lower halves of their operands; other operations are narrowed only if their operands fit, too.
#include "irgen/passes/narrow_integers.h"

#include "irgen/lang/marks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/DemandedBits.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned wide_bits = 64, word_bits = 32;
constexpr unsigned most_depth = 4; // of operands of operands that are asked for their ranges

constexpr unsigned most_ways = 4; // into a block whose phis are asked for theirs

// What the lower half of a result depends on.
enum class Kind {
    none,    // not computed in 32 bits
    lower,   // the lower halves of the operands
    values,  // the operands, with or without a sign
    numbers, // the operands, as signed numbers that are not negative
    words,   // the operands, as numbers without a sign
};

// How a value is an extension of its lower half.
enum class Fit { none, by_sign, by_zeros, both };

bool is_signed(Fit fit) { return fit == Fit::by_sign || fit == Fit::both; }
bool is_unsigned(Fit fit) { return fit == Fit::by_zeros || fit == Fit::both; }

bool is_shift_within_a_word(const Instruction &i) {
    auto *by = i.isShift() ? dyn_cast<ConstantInt>(i.getOperand(1)) : nullptr;
    return by && by->getValue().ult(word_bits);
}

bool is_capped_difference(const Value *v) {
    auto *call = dyn_cast<IntrinsicInst>(v);
    return call && call->getIntrinsicID() == Intrinsic::usub_sat;
}

Kind kind_of(const Instruction &i) {
    unsigned op = i.getOpcode();
    if (is_capped_difference(&i)) return Kind::words;
    if (op == Instruction::Add || op == Instruction::Sub || op == Instruction::Mul) return Kind::lower;
    if (i.isBitwiseLogicOp() || isa<PHINode>(i) || isa<SelectInst>(i)) return Kind::lower;
    if (i.isShift() && !is_shift_within_a_word(i)) return Kind::none;
    if (op == Instruction::Shl) return Kind::lower;
    if (op == Instruction::LShr || op == Instruction::UDiv || op == Instruction::URem) return Kind::words;
    if (op == Instruction::SDiv || op == Instruction::SRem) return Kind::numbers;
    bool extends = isa<ZExtInst>(i) || isa<SExtInst>(i);
    return extends || op == Instruction::AShr || isa<MinMaxIntrinsic>(i) ? Kind::values : Kind::none;
}

class Narrowing {
  public:
    Narrowing(Function &function, ScalarEvolution &evolution, LazyValueInfo &values, DemandedBits &demanded)
        : fn(function), se(evolution), lvi(values), bits(demanded), builder(function.getContext()),
          word(builder.getInt32Ty()) {}

    bool run() {
        collect();
        for (Instruction *i : narrow)
            if (auto *phi = dyn_cast<PHINode>(i)) words[phi] = new_phi(phi);
        for (Instruction *i : narrow) get(i);
        for (Instruction *i : narrow)
            if (auto *phi = dyn_cast<PHINode>(i)) fill(phi);
        bool changed = false;
        SmallVector<Instruction *, 32> all;
        for (Instruction &i : instructions(fn)) all.push_back(&i);
        for (Instruction *i : all) changed |= use(i);
        for (Use *index : checked_indices) {
            index->set(extend(index->get(), cast<Instruction>(index->getUser()), Fit::by_sign));
            changed = true;
        }
        return changed;
    }

  private:
    Function &fn;
    ScalarEvolution &se;
    LazyValueInfo &lvi;
    DemandedBits &bits;
    IRBuilder<> builder;
    Type *word;
    SmallVector<Instruction *, 32> narrow; // in the order of the function
    DenseMap<Value *, Fit> is_narrow;
    DenseMap<Value *, Value *> words;                    // the lower half
    DenseMap<Value *, ConstantRange> ranges;             // found before anything changes
    std::pair<Value *, bool> assumed = {nullptr, false}; // a condition, and whether it holds
    SmallVector<Use *, 8> checked_indices; // wide numbers that fit where they are used, since a check comes before

    // What scalar evolution and the conditions before it say, and what follows from the ranges of the operands, which
    // may be extensions of numbers that are known not to be negative.
    ConstantRange range(Value *v, unsigned depth = most_depth) {
        if (auto *c = dyn_cast<ConstantInt>(v)) return ConstantRange(c->getValue());
        auto known = ranges.find(v);
        if (known != ranges.end() && !(assumed.first && depth)) return known->second;
        ConstantRange r = known != ranges.end() ? known->second : se.getSignedRange(se.getSCEV(v));
        if (auto *i = dyn_cast<Instruction>(v); i && depth == most_depth)
            r = r.intersectWith(lvi.getConstantRange(i, i, false), ConstantRange::Signed);
        if (depth) r = r.intersectWith(of_operands(v, depth - 1), ConstantRange::Signed);
        if (depth == most_depth) ranges.insert({v, r});
        return r;
    }

    ConstantRange of_operands(Value *v, unsigned depth) {
        ConstantRange full = ConstantRange::getFull(v->getType()->getIntegerBitWidth());
        if (auto *ext = dyn_cast<ZExtInst>(v)) {
            unsigned from = ext->getSrcTy()->getIntegerBitWidth();
            if (!ext->hasNonNeg()) return full;
            return ConstantRange(APInt::getZero(from), APInt::getSignedMinValue(from)).zeroExtend(full.getBitWidth());
        }
        if (auto *select = dyn_cast<SelectInst>(v))
            return of_branch(select, true, depth).unionWith(of_branch(select, false, depth), ConstantRange::Signed);
        if (auto *extreme = dyn_cast<MinMaxIntrinsic>(v)) {
            ConstantRange both[2] = {range(extreme->getLHS(), depth), range(extreme->getRHS(), depth)};
            return ConstantRange::intrinsic(extreme->getIntrinsicID(), both);
        }
        if (is_capped_difference(v)) {
            auto *call = cast<IntrinsicInst>(v);
            return range(call->getArgOperand(0), depth).usub_sat(range(call->getArgOperand(1), depth));
        }
        if (auto *phi = dyn_cast<PHINode>(v)) return of_phi(phi, depth);
        auto *binary = dyn_cast<BinaryOperator>(v);
        if (!binary) return full;
        if (is_distance(binary, depth))
            return ConstantRange(APInt::getZero(wide_bits), APInt::getSignedMinValue(wide_bits));
        ConstantRange a = range(binary->getOperand(0), depth), b = range(binary->getOperand(1), depth);
        if (binary->getOpcode() == Instruction::Sub && !a.isEmptySet() && a.getSignedMin().isNonNegative() &&
            is_at_most(binary->getOperand(1), binary->getOperand(0), most_depth))
            return ConstantRange::getNonEmpty(APInt::getZero(full.getBitWidth()), a.getSignedMax() + 1);
        if (auto *either = dyn_cast<PossiblyDisjointInst>(v))
            if (either->isDisjoint()) return a.add(b);
        return a.binaryOp(binary->getOpcode(), b);
    }

    // Of what is selected, where the condition is known.
    ConstantRange of_branch(SelectInst *select, bool holds, unsigned depth) {
        std::pair<Value *, bool> outer = assumed;
        assumed = {select->getCondition(), holds};
        ConstantRange r = range(holds ? select->getTrueValue() : select->getFalseValue(), depth);
        assumed = outer;
        return r;
    }

    // The end of a loop whose counter is `phi`, below which it is if another iteration follows; NULL: not known. A
    // counter that is compared with its end by equality is below it before, where the mark of the loop says so.
    static Value *end_of(const PHINode *phi, unsigned k) {
        auto *branch = dyn_cast<BranchInst>(phi->getIncomingBlock(k)->getTerminator());
        auto *compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
        if (!compare || compare->getOperand(0) != phi->getIncomingValue(k)) return nullptr;
        if (branch->getSuccessor(0) == branch->getSuccessor(1)) return nullptr;
        if (!match(compare->getOperand(0), m_Add(m_Specific(phi), m_ConstantInt()))) return nullptr;
        ICmpInst::Predicate order = compare->getPredicate();
        if (branch->getSuccessor(0) != phi->getParent()) order = ICmpInst::getInversePredicate(order);
        bool is_below = order == ICmpInst::ICMP_ULT || (order == ICmpInst::ICMP_NE && is_marked(branch, CG_ORDERED));
        return is_below ? compare->getOperand(1) : nullptr;
    }

    static bool is_marked(const BranchInst *latch, StringRef mark) {
        MDNode *loop = latch->getMetadata(LLVMContext::MD_loop);
        return loop && findOptionMDForLoopID(loop, mark);
    }

    // Of what comes in; of a counter, all numbers from its begin to its end.
    ConstantRange of_phi(PHINode *phi, unsigned depth) {
        ConstantRange all = ConstantRange::getEmpty(phi->getType()->getIntegerBitWidth());
        if (phi->getNumIncomingValues() > most_ways) return ConstantRange::getFull(all.getBitWidth());
        for (unsigned k = 0; k < phi->getNumIncomingValues(); k++) {
            Value *end = end_of(phi, k);
            ConstantRange r = range(end ? end : phi->getIncomingValue(k), depth);
            if (end) r = ConstantRange(APInt::getZero(r.getBitWidth()), r.getUnsignedMax());
            all = all.unionWith(r, ConstantRange::Signed);
        }
        return all;
    }

    // x - y, or x - y - 1 as x + ~y, where y < x: how far a loop from y to x goes.
    bool is_distance(BinaryOperator *i, unsigned depth) {
        Value *x, *y;
        bool less = match(i, m_c_Add(m_Value(x), m_Not(m_Value(y))));
        if (!less && !match(i, m_Sub(m_Value(x), m_Value(y)))) return false;
        if (!i->getType()->isIntegerTy(wide_bits) || !is_word(range(x, depth)) || !is_word(range(y, depth)))
            return false;
        ICmpInst::Predicate order = less ? ICmpInst::ICMP_ULT : ICmpInst::ICMP_ULE;
        if (assumed.first && isImpliedCondition(assumed.first, order, y, x, fn.getDataLayout(), assumed.second) == true)
            return true;
        return se.isBasicBlockEntryGuardedByCond(i->getParent(), order, se.getSCEV(y), se.getSCEV(x));
    }

    // y <= x without a sign, whatever the numbers are that both are made of: y is a part of one of them, as its bits
    // under a mask, its quotient or remainder, and x is no less than it, as its double or the sum with another.
    static bool is_at_most(Value *y, Value *x, unsigned depth) {
        Value *a, *b;
        if (y == x) return true;
        if (!depth--) return false;
        if (match(y, m_And(m_Value(a), m_Value(b))) || match(y, m_UMin(m_Value(a), m_Value(b))))
            if (is_at_most(a, x, depth) || is_at_most(b, x, depth)) return true;
        if (match(y, m_CombineOr(m_CombineOr(m_LShr(m_Value(a), m_Value()), m_UDiv(m_Value(a), m_Value())),
                                 m_URem(m_Value(a), m_Value()))) &&
            is_at_most(a, x, depth))
            return true;
        if (match(x, m_NUWAdd(m_Value(a), m_Value(b))) || match(x, m_Or(m_Value(a), m_Value(b))) ||
            match(x, m_UMax(m_Value(a), m_Value(b))))
            return is_at_most(y, a, depth) || is_at_most(y, b, depth);
        return match(x, m_NUWShl(m_Value(a), m_Value())) && is_at_most(y, a, depth);
    }

    static bool is_word(const ConstantRange &r) {
        return !r.isEmptySet() && r.getSignedMin().isNonNegative() && r.getSignedMax().isIntN(word_bits);
    }

    Fit fit(Value *v) {
        ConstantRange r = range(v);
        if (r.isEmptySet()) return Fit::none;
        bool by_sign = r.getSignedMin().isSignedIntN(word_bits) && r.getSignedMax().isSignedIntN(word_bits);
        if (!is_word(r)) return by_sign ? Fit::by_sign : Fit::none;
        return by_sign ? Fit::both : Fit::by_zeros;
    }

    template <class Test> bool all_operands(const Instruction &i, Test test) {
        if (auto *call = dyn_cast<CallBase>(&i))
            return all_of(call->args(), [&](const Use &u) { return test(u.get()); });
        return all_of(i.operands(), [&](const Use &u) { return test(u.get()); });
    }

    bool takes(Instruction &i, Fit own) {
        Kind kind = kind_of(i);
        if (kind == Kind::none || kind == Kind::lower) return kind == Kind::lower;
        if (own == Fit::none) return false;
        if (isa<CastInst>(i)) return i.getOperand(0)->getType()->getScalarSizeInBits() <= word_bits;
        if (kind == Kind::words) return all_operands(i, [&](Value *v) { return is_unsigned(fit(v)); });
        if (kind == Kind::numbers) return all_operands(i, [&](Value *v) { return fit(v) == Fit::both; });
        return all_operands(i, [&](Value *v) { return is_signed(fit(v)); });
    }

    void find_ranges() {
        for (Argument &a : fn.args())
            if (a.getType()->isIntegerTy(wide_bits)) (void)range(&a);
        for (Instruction &i : instructions(fn))
            if (i.getType()->isIntegerTy(wide_bits)) (void)range(&i);
        for (Instruction &i : instructions(fn))
            if (auto *gep = dyn_cast<GetElementPtrInst>(&i))
                for (Use &index : gep->indices()) find_checked(index, gep);
    }

    void find_checked(Use &index, Instruction *user) {
        if (!index->getType()->isIntegerTy(wide_bits) || isa<Constant>(index) || fit(index) != Fit::none) return;
        ConstantRange r = lvi.getConstantRange(index, user, false);
        bool by_sign = !r.isEmptySet() && r.getSignedMin().isSignedIntN(word_bits);
        if (by_sign && r.getSignedMax().isSignedIntN(word_bits)) checked_indices.push_back(&index);
    }

    void collect() {
        find_ranges();
        for (Instruction &i : instructions(fn)) {
            if (!i.getType()->isIntegerTy(wide_bits)) continue;
            Fit own = fit(&i);
            if (own == Fit::none && !bits.getDemandedBits(&i).isIntN(word_bits)) continue;
            if (!takes(i, own)) continue;
            narrow.push_back(&i);
            is_narrow.insert({&i, own});
        }
    }

    PHINode *new_phi(PHINode *phi) {
        builder.SetInsertPoint(phi);
        return builder.CreatePHI(word, phi->getNumIncomingValues(), phi->getName());
    }

    void fill(PHINode *phi) {
        auto *made = cast<PHINode>(words[phi]);
        for (unsigned k = 0; k < phi->getNumIncomingValues(); k++)
            made->addIncoming(get(phi->getIncomingValue(k)), phi->getIncomingBlock(k));
    }

    // The lower half of v.
    Value *get(Value *v) {
        if (Value *made = words.lookup(v)) return made;
        Value *made = is_narrow.contains(v) ? make(cast<Instruction>(v)) : cut(v);
        return words[v] = made;
    }

    Value *cut(Value *v) {
        if (auto *c = dyn_cast<ConstantInt>(v)) return ConstantInt::get(word, c->getValue().trunc(word_bits));
        if (isa<PoisonValue>(v)) return PoisonValue::get(word);
        if (auto *i = dyn_cast<Instruction>(v)) {
            auto at = i->getInsertionPointAfterDef(); // always there: none of these is a call that may unwind
            builder.SetInsertPoint((*at)->getParent(), *at);
        } else {
            builder.SetInsertPoint(&fn.getEntryBlock(), fn.getEntryBlock().getFirstInsertionPt());
        }
        return builder.CreateTrunc(v, word);
    }

    Value *make(Instruction *i) {
        if (auto *cast = dyn_cast<CastInst>(i)) {
            Value *from = cast->getOperand(0);
            builder.SetInsertPoint(i);
            return from->getType() == word ? from : builder.CreateCast(cast->getOpcode(), from, word);
        }
        if (auto *select = dyn_cast<SelectInst>(i)) {
            Value *yes = get(select->getTrueValue()), *no = get(select->getFalseValue());
            builder.SetInsertPoint(i);
            return builder.CreateSelect(select->getCondition(), yes, no, i->getName(), select);
        }
        Value *a = get(i->getOperand(0)), *b = get(i->getOperand(1));
        builder.SetInsertPoint(i);
        if (auto *call = dyn_cast<IntrinsicInst>(i)) return builder.CreateBinaryIntrinsic(call->getIntrinsicID(), a, b);
        auto op = Instruction::BinaryOps(i->getOpcode());
        Value *made = builder.CreateBinOp(op, a, b, i->getName());
        if (auto *binary = dyn_cast<BinaryOperator>(made)) flags(*i, binary);
        return made;
    }

    // The sum of numbers that fit, which fits as well, does not wrap.
    void flags(Instruction &from, BinaryOperator *made) {
        if (auto *either = dyn_cast<PossiblyDisjointInst>(&from))
            if (either->isDisjoint()) cast<PossiblyDisjointInst>(made)->setIsDisjoint(true);
        if (isa<PossiblyExactOperator>(made)) made->setIsExact(from.isExact());
        if (!isa<OverflowingBinaryOperator>(made)) return;
        Fit own = is_narrow.lookup(&from), a = fit(from.getOperand(0)), b = fit(from.getOperand(1));
        made->setHasNoSignedWrap(is_signed(own) && is_signed(a) && is_signed(b));
        bool may_pass_64_bits = made->getOpcode() == Instruction::Mul && !(a == Fit::both && b == Fit::both);
        made->setHasNoUnsignedWrap(is_unsigned(own) && is_unsigned(a) && is_unsigned(b) && !may_pass_64_bits);
    }

    // Lets an instruction that stays use the 32-bit integers.
    bool use(Instruction *i) {
        if (auto *compare = dyn_cast<ICmpInst>(i)) return use_in_comparison(compare);
        if (auto *trunc = dyn_cast<TruncInst>(i)) return use_in_trunc(trunc);
        if (is_narrow.contains(i)) return false;
        if (auto *phi = dyn_cast<PHINode>(i)) return use_in_phi(phi);
        if (match(i, m_And(m_Value(), m_SpecificInt(UINT32_MAX))) && is_narrow.contains(i->getOperand(0)))
            return replace(i, extend(i->getOperand(0), i, Fit::by_zeros));
        return use_operands(i);
    }

    // A cast that is there extends what it needs.
    bool is_replaced(Value *v) { return is_narrow.lookup(v) != Fit::none && !isa<CastInst>(v); }

    bool use_operands(Instruction *i) {
        bool changed = false;
        for (Use &u : i->operands()) {
            if (!is_replaced(u.get())) continue;
            u.set(extend(u.get(), i, is_narrow.lookup(u.get())));
            changed = true;
        }
        return changed;
    }

    bool use_in_phi(PHINode *phi) {
        bool changed = false;
        for (unsigned k = 0; k < phi->getNumIncomingValues(); k++) {
            Value *v = phi->getIncomingValue(k);
            if (!is_replaced(v)) continue;
            Instruction *end = phi->getIncomingBlock(k)->getTerminator();
            int first = phi->getBasicBlockIndex(phi->getIncomingBlock(k));
            phi->setIncomingValue(k,
                                  first < int(k) ? phi->getIncomingValue(first) : extend(v, end, is_narrow.lookup(v)));
            changed = true;
        }
        return changed;
    }

    bool use_in_comparison(ICmpInst *compare) {
        Value *a = compare->getOperand(0), *b = compare->getOperand(1);
        if (!a->getType()->isIntegerTy(wide_bits)) return false;
        Fit left = fit(a), right = fit(b);
        bool by_sign = is_signed(left) && is_signed(right), by_zeros = is_unsigned(left) && is_unsigned(right);
        ICmpInst::Predicate order = compare->getPredicate();
        by_zeros |= is_inside(order, a, b, right) || is_inside(ICmpInst::getSwappedPredicate(order), b, a, left);
        if (!by_sign && !by_zeros) return use_operands(compare);
        if (!by_sign) order = ICmpInst::getUnsignedPredicate(order);
        Value *lower[2] = {get(a), get(b)};
        builder.SetInsertPoint(compare);
        return replace(compare, builder.CreateICmp(order, lower[0], lower[1], compare->getName()));
    }

    // The check of an index, the sum of numbers that have 32 bits with a sign and without one: 0 <= index < n. No index
    // outside has a lower half below n, if n has 31 bits.
    bool is_inside(ICmpInst::Predicate order, Value *index, Value *n, Fit size) {
        if (ICmpInst::isSigned(order) || ICmpInst::isEquality(order) || size != Fit::both) return false;
        if (range(n).getSignedMin().isNegative()) return false;
        ConstantRange r = range(index);
        return !r.isEmptySet() && r.getSignedMin().isSignedIntN(word_bits) &&
               (r.getSignedMax().isNegative() || r.getSignedMax().isIntN(word_bits));
    }

    bool use_in_trunc(TruncInst *trunc) {
        Value *from = trunc->getOperand(0);
        if (!is_narrow.contains(from) || trunc->getType()->getScalarSizeInBits() > word_bits) return false;
        Value *half = get(from);
        builder.SetInsertPoint(trunc);
        return replace(trunc, builder.CreateTrunc(half, trunc->getType()));
    }

    Value *extend(Value *v, Instruction *before, Fit fit) {
        Value *half = get(v);
        builder.SetInsertPoint(before);
        return is_signed(fit) ? builder.CreateSExt(half, v->getType()) : builder.CreateZExt(half, v->getType());
    }

    bool replace(Instruction *old, Value *made) {
        if (made == old) return false;
        old->replaceAllUsesWith(made);
        return true;
    }
};

template <class Act> void with_analyses(TargetMachine *machine, Act act) {
    LoopAnalysisManager of_loops;
    FunctionAnalysisManager of_functions;
    CGSCCAnalysisManager of_sccs;
    ModuleAnalysisManager of_modules;
    PassBuilder builder(machine);
    builder.registerModuleAnalyses(of_modules);
    builder.registerCGSCCAnalyses(of_sccs);
    builder.registerFunctionAnalyses(of_functions);
    builder.registerLoopAnalyses(of_loops);
    builder.crossRegisterProxies(of_loops, of_functions, of_sccs, of_modules);
    act(of_functions);
}

bool is_extension(const Instruction &i) {
    return isa<ZExtInst, SExtInst>(i) && i.getType()->isIntegerTy(wide_bits) &&
           i.getOperand(0)->getType()->isIntegerTy(word_bits);
}

// One instruction of NVIDIA's GPUs multiplies a signed number and adds the product to an address. For a number without
// a sign their assembler writes two.
Instruction *signed_extension(Instruction *i) {
    if (!isa<ZExtInst>(i) || !i->hasNonNeg() || !i->getModule()->getTargetTriple().isNVPTX()) return i;
    auto *made = new SExtInst(i->getOperand(0), i->getType(), i->getName(), i->getIterator());
    i->replaceAllUsesWith(made);
    i->eraseFromParent();
    return made;
}

// CodeGenPrepare would extend a number where it is loaded, and everybody would use the 64 bits. It does not see through
// a freeze.
void hide(Instruction *extension) {
    auto *same = new FreezeInst(extension->getOperand(0), "", extension->getIterator());
    extension->setOperand(0, same);
}

// An extension that is also used where it is made would be made one with its copies again (GVN in the back end): in the
// same loop, addresses made of it are computed beside it instead.
bool raise_addresses(Instruction *i, const DominatorTree &dominators, const LoopInfo &loops) {
    BasicBlock *own = i->getParent();
    const Loop *loop = loops.getLoopFor(own);
    if (!loop || none_of(i->users(), [&](User *u) { return cast<Instruction>(u)->getParent() == own; })) return false;
    bool changed = false;
    for (User *user : make_early_inc_range(i->users())) {
        auto *gep = dyn_cast<GetElementPtrInst>(user);
        bool is_below = gep && gep->getParent() != own && loops.getLoopFor(gep->getParent()) == loop;
        auto is_made = [&](Use &operand) { return operand == i || dominators.dominates(operand, i); };
        if (!is_below || !all_of(gep->operands(), is_made)) continue;
        gep->moveAfter(i);
        changed = true;
    }
    return changed;
}

bool sink(Instruction *i) {
    DenseMap<BasicBlock *, Instruction *> copies;
    bool changed = false;
    for (Use &u : make_early_inc_range(i->uses())) {
        auto *user = cast<Instruction>(u.getUser());
        if (isa<PHINode>(user) || user->getParent() == i->getParent()) continue;
        Instruction *&copy = copies[user->getParent()];
        if (!copy) {
            copy = i->clone();
            copy->insertBefore(user->getParent()->getFirstInsertionPt());
            if (isa<LoadInst>(copy->getOperand(0))) hide(copy);
        }
        u.set(copy);
        changed = true;
    }
    auto *load = dyn_cast<LoadInst>(i->getOperand(0));
    if (i->use_empty()) i->eraseFromParent();
    else if (load && load->getParent() != i->getParent()) hide(i);
    return changed;
}

// Is it executed only by the item whose failed check is reported?
bool is_of_report(const BasicBlock *bb) {
    const BasicBlock *before = bb->getSinglePredecessor();
    return before &&
           any_of(*before, [](const Instruction &i) { return isa<AtomicCmpXchgInst>(i) && i.hasMetadata(CG_REPORT); });
}

// An index that is a wide number only where the failure of its check is reported is computed there, and its lower half,
// which everything else uses, from the lower halves of its operands.
bool split_reported(Instruction *i) {
    if (!isa<BinaryOperator>(i) || !i->getType()->isIntegerTy(wide_bits) || kind_of(*i) != Kind::lower) return false;
    SmallVector<Instruction *, 4> cuts;
    for (User *user : i->users()) {
        auto *u = cast<Instruction>(user);
        if (isa<TruncInst>(u) && u->getType()->isIntegerTy(word_bits)) cuts.push_back(u);
        else if (!is_of_report(u->getParent()) || u->getParent() == i->getParent()) return false;
    }
    if (cuts.empty()) return false;
    IRBuilder<> builder(i);
    Value *half[2];
    for (unsigned k = 0; k < 2; k++) {
        auto *operand = dyn_cast<Instruction>(i->getOperand(k));
        if (operand && is_extension(*operand)) half[k] = operand->getOperand(0);
        else half[k] = builder.CreateTrunc(i->getOperand(k), builder.getInt32Ty());
    }
    Value *lower = builder.CreateBinOp(Instruction::BinaryOps(i->getOpcode()), half[0], half[1], i->getName());
    for (Instruction *cut : cuts) {
        cut->replaceAllUsesWith(lower);
        cut->eraseFromParent();
    }
    if (i->use_empty()) i->eraseFromParent();
    else sink(i);
    return true;
}

} // namespace

LLVMBool LLVMKdslNarrowIntegers(LLVMValueRef function, LLVMTargetMachineRef machine) {
    auto *fn = unwrap<Function>(function);
    bool changed = removeUnreachableBlocks(*fn); // there, a number may depend on itself
    with_analyses(reinterpret_cast<TargetMachine *>(machine), [&](FunctionAnalysisManager &analyses) {
        auto &se = analyses.getResult<ScalarEvolutionAnalysis>(*fn);
        auto &values = analyses.getResult<LazyValueAnalysis>(*fn);
        auto &demanded = analyses.getResult<DemandedBitsAnalysis>(*fn);
        changed |= Narrowing(*fn, se, values, demanded).run();
    });
    return changed;
}

LLVMBool LLVMKdslSinkExtensions(LLVMValueRef function) {
    SmallVector<Instruction *, 16> wide, extensions;
    bool changed = false;
    for (Instruction &i : instructions(unwrap<Function>(function)))
        if (i.getType()->isIntegerTy(wide_bits)) wide.push_back(&i);
    for (Instruction *i : wide) changed |= split_reported(i);
    for (Instruction &i : instructions(unwrap<Function>(function)))
        if (is_extension(i)) extensions.push_back(&i);
    DominatorTree dominators(*unwrap<Function>(function));
    LoopInfo loops(dominators);
    for (Instruction *i : extensions) {
        i = signed_extension(i);
        changed |= raise_addresses(i, dominators, loops);
        changed |= sink(i);
    }
    return changed;
}
