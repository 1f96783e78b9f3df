/* stack.c -- the stack size that the threads of a launch need. Kernels keep private arrays of all lanes on the stack,
 * and OpenMP's threads have as much stack as OMP_STACKSIZE says. The frame size of the outlined function and its
 * callees is known when the code is final; this pass stores it as an argument of each kdsl_fork, which starts threads
 * only if their stacks are large enough (runtime/threads.c). */
#include "irgen/passes/passes.h"

#include <llvm-c/Target.h>

enum { UNKNOWN = -1 };

typedef struct Frame {
    LLVMValueRef fn;
    int64_t n_bytes; /* of the function and its deepest callee; UNKNOWN: recursive, or still being computed */
} Frame;
typedef Vec(Frame) Frames;

static int64_t variable_bytes(Cg *cg, LLVMValueRef variable) {
    LLVMValueRef n = LLVMGetOperand(variable, 0);
    int64_t one = (int64_t)LLVMABISizeOfType(LLVMGetModuleDataLayout(cg->module), LLVMGetAllocatedType(variable));
    return LLVMIsAConstantInt(n) ? one * (int64_t)LLVMConstIntGetZExtValue(n) : one;
}

static int64_t frame_bytes(Cg *cg, Frames *known, LLVMValueRef fn) {
    for (int i = 0; i < known->n; i++)
        if (known->at[i].fn == fn) return known->at[i].n_bytes;
    int64_t own = 0, deepest = 0;
    int at = known->n;
    vec_push(&cg->c->arena, known, ((Frame){fn, UNKNOWN}));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (LLVMIsAAllocaInst(i)) own += variable_bytes(cg, i);
            LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMIsAFunction(LLVMGetCalledValue(i)) : NULL;
            int64_t below = callee && !LLVMIsDeclaration(callee) ? frame_bytes(cg, known, callee) : 0;
            if (below == UNKNOWN) return UNKNOWN;
            if (below > deepest) deepest = below;
        }
    return known->at[at].n_bytes = own + deepest;
}

void cg_stack_needs(Cg *cg) {
    enum { CALLEE_OF_FORK = 1, NEED_OF_FORK = 3 };
    Frames known = {0};
    LLVMValueRef fork = LLVMGetNamedFunction(cg->module, "kdsl_fork");
    for (LLVMUseRef u = fork ? LLVMGetFirstUse(fork) : NULL; u; u = LLVMGetNextUse(u)) {
        LLVMValueRef call = LLVMGetUser(u);
        if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != fork) continue;
        LLVMValueRef task = LLVMIsAFunction(LLVMGetOperand(call, CALLEE_OF_FORK));
        int64_t need = task && !LLVMIsDeclaration(task) ? frame_bytes(cg, &known, task) : UNKNOWN;
        if (need != UNKNOWN) LLVMSetOperand(call, NEED_OF_FORK, cg_i64(cg, need));
    }
}
