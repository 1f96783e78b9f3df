// merge_regions.cpp -- parallel region merging: loops of the host that launch are marked for the runtime, whose threads
// stay together between the launches of such a loop (runtime/team.c).
//
// Within the region of a team, code of others that forks gets one thread. So a loop is marked if it calls nothing but
// this program, its runtime and the C library, none of which forks but by a launch. Of a nest, the outermost such loop.
// A failed check does not come to the end of the loop: the runtime dissolves the team then.
#include "irgen/passes/merge_regions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace {

// What a function, or a loop, does that matters here.
struct Calls {
    bool launch = false; // it launches at once, not on another thread
    bool others = false; // it calls what may use threads of its own

    void add(Calls c) {
        launch |= c.launch;
        others |= c.others;
    }
};

class Merger {
    Module &module;
    FunctionCallee begin, end;
    TargetLibraryInfoImpl library;
    DenseMap<const Function *, Calls> known;

  public:
    Merger(Module &m, const char *begin_name, const char *end_name) : module(m), library(m.getTargetTriple()) {
        FunctionType *type = FunctionType::get(Type::getVoidTy(m.getContext()), false);
        begin = m.getOrInsertFunction(begin_name, type);
        end = m.getOrInsertFunction(end_name, type);
        for (FunctionCallee f : {begin, end}) {
            auto *fn = cast<Function>(f.getCallee());
            fn->setVisibility(GlobalValue::HiddenVisibility);
            fn->setDoesNotThrow();
        }
    }

    void run() {
        for (Function &fn : module)
            if (!fn.isDeclaration() && of_function(fn).launch) mark_loops(fn);
        for (FunctionCallee f : {begin, end})
            if (f.getCallee()->use_empty()) cast<Function>(f.getCallee())->eraseFromParent();
    }

  private:
    // Launches on other threads fork there, beside a team; a function of another module that is called back might. Of
    // the C library, mathematics and what the compiler itself calls: others, as fork and qsort, may do anything.
    Calls of_declared(const Function &fn) {
        StringRef name = fn.getName();
        if (name == "kdsl_launch") return {true, false};
        if (name == "kdsl_async" || name == "kdsl_border") return {false, true};
        return {false, !fn.isIntrinsic() && !name.starts_with("kdsl_") && !is_mathematics(fn) && !is_memory(name)};
    }

    bool is_mathematics(const Function &fn) {
        LibFunc as_known;
        return library.getLibFunc(fn.getName(), as_known) && fn.getReturnType()->isFloatingPointTy() &&
               all_of(fn.args(), [](const Argument &a) { return a.getType()->isFloatingPointTy(); });
    }

    static bool is_memory(StringRef name) {
        static constexpr StringLiteral names[] = {"strlen", "strcmp", "aligned_alloc", "free", "memcmp", "bcmp"};
        return is_contained(names, name);
    }

    Calls of_call(const CallBase &call) {
        const Function *fn = call.getCalledFunction();
        return fn ? of_function(*fn) : Calls{false, true};
    }

    // Of a function that calls itself nothing is known.
    Calls of_function(const Function &fn) {
        if (fn.isDeclaration()) return of_declared(fn);
        auto [at, is_new] = known.try_emplace(&fn, Calls{false, true});
        if (!is_new) return at->second;
        Calls all;
        for (const BasicBlock &block : fn) all.add(of_block(block));
        return known[&fn] = all;
    }

    Calls of_block(const BasicBlock &block) {
        Calls all;
        for (const Instruction &i : block)
            if (const auto *call = dyn_cast<CallBase>(&i)) all.add(of_call(*call));
        return all;
    }

    void mark_loops(Function &fn) {
        DominatorTree tree(fn);
        LoopInfo loops(tree);
        for (Loop *loop : loops.getTopLevelLoops()) mark(loop, tree, loops);
    }

    void mark(Loop *loop, DominatorTree &tree, LoopInfo &loops) {
        Calls all;
        for (const BasicBlock *block : loop->blocks()) all.add(of_block(*block));
        if (!all.launch) return;
        if (all.others) {
            for (Loop *inner : loop->getSubLoops()) mark(inner, tree, loops);
            return;
        }
        const Loop *parent = loop->getParentLoop();
        simplifyLoop(loop, &tree, &loops, nullptr, nullptr, nullptr, false);
        while (loop->getParentLoop() != parent) loop = loop->getParentLoop(); // the loop has become two
        if (loop->getLoopPreheader() && loop->hasDedicatedExits()) surround(loop);
    }

    void surround(Loop *loop) {
        SmallVector<BasicBlock *, 8> exits;
        loop->getUniqueExitBlocks(exits);
        call(begin, loop->getLoopPreheader()->getTerminator());
        for (BasicBlock *exit : exits)
            if (!isa<UnreachableInst>(exit->getTerminator())) call(end, &*exit->getFirstInsertionPt());
    }

    // Where functions have debug locations, calls need one.
    void call(FunctionCallee callee, Instruction *before) {
        CallInst *made = CallInst::Create(callee, "", before->getIterator());
        DISubprogram *scope = before->getFunction()->getSubprogram();
        if (scope) made->setDebugLoc(DILocation::get(scope->getContext(), 0, 0, scope));
    }
};

} // namespace

void LLVMKdslMergeRegions(LLVMModuleRef module, const char *begin, const char *end) {
    Merger(*unwrap(module), begin, end).run();
}
