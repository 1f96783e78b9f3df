// barriers.cpp -- divergence of barriers, by LLVM's uniformity and cycle analyses. What a target tells LLVM about
// divergence is about one warp or wavefront; a barrier needs the same control flow in all of a group. So the sources of
// divergence are stated here: thread numbers, atomic updates, and memory of the thread itself that holds a value that
// differs. Memory of all threads, read at the same address, holds the same for all of them: the language forbids to
// write between two barriers what another item reads (sema/barrier.c rests on the same rule).
//
// A barrier is divergent if a branch that differs decides whether it is reached (it lies between the branch and the
// point where all paths from there meet again), or how often (such a branch leaves a cycle that contains it). The
// second case is not part of the first: where two cycles are nested, all paths may meet again in the header of the
// inner one, but a machine that runs the inner cycle until its last item has left executes the barrier once more.
//
// A call of a function that reaches a barrier is a barrier where it is called.
//
// The only C++ of this room.
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

// The same operations on the same values: LLVM works out on each of two paths what both will want.
bool is_same(const Value *a, const Value *b, int depth = 8) {
    if (a == b) return true;
    auto *i = dyn_cast<Instruction>(a), *j = dyn_cast<Instruction>(b);
    if (!i || !j || !depth || isa<PHINode>(i) || i->isAtomic() || i->mayWriteToMemory()) return false;
    if (!i->isSameOperationAs(j)) return false;
    return all_of(zip(i->operands(), j->operands()),
                  [&](auto pair) { return is_same(std::get<0>(pair), std::get<1>(pair), depth - 1); });
}

// The same value, whichever of these blocks the phi's is entered from?
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

// The rules as LLVM asks for them. Calls of functions and phis are the same for all items until they are found to
// differ: LLVM itself takes any phi to differ where paths meet that a branch has parted, also one whose values are the
// same on all of these.
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

// What memory of the thread itself an instruction reads and writes.
using Frame = SmallSetVector<const AllocaInst *, 4>;

Frame frame_of(const Value *pointer) {
    SmallVector<const Value *, 4> objects;
    Frame frame;
    getUnderlyingObjects(pointer, objects, nullptr, 0);
    for (const Value *o : objects)
        if (auto *alloca = dyn_cast<AllocaInst>(o)) frame.insert(alloca);
    return frame;
}

// Calls visit(from, to, meets) for each edge between the end of `from` and where all paths from there meet again.
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

// What differs: the least fixpoint. Nothing does but the sources, until it is shown to.
class Divergence {
    Function &f;
    FunctionAnalysisManager analyses;
    PostDominatorTree post;
    Values differ;   // sources, memory (an alloca) that holds a value that differs, and what LLVM asks us about
    Blocks branches; // that end in a branch that differs
    Blocks partial;  // that only some items may reach

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

    bool note_call(const UniformityInfo &info, const CallInst &call) {
        bool own = call_differs(info, call), more = own && differ.insert(&call).second;
        if (own || partial.contains(call.getParent()))
            for (const Use &u : call.args())
                if (u->getType()->isPointerTy()) more |= note(frame_of(u.get()));
        return more;
    }

    bool note_copy(const UniformityInfo &info, const MemIntrinsic &m) {
        auto *copy = dyn_cast<MemTransferInst>(&m);
        bool own = write_differs(info, m) || (copy && frame_differs(frame_of(copy->getRawSource())));
        return own && note(frame_of(m.getRawDest()));
    }

    bool note_phi(const UniformityInfo &info, const PHINode &phi) {
        bool own = any_of(phi.incoming_values(), [&](const Use &u) { return info.isDivergentUse(u); });
        return own && differ.insert(&phi).second;
    }

    // More that differs because of what is known to?
    bool note(const UniformityInfo &info, const Instruction &i) {
        if (auto *phi = dyn_cast<PHINode>(&i)) return note_phi(info, *phi);
        if (auto *store = dyn_cast<StoreInst>(&i))
            return write_differs(info, i) && note(frame_of(store->getPointerOperand()));
        if (auto *load = dyn_cast<LoadInst>(&i))
            return frame_differs(frame_of(load->getPointerOperand())) && differ.insert(&i).second;
        if (auto *copy = dyn_cast<MemIntrinsic>(&i)) return note_copy(info, *copy);
        return is_function_call(i) && note_call(info, cast<CallInst>(i));
    }

    // Where the paths of a branch enter a block from different ones, with different values, the phi differs.
    bool note_branch(const BasicBlock *b) {
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
            if (info.hasDivergentTerminator(b) && branches.insert(&b).second) more |= note_branch(&b);
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

    bool parts(const BasicBlock *b) const { return branches.contains(b); }
};

// A kernel in which no check fails, made of one in which some may. What items hold that are about to end, nobody asks
// for: without them there is less that differs, and their branches are known without looking.
class Stripped {
    Blocks leaving; // whose items have noted that they end where their group meets next, or are about to
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
                if (b.getUniqueSuccessor() && leaving.contains(b.getUniqueSuccessor()))
                    more |= leaving.insert(&b).second;
        }
    }

    // The conditional branch of b always goes the other way.
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

    // May items part ways at the end of b? Those whose checks fail may anywhere.
    bool parts(const BasicBlock &b, const Divergence &d) {
        return failing.contains(&b) || (!leaving.contains(&b) && d.parts(cast_or_null<BasicBlock>(copies.lookup(&b))));
    }
};

// Which blocks the items of a group may reach apart, or a different number of times.
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
            if (stripped.parts(b, divergence)) branches.insert(&b);
        for (const BasicBlock *b : branches)
            each_edge(post, b, [&](const BasicBlock *, const BasicBlock *to, bool meets) {
                if (!meets) partial.insert(to);
            });
    }

    bool parts(const BasicBlock *b) const {
        if (partial.contains(b)) return true;
        for (const Cycle *c = cycles.getCycle(b); c; c = c->getParentCycle())
            for (const BasicBlock *branch : c->blocks())
                if (branches.contains(branch) && leaves(branch, c)) return true;
        return false;
    }
};

using Functions = SmallPtrSet<const Function *, 8>;

// A barrier, or a call of one of these functions?
bool waits(const Instruction &i, const Functions &waiting) {
    auto *call = dyn_cast<CallInst>(&i);
    return is_barrier(i) || (call && waiting.contains(call->getCalledFunction()));
}

// The functions that reach a barrier, by themselves or through others.
Functions find_waiting(const Module &module) {
    Functions waiting;
    for (bool more = true; more;) {
        more = false;
        for (const Function &f : module)
            if (any_of(instructions(f), [&](const Instruction &i) { return waits(i, waiting); }))
                more |= waiting.insert(&f).second;
    }
    return waiting;
}

} // namespace

extern "C" char *LLVMKdslDivergentBarrier(LLVMModuleRef module) {
    SmallVector<Function *, 8> functions;
    for (Function &f : *unwrap(module)) functions.push_back(&f);
    const Functions waiting = find_waiting(*unwrap(module));
    for (Function *f : functions) {
        SmallSetVector<BasicBlock *, 8> blocks;
        for (Instruction &i : instructions(*f))
            if (waits(i, waiting)) blocks.insert(i.getParent());
        if (blocks.empty()) continue;
        Control control(*f);
        for (BasicBlock *b : blocks)
            if (control.parts(b)) return strdup((f->getName() + ", block " + b->getName()).str().c_str());
    }
    return nullptr;
}
