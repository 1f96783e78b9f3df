/* plain_loads.c -- atomic loads of memory that nothing writes, as far as an entry of a GPU is concerned: of a parameter
 * that is `noalias` and `readonly`, as LLVM finds. So is the slot of a kernel whose checks have all been removed: the
 * loops still ask whether another item has failed. An ordinary load sees the same value, and loops can do without it.
 *
 * LLVM 22 must not see them: NVPTXDAGToDAGISel::tryLDG takes such a load for one by the read-only cache, whether it is
 * atomic or not, and crashes for the latter (llvm/lib/Target/NVPTX/NVPTXISelDAGToDAG.cpp, canLowerToLDG). */
#include "irgen/passes/llvm.h"

enum { MOST_VALUES = 16, SYSTEM_SCOPE = 1 /* SyncScope::System of llvm/IR/LLVMContext.h */ };

typedef struct Seen {
    LLVMValueRef at[MOST_VALUES];
    int n;
} Seen;

static bool is_only_read(LLVMValueRef argument) {
    bool reads = llvm_has_attribute(argument, "readonly") || llvm_has_attribute(argument, "readnone");
    return reads && llvm_has_attribute(argument, "noalias");
}

/* Whatever the address is computed from, is it part of such a parameter? */
static bool points_to_only_read(LLVMValueRef v, Seen *seen) {
    if (LLVMIsAArgument(v)) return is_only_read(v);
    for (int i = 0; i < seen->n; i++)
        if (seen->at[i] == v) return true; /* around a loop */
    if (seen->n == MOST_VALUES) return false;
    seen->at[seen->n++] = v;
    if (LLVMIsAGetElementPtrInst(v) || LLVMIsAAddrSpaceCastInst(v))
        return points_to_only_read(LLVMGetOperand(v, 0), seen);
    bool is_select = llvm_is(v, LLVMSelect);
    if (!is_select && !llvm_is(v, LLVMPHI)) return false;
    for (int i = is_select; i < LLVMGetNumOperands(v); i++)
        if (!points_to_only_read(LLVMGetOperand(v, (unsigned)i), seen)) return false;
    return true;
}

static bool make_plain(LLVMValueRef load) {
    if (LLVMGetOrdering(load) == LLVMAtomicOrderingNotAtomic || LLVMGetVolatile(load)) return false;
    if (!points_to_only_read(LLVMGetOperand(load, 0), &(Seen){0})) return false;
    LLVMSetAtomicSyncScopeID(load, SYSTEM_SCOPE); /* an ordinary load has none */
    LLVMSetOrdering(load, LLVMAtomicOrderingNotAtomic);
    return true;
}

void cg_plain_loads(Cg *cg) {
    bool any = false;
    if (!cg->target->updates_to_read) return;
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn)) {
        if (LLVMGetFunctionCallConv(fn) != cg->target->kernel_cc) continue;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                any |= LLVMIsALoadInst(i) && make_plain(i);
    }
    if (any && cg->options->opt_level)
        cg_run_passes(cg, "function(gvn,simplifycfg)");
}
