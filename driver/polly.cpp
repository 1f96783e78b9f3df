/* polly.cpp -- what Debian's libLLVMLTO.a asks for, and kdslc never calls: LLVM is built there with Polly, whose isl is
 * not ours, and which only link-time optimisation with options of its own would use (llvm/lib/LTO/LTOBackend.cpp). */
#include <cstdlib>

void getPollyPluginInfo() { abort(); }
