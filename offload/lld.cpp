// lld.cpp -- see lld.h; C++ because lld and these parts of LLVM have no C interface.
#include "offload/lld.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include "lld/Common/Driver.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

LLD_HAS_DRIVER(elf)

extern "C" int LLVMKdslLinkElf(int argc, const char *const *argv, char **message) {
    static std::mutex one_at_a_time;
    static bool broken = false;
    std::lock_guard<std::mutex> guard(one_at_a_time);
    if (broken) {
        *message = strdup("an earlier link ended in an internal error of lld");
        return LLVM_KDSL_LINK_BROKEN;
    }
    std::string text;
    llvm::raw_string_ostream out(text);
    llvm::ArrayRef<const char *> args(argv, argc);
    // Otherwise lld's fatal errors would end the process instead of returning.
    llvm::CrashRecoveryContext::Enable();
    lld::Result result = lld::lldMain(args, out, out, {{lld::Gnu, &lld::elf::link}});
    llvm::CrashRecoveryContext::Disable();
    broken = !result.canRunAgain;
    *message = strdup(broken && text.empty() ? "internal error of lld" : text.c_str());
    return broken ? LLVM_KDSL_LINK_BROKEN : result.retCode ? LLVM_KDSL_LINK_FAILED : LLVM_KDSL_LINK_OK;
}

extern "C" int LLVMKdslIsX86_64Cpu(const char *name, const char *cpu) {
    std::string error;
    llvm::Triple triple(name);
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!target) return 0;
    std::unique_ptr<llvm::MCSubtargetInfo> plain(target->createMCSubtargetInfo(triple, "", ""));
    if (!plain || !plain->isCPUStringValid(cpu)) return 0;
    std::unique_ptr<llvm::MCSubtargetInfo> machine(target->createMCSubtargetInfo(triple, cpu, ""));
    return machine && machine->checkFeatures("+64bit");
}

static std::unique_ptr<llvm::MCSubtargetInfo> plain_machine(const char *name) {
    std::string error;
    llvm::Triple triple(name);
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
    return std::unique_ptr<llvm::MCSubtargetInfo>(target ? target->createMCSubtargetInfo(triple, "", "") : nullptr);
}

extern "C" int LLVMKdslIsCpu(const char *triple, const char *cpu) {
    auto plain = plain_machine(triple);
    return plain && plain->isCPUStringValid(cpu);
}

extern "C" const char *LLVMKdslCpuName(const char *triple, int i) {
    auto plain = plain_machine(triple);
    if (!plain || size_t(i) >= plain->getAllProcessorDescriptions().size()) return nullptr;
    return plain->getAllProcessorDescriptions()[i].Key;
}

extern "C" int LLVMKdslHasFeature(LLVMTargetMachineRef machine, const char *feature) {
    return reinterpret_cast<llvm::TargetMachine *>(machine)->getMCSubtargetInfo()->checkFeatures(feature);
}

extern "C" void LLVMKdslCloseLibrary(void *handle) {
    llvm::sys::DynamicLibrary library(handle);
    llvm::sys::DynamicLibrary::closeLibrary(library);
}

extern "C" int LLVMKdslLinkNeeded(LLVMModuleRef into, LLVMModuleRef from) {
    std::unique_ptr<llvm::Module> source(llvm::unwrap(from));
    for (const char *name : {"llvm.module.flags", "llvm.ident", "llvm.errno.tbaa"})
        if (llvm::NamedMDNode *node = source->getNamedMetadata(name)) node->eraseFromParent();
    return llvm::Linker::linkModules(*llvm::unwrap(into), std::move(source), llvm::Linker::LinkOnlyNeeded);
}
