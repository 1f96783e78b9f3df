// barriers.cpp -- divergence analysis of barriers, by LLVM's uniformity and cycle analyses. A target's own description
// of divergence is about one warp or wavefront, but a barrier needs uniform control flow in the whole group. So this
// file defines the sources of divergence: thread indices, atomic updates, and loads from private memory that contains a
// divergent value. A load from memory of several threads is uniform if its address is: between two barriers, no item
// may write what another item reads (the same rule as in sema/barrier.c).
//
// A barrier is divergent if a divergent branch decides whether it is reached (the barrier lies between the branch and
// its immediate post-dominator), or how often (a divergent branch leaves a cycle that contains it). The first condition
// does not include the second: where two cycles are nested, the post-dominator may be the header of the inner cycle,
// and a machine that executes the inner cycle until its last item has left executes the barrier once more.
//
// A call of a function that reaches a barrier counts as a barrier.
#include "irgen/passes/barriers.h"
#include "irgen/lang/marks.h"

#include <cstring>
#include <string>

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

bool is_barrier(const Instruction &i) {
    auto *call = dyn_cast<IntrinsicInst>(&i);
    if (!call) return false;
    switch (call->getIntrinsicID()) {
    case Intrinsic::amdgcn_s_barrier:
    case Intrinsic::nvvm_barrier_cta_sync_aligned_all: return true;
    default: return false; // irgen/gpu writes no other barrier
    }
}

bool is_thread_number(const Value &v) {
    auto *call = dyn_cast<IntrinsicInst>(&v);
    if (!call) return false;
    switch (call->getIntrinsicID()) {
    case Intrinsic::amdgcn_workitem_id_x:
    case Intrinsic::amdgcn_workitem_id_y:
    case Intrinsic::amdgcn_workitem_id_z:
    case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    case Intrinsic::nvvm_read_ptx_sreg_tid_z: return true;
    default: return false;
    }
}

bool is_function_call(const Instruction &i) {
    auto *call = dyn_cast<CallInst>(&i);
    return call && !call->isInlineAsm() && !isa<IntrinsicInst>(call);
}

// True if both are the same operations on the same values: LLVM may duplicate a computation on both paths of a branch.
bool is_same(const Value *a, const Value *b, int depth = 8) {
    if (a == b) return true;
    auto *i = dyn_cast<Instruction>(a), *j = dyn_cast<Instruction>(b);
    if (!i || !j || !depth || isa<PHINode>(i) || i->isAtomic() || i->mayWriteToMemory()) return false;
    if (!i->isSameOperationAs(j)) return false;
    return all_of(zip(i->operands(), j->operands()),
                  [&](auto pair) { return is_same(std::get<0>(pair), std::get<1>(pair), depth - 1); });
}

// True if the phi has the same value for each of these predecessors.
bool is_one_value(const PHINode &phi, const SmallVectorImpl<const BasicBlock *> &entered) {
    const Value *one = nullptr;
    for (const BasicBlock *from : entered) {
        const Value *v = phi.getIncomingValueForBlock(from);
        if (isa<UndefValue>(v)) continue;
        if (one && !is_same(one, v)) return false;
        one = v;
    }
    return true;
}

using Values = SmallPtrSet<const Value *, 32>;
using Blocks = SmallPtrSet<const BasicBlock *, 32>;

// The rules in LLVM's interface. Calls and phis are uniform until this analysis finds them divergent: LLVM's would
// treat every phi at the join of a divergent branch as divergent, also if its values are the same on all paths.
class GroupRules final : public TargetTransformInfoImplCRTPBase<GroupRules> {
    const Values &differ;

  public:
    GroupRules(const DataLayout &layout, const Values &differ)
        : TargetTransformInfoImplCRTPBase(layout), differ(differ) {}
    InstructionUniformity getInstructionUniformity(const Value *v) const override {
        if (differ.contains(v)) return InstructionUniformity::NeverUniform;
        auto *i = dyn_cast<Instruction>(v);
        bool ours = i && (isa<PHINode>(i) || is_function_call(*i));
        return ours ? InstructionUniformity::AlwaysUniform : InstructionUniformity::Default;
    }
    bool hasBranchDivergence(const Function *) const override { return true; }
};

// The private memory (allocas) that an instruction accesses.
using Frame = SmallSetVector<const AllocaInst *, 4>;

Frame frame_of(const Value *pointer) {
    SmallVector<const Value *, 4> objects;
    Frame frame;
    getUnderlyingObjects(pointer, objects, nullptr, 0);
    for (const Value *o : objects)
        if (auto *alloca = dyn_cast<AllocaInst>(o)) frame.insert(alloca);
    return frame;
}

// Calls visit(from, to, meets) for each edge between the end of `from` and its immediate post-dominator (meets: the
// edge enters that block).
template <class Visit> void each_edge(const PostDominatorTree &post, const BasicBlock *from, Visit visit) {
    auto *next = post.getNode(from) ? post.getNode(from)->getIDom() : nullptr;
    const BasicBlock *meet = next ? next->getBlock() : nullptr;
    SmallPtrSet<const BasicBlock *, 16> seen;
    SmallVector<const BasicBlock *, 16> todo{from};
    while (!todo.empty()) {
        const BasicBlock *b = todo.pop_back_val();
        for (const BasicBlock *to : successors(b)) {
            visit(b, to, to == meet);
            if (to != meet && seen.insert(to).second) todo.push_back(to);
        }
    }
}

// Divergent values, as the least fixpoint: at first only the sources are divergent.
class Divergence {
    Function &f;
    FunctionAnalysisManager analyses;
    PostDominatorTree post;
    Values differ;   // sources, allocas that contain a divergent value, calls and phis
    Blocks branches; // that end in a divergent branch
    Blocks partial;  // that only some items of the group may reach

    bool write_differs(const UniformityInfo &info, const Instruction &i) const {
        return partial.contains(i.getParent()) ||
               any_of(i.operands(), [&](const Use &u) { return isa<Instruction>(u) && info.isDivergentUse(u); });
    }

    bool frame_differs(const Frame &frame) const {
        return any_of(frame, [&](const AllocaInst *a) { return differ.contains(a); });
    }

    bool call_differs(const UniformityInfo &info, const CallInst &call) const {
        const Function *callee = call.getCalledFunction();
        if (!callee || callee->hasFnAttribute(CG_DIFFERS)) return true;
        for (const Use &u : call.args()) {
            unsigned n = call.getArgOperandNo(&u);
            if (n < callee->arg_size() && callee->getAttributes().hasParamAttr(n, CG_REPORTED)) continue;
            if (info.isDivergentUse(u) || frame_differs(frame_of(u.get()))) return true;
        }
        return false;
    }

    bool note(const Frame &frame) {
        bool more = false;
        for (const AllocaInst *a : frame) more |= differ.insert(a).second;
        return more;
    }

    bool propagate_call(const UniformityInfo &info, const CallInst &call) {
        bool own = call_differs(info, call), more = own && differ.insert(&call).second;
        if (own || partial.contains(call.getParent()))
            for (const Use &u : call.args())
                if (u->getType()->isPointerTy()) more |= note(frame_of(u.get()));
        return more;
    }

    bool propagate_copy(const UniformityInfo &info, const MemIntrinsic &m) {
        auto *copy = dyn_cast<MemTransferInst>(&m);
        bool own = write_differs(info, m) || (copy && frame_differs(frame_of(copy->getRawSource())));
        return own && note(frame_of(m.getRawDest()));
    }

    bool propagate_phi(const UniformityInfo &info, const PHINode &phi) {
        bool own = any_of(phi.incoming_values(), [&](const Use &u) { return info.isDivergentUse(u); });
        return own && differ.insert(&phi).second;
    }

    // Propagates divergence through one instruction; true: something is newly divergent.
    bool note(const UniformityInfo &info, const Instruction &i) {
        if (auto *phi = dyn_cast<PHINode>(&i)) return propagate_phi(info, *phi);
        if (auto *store = dyn_cast<StoreInst>(&i))
            return write_differs(info, i) && note(frame_of(store->getPointerOperand()));
        if (auto *load = dyn_cast<LoadInst>(&i))
            return frame_differs(frame_of(load->getPointerOperand())) && differ.insert(&i).second;
        if (auto *copy = dyn_cast<MemIntrinsic>(&i)) return propagate_copy(info, *copy);
        return is_function_call(i) && propagate_call(info, cast<CallInst>(i));
    }

    // A phi is divergent if paths from a divergent branch enter its block from different predecessors with different
    // values.
    bool propagate_branch(const BasicBlock *b) {
        DenseMap<const BasicBlock *, SmallVector<const BasicBlock *, 4>> entered;
        each_edge(post, b, [&](const BasicBlock *from, const BasicBlock *to, bool meets) {
            entered[to].push_back(from);
            if (!meets) partial.insert(to);
        });
        bool more = false;
        for (auto &[to, from] : entered)
            for (const PHINode &phi : to->phis())
                if (!is_one_value(phi, from)) more |= differ.insert(&phi).second;
        return more;
    }

    bool step() {
        UniformityInfo info = UniformityInfoAnalysis().run(f, analyses);
        bool more = false;
        for (const BasicBlock &b : f)
            if (info.hasDivergentTerminator(b) && branches.insert(&b).second) more |= propagate_branch(&b);
        for (const Instruction &i : instructions(f)) more |= note(info, i);
        return more;
    }

  public:
    explicit Divergence(Function &f) : f(f), post(f) {
        analyses.registerPass([] { return PassInstrumentationAnalysis(); });
        analyses.registerPass([] { return DominatorTreeAnalysis(); });
        analyses.registerPass([] { return CycleAnalysis(); });
        analyses.registerPass([this] {
            return TargetIRAnalysis([this](const Function &at) {
                return TargetTransformInfo(std::make_unique<GroupRules>(at.getDataLayout(), differ));
            });
        });
        for (const Instruction &i : instructions(f))
            if (is_thread_number(i) || i.isAtomic()) differ.insert(&i);
        while (step()) {}
    }

    bool splits(const BasicBlock *b) const { return branches.contains(b); }
};

// A copy of the kernel without the paths of failed checks. Items on these paths are about to end, so their values do
// not matter; without them fewer values are divergent, and the branches to them are divergent by definition.
class Stripped {
    Blocks leaving; // of items that record that they end where the group meets next, or will record it
    Blocks failing; // that end in a branch to one of these
    ValueToValueMapTy copies;

    void find_leaving(const Function &f) {
        for (const BasicBlock &b : f)
            for (const Instruction &i : b)
                if (auto *store = dyn_cast<StoreInst>(&i))
                    if (store->getPointerOperand()->getName().starts_with(CG_FAILED) &&
                        !match(store->getValueOperand(), PatternMatch::m_Zero()))
                        leaving.insert(&b);
        for (bool more = !leaving.empty(); more;) {
            more = false;
            for (const BasicBlock &b : f)
                if (!succ_empty(&b) && all_of(successors(&b), [&](auto *to) { return leaving.contains(to); }))
                    more |= leaving.insert(&b).second;
        }
    }

    // Replaces the conditional branch of b to a failing path by a branch to its other successor.
    void strip(const BasicBlock &b) {
        auto *branch = dyn_cast<BranchInst>(b.getTerminator());
        if (!branch || !branch->isConditional() || leaving.contains(&b)) return;
        for (unsigned i = 0; i < 2; i++) {
            if (!leaving.contains(branch->getSuccessor(i))) continue;
            failing.insert(&b);
            auto *copy = cast<BranchInst>(&*copies[branch]);
            BranchInst::Create(copy->getSuccessor(1 - i), copy->getIterator());
            copy->eraseFromParent();
            return;
        }
    }

  public:
    Function *f;
    explicit Stripped(Function &from) {
        find_leaving(from);
        f = CloneFunction(&from, copies);
        for (const BasicBlock &b : from) strip(b);
        removeUnreachableBlocks(*f);
    }
    ~Stripped() { f->eraseFromParent(); }

    // True if the branch at the end of b may be divergent; branches to failing paths always may.
    bool splits(const BasicBlock &b, const Divergence &d) {
        return failing.contains(&b) || (!leaving.contains(&b) && d.splits(cast_or_null<BasicBlock>(copies.lookup(&b))));
    }
};

// The blocks that only some items of a group may reach, or reach a different number of times.
class Control {
    PostDominatorTree post;
    CycleInfo cycles;
    Blocks branches, partial;

    bool leaves(const BasicBlock *branch, const Cycle *cycle) const {
        bool out = false;
        each_edge(post, branch, [&](const BasicBlock *from, const BasicBlock *to, bool) {
            out |= cycle->contains(from) && !cycle->contains(to);
        });
        return out;
    }

  public:
    explicit Control(Function &f) : post(f) {
        cycles.compute(f);
        Stripped stripped(f);
        Divergence divergence(*stripped.f);
        for (const BasicBlock &b : f)
            if (stripped.splits(b, divergence)) branches.insert(&b);
        for (const BasicBlock *b : branches)
            each_edge(post, b, [&](const BasicBlock *, const BasicBlock *to, bool meets) {
                if (!meets) partial.insert(to);
            });
    }

    bool splits(const BasicBlock *b) const {
        if (partial.contains(b)) return true;
        for (const Cycle *c = cycles.getCycle(b); c; c = c->getParentCycle())
            for (const BasicBlock *branch : c->blocks())
                if (branches.contains(branch) && leaves(branch, c)) return true;
        return false;
    }
};

using Functions = SmallPtrSet<const Function *, 8>;

// True for a barrier, or a call of one of these functions.
bool reaches_barrier(const Instruction &i, const Functions &with_barrier) {
    auto *call = dyn_cast<CallInst>(&i);
    return is_barrier(i) || (call && with_barrier.contains(call->getCalledFunction()));
}

// The functions that contain a barrier, directly or through calls.
Functions find_barrier_functions(const Module &module) {
    Functions with_barrier;
    for (bool more = true; more;) {
        more = false;
        for (const Function &f : module)
            if (any_of(instructions(f), [&](const Instruction &i) { return reaches_barrier(i, with_barrier); }))
                more |= with_barrier.insert(&f).second;
    }
    return with_barrier;
}

} // namespace

extern "C" char *LLVMKdslDivergentBarrier(LLVMModuleRef module) {
    SmallVector<Function *, 8> functions;
    for (Function &f : *unwrap(module)) functions.push_back(&f);
    const Functions with_barrier = find_barrier_functions(*unwrap(module));
    for (Function *f : functions) {
        SmallSetVector<BasicBlock *, 8> blocks;
        for (Instruction &i : instructions(*f))
            if (reaches_barrier(i, with_barrier)) blocks.insert(i.getParent());
        if (blocks.empty()) continue;
        Control control(*f);
        for (BasicBlock *b : blocks)
            if (control.splits(b)) return strdup((f->getName() + ", block " + b->getName()).str().c_str());
    }
    return nullptr;
}
