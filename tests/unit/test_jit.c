/* jit.c and the runtime of sessions, without the language: units of hand-made code and kernels come, run, fail, are
 * interrupted, are replaced, and leave nothing behind. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "repl/jit.h"

static int n_failed;
#define CHECK(cond, ...)                                                                                               \
    do {                                                                                                               \
        if (!(cond)) {                                                                                                 \
            n_failed++;                                                                                                \
            printf("%s:%d: failed: %s: ", __FILE__, __LINE__, #cond);                                                  \
            printf(__VA_ARGS__);                                                                                       \
            printf("\n");                                                                                              \
        }                                                                                                              \
    } while (0)

static const char triple[] = "x86_64-unknown-linux-gnu";
static Compiler compiler;
static LLVMTargetMachineRef machine;
static Jit *jit;

/* Code ------------------------------------------------------------------------------------------------------------- */
static LLVMModuleRef parse(LLVMContextRef context, const char *text) {
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test");
    LLVMModuleRef m;
    char *message;
    if (LLVMParseIRInContext(context, buffer, &m, &message)) {
        printf("bad IR in the test: %s\n", message);
        exit(1);
    }
    LLVMSetTarget(m, triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(m, layout);
    LLVMDisposeTargetData(layout);
    return m;
}

static Blob object_of(LLVMModuleRef m) {
    char *message = NULL;
    LLVMMemoryBufferRef buffer;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, m, LLVMObjectFile, &message, &buffer)) {
        printf("no object: %s\n", message);
        exit(1);
    }
    Blob b = {malloc(LLVMGetBufferSize(buffer)), LLVMGetBufferSize(buffer)};
    memcpy(b.at, LLVMGetBufferStart(buffer), b.n);
    LLVMDisposeMemoryBuffer(buffer);
    return b;
}

static JitUnit *add_code(const char *ir, const char *kernel) {
    Buf why = {0};
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef m = parse(context, ir);
    Blob object = object_of(m);
    JitParts parts = {.objects = &object, .n_objects = 1, .kernels = &kernel, .n_kernels = kernel != NULL};
    JitUnit *u = jit_add(jit, &parts, &why);
    CHECK(u, "%s", why.at);
    blob_free(&object);
    LLVMDisposeModule(m);
    LLVMContextDispose(context);
    buf_free(&why);
    return u;
}

typedef void Run(void *frame);

static Run *function(JitUnit *u, const char *name) {
    Buf why = {0};
    void *at = u ? jit_symbol(u, name, &why) : NULL;
    CHECK(at, "%s: %s", name, why.at);
    buf_free(&why);
    return (Run *)at;
}

static JitEnd run(JitUnit *u, const char *name, void *frame, char said[256]) {
    Buf text = {0};
    Run *f = function(u, name);
    JitEnd end = f ? jit_run(jit, f, frame, &text) : JIT_FAILED;
    snprintf(said, 256, "%s", text.n ? text.at : "");
    buf_free(&text);
    return end;
}

/* Units ------------------------------------------------------------------------------------------------------------ */
static const char first_ir[] = "@count = global i64 40\n"
                               "define i64 @add(i64 %a, i64 %b) {\n  %r = add i64 %a, %b\n  ret i64 %r\n}\n";
static const char second_ir[] = "@count = external global i64\n"
                                "declare i64 @add(i64, i64)\n"
                                "define void @second(ptr %frame) {\n  %c = load i64, ptr @count\n"
                                "  %r = call i64 @add(i64 %c, i64 2)\n  store i64 %r, ptr %frame\n  ret void\n}\n";

static void test_units(void) {
    char said[256];
    int64_t result = 0;
    JitUnit *first = add_code(first_ir, NULL), *second = add_code(second_ir, NULL);
    CHECK(run(second, "second", &result, said) == JIT_RETURNED && result == 42, "%lld %s", (long long)result, said);
    int64_t bytes;
    int n;
    jit_size(jit, &bytes, &n);
    CHECK(n == 2 && bytes > 0, "%d units, %lld bytes", n, (long long)bytes);
    jit_release(jit, second);
    jit_release(jit, first);
    jit_size(jit, &bytes, &n);
    CHECK(n == 0 && bytes == 0, "%d units, %lld bytes", n, (long long)bytes);
    first = add_code(first_ir, NULL); /* the same names again */
    CHECK(function(first, "add"), "again");
    jit_release(jit, first);
}

static void test_missing(void) {
    Buf why = {0};
    JitUnit *u = add_code("declare void @nowhere_to_be_found()\n"
                          "define void @calls() {\n  call void @nowhere_to_be_found()\n  ret void\n}\n",
                          NULL);
    CHECK(!jit_symbol(u, "calls", &why) && strstr(why.at, "nowhere_to_be_found"), "%s", why.at);
    buf_free(&why);
    jit_release(jit, u);
}

/* Ends ------------------------------------------------------------------------------------------------------------- */
static const char ends_ir[] =
    "@place = private constant [4 x i8] c\"p:1\\00\"\n"
    "@kdsl_interrupt = external global i32\n"
    "declare void @kdsl_fail_divide(ptr)\ndeclare void @kdsl_exit(i32)\ndeclare void @kdsl_interrupted()\n"
    "declare ptr @kdsl_array_new(i64, i64, ptr, ptr)\n"
    "define void @divides(ptr %frame) {\n  call void @kdsl_fail_divide(ptr @place)\n  unreachable\n}\n"
    "define void @leaves(ptr %frame) {\n  call void @kdsl_exit(i32 7)\n  unreachable\n}\n"
    "define void @loops(ptr %frame) {\n  br label %loop\n"
    "loop:\n  %i = load volatile i32, ptr @kdsl_interrupt\n  %more = icmp eq i32 %i, 0\n"
    "  br i1 %more, label %loop, label %out\nout:\n  call void @kdsl_interrupted()\n  unreachable\n}\n"
    "define void @makes(ptr %frame) {\n  %extent = alloca i64\n  store i64 1000000, ptr %extent\n"
    "  %a = call ptr @kdsl_array_new(i64 8, i64 1, ptr %extent, ptr @place)\n"
    "  %b = call ptr @kdsl_array_new(i64 8, i64 1, ptr %extent, ptr @place)\n"
    "  %second = getelementptr ptr, ptr %frame, i64 1\n"
    "  store ptr %a, ptr %frame\n  store ptr %b, ptr %second\n  call void @kdsl_fail_divide(ptr @place)\n  "
    "unreachable\n}\n"
    "declare void @kdsl_async(ptr, ptr, i64, ptr, i64, i64)\ndeclare void @kdsl_settle()\n"
    "define void @later(ptr %frame) {\n  call void @kdsl_async(ptr @divides, ptr %frame, i64 8, ptr null, i64 0, i64 "
    "-1)\n"
    "  call void @kdsl_settle()\n  store i64 1, ptr %frame\n  ret void\n}\n";

static void on_alarm(int signal) {
    (void)signal;
    CHECK(!jit_interrupt(jit), "no kernel runs");
}

/* Of all that is allocated, by whoever counts: glibc's malloc, or the sanitizer's. */
static int64_t bytes_in_use(void) {
    size_t (*sanitizers)(void) = (size_t(*)(void))dlsym(RTLD_DEFAULT, "__sanitizer_get_current_allocated_bytes");
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(sanitizers ? sanitizers() : info.hblkhd + info.uordblks);
}

static void test_ends(void) {
    char said[256];
    JitUnit *u = add_code(ends_ir, NULL);
    for (int i = 0; i < 2; i++) {
        JitEnd end = run(u, "divides", NULL, said);
        CHECK(end == JIT_FAILED && !strcmp(said, "error: division by zero\n --> p:1"), "%d %s", end, said);
        jit_settle(jit, true);
    }
    CHECK(run(u, "leaves", NULL, said) == JIT_EXITED && jit_exit_code(jit) == 7, "%d", jit_exit_code(jit));
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 20000}}, NULL);
    CHECK(run(u, "loops", NULL, said) == JIT_INTERRUPTED, "%s", said);
    CHECK(run(u, "divides", NULL, said) == JIT_INTERRUPTED, "nothing runs before the next input begins");
    jit_begin(jit);
    int64_t frame[2] = {0, 0};
    CHECK(run(u, "later", frame, said) == JIT_FAILED && strstr(said, "division by zero"), "%s", said);
    CHECK(frame[0] == 0, "what follows the wait did not run");

    int64_t before = bytes_in_use();
    void *arrays[2];
    CHECK(run(u, "makes", arrays, said) == JIT_FAILED, "%s", said);
    CHECK(bytes_in_use() - before >= 16000000, "two arrays");
    jit_keep(jit, arrays[1]);
    jit_settle(jit, true);
    CHECK(bytes_in_use() - before < 8000000 + (3 << 20) && bytes_in_use() - before >= 8000000, "%lld bytes: one array",
          (long long)(bytes_in_use() - before));
    ((void (*)(void *))jit_runtime(jit, "kdsl_array_free"))(arrays[1]);
    CHECK(bytes_in_use() - before < 100000, "%lld bytes: none", (long long)(bytes_in_use() - before));
    jit_release(jit, u);
}

/* Kernels ---------------------------------------------------------------------------------------------------------- */
/* y[i] = x[i] + STEP, STEP once in each version. */
static const char kernel_ir[] =
    "@kdsl_kernel_step%d.region_id = constant i8 0\n"
    "define protected void @kdsl_kernel_step%d(ptr %%env, ptr %%x, ptr %%y, i64 %%n) {\n"
    "entry:\n  %%empty = icmp sle i64 %%n, 0\n  br i1 %%empty, label %%done, label %%loop\n"
    "loop:\n  %%i = phi i64 [ 0, %%entry ], [ %%next, %%loop ]\n"
    "  %%px = getelementptr float, ptr %%x, i64 %%i\n  %%py = getelementptr float, ptr %%y, i64 %%i\n"
    "  %%vx = load float, ptr %%px\n  %%s = fadd float %%vx, %d.0\n  store float %%s, ptr %%py\n"
    "  %%next = add i64 %%i, 1\n"
    "  %%more = icmp slt i64 %%next, %%n\n  br i1 %%more, label %%loop, label %%done\ndone:\n  ret void\n}\n";

static JitUnit *add_kernel(int version) {
    char text[2048], name[64];
    snprintf(text, sizeof text, kernel_ir, version, version, version);
    snprintf(name, sizeof name, "kdsl_kernel_step%d", version);
    return add_code(text, name);
}

/* void launch(ptr frame): frame is {x, y, n, device, result} */
static JitUnit *add_launch(int version) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef m = parse(context, "define void @launch(ptr %frame) {\n  ret void\n}\n");
    LLVMValueRef f = LLVMGetNamedFunction(m, "launch"), v[4];
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context), ptr = LLVMPointerTypeInContext(context, 0);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(f)));
    LLVMValueRef at[5];
    for (int i = 0; i < 5; i++) {
        LLVMValueRef k = LLVMConstInt(i64, (uint64_t)i, false);
        at[i] = LLVMBuildInBoundsGEP2(b, i64, LLVMGetParam(f, 0), &k, 1, "");
        if (i < 4) v[i] = LLVMBuildLoad2(b, i < 2 ? ptr : i64, at[i], "");
    }
    char name[64];
    snprintf(name, sizeof name, "kdsl_kernel_step%d", version);
    OffPlace place = {"input 1", "step", 12, 5, 1, 0};
    LLVMValueRef bytes = LLVMBuildShl(b, v[2], LLVMConstInt(i64, 2, false), "");
    OffArg args[] = {
        {.base = v[0], .begin = v[0], .size_bytes = bytes, .transfer = TRANSFER_TO, .label = "x[0:n]", .place = place},
        {.base = v[1],
         .begin = v[1],
         .size_bytes = bytes,
         .transfer = TRANSFER_FROM,
         .label = "y[0:n]",
         .place = place},
        {.value = v[2], .label = "n", .place = place},
    };
    OffLaunch launch = {.kernel = name, .place = place, .device = v[3], .trip_count = v[2], .args = args, .n_args = 3};
    OffModule *off = off_module_new(&compiler, m);
    off_be_unit(off);
    LLVMValueRef result = off_emit_launch(off, b, &launch);
    LLVMBuildStore(b, LLVMBuildSExt(b, result, i64, ""), at[4]);
    LLVMDisposeBuilder(b);
    char *text = LLVMPrintModuleToString(m);
    JitUnit *u = add_code(text, NULL);
    LLVMDisposeMessage(text);
    off_module_free(off);
    LLVMDisposeModule(m);
    LLVMContextDispose(context);
    return u;
}

typedef struct Frame {
    float *x, *y;
    int64_t n, device, result;
} Frame;

enum { N = 1000 };

static void launch(JitUnit *u, int version, int64_t device) {
    static float x[N], y[N];
    char said[256];
    for (int i = 0; i < N; i++) x[i] = (float)i;
    memset(y, 0, sizeof y);
    Frame frame = {x, y, N, device, 99};
    JitEnd end = run(u, "launch", &frame, said);
    CHECK(end == JIT_RETURNED && frame.result == 0, "%d %s %lld", end, said, (long long)frame.result);
    CHECK(y[0] == (float)version && y[N - 1] == N - 1 + (float)version, "step %d gave %g", version, (double)y[0]);
    const KdslLaunch *l;
    int n = jit_launches(jit, &l);
    CHECK(n == 1 && !strcmp(l->kernel, "step") && l->line == 12 && l->items == N && l->times == 1, "%d launches", n);
    CHECK(l->bytes_to == 4 * N && l->bytes_from == 4 * N, "%lld there, %lld back", (long long)l->bytes_to,
          (long long)l->bytes_from);
    CHECK(l->device == (device < 0 ? 0 : device) && l->seconds > 0, "device %d", l->device);
}

/* Images that the plugin has loaded, and files it has left. */
static int n_loaded(void) {
    struct link_map *map = NULL;
    int n = 0;
    if (dlinfo(dlopen(NULL, RTLD_LAZY), RTLD_DI_LINKMAP, &map)) return -1;
    for (; map; map = map->l_next) n += !strncmp(map->l_name, "/tmp/tmpfile_", 13);
    return n;
}

static bool file_of_image_is_there(void) {
    struct link_map *map = NULL;
    if (dlinfo(dlopen(NULL, RTLD_LAZY), RTLD_DI_LINKMAP, &map)) return true;
    for (; map; map = map->l_next)
        if (!strncmp(map->l_name, "/tmp/tmpfile_", 13) && !access(map->l_name, F_OK)) return true;
    return false;
}

static void test_kernels(void) {
    JitUnit *kernel = add_kernel(1), *start = add_launch(1);
    launch(start, 1, -1);
    launch(start, 1, -1);
    CHECK(n_loaded() == 1, "%d images", n_loaded());
    launch(start, 1, 2);
    CHECK(n_loaded() == 2, "%d images", n_loaded());
    CHECK(!file_of_image_is_there(), "the plugin's file");
    jit_release(jit, start);
    jit_release(jit, kernel);
    CHECK(n_loaded() == 0, "%d images", n_loaded());
}

/* Redefined again and again, beside one that stays. */
static void test_growth(void) {
    enum { ROUNDS = 300 };
    JitUnit *stays = add_kernel(0), *start = add_launch(0);
    launch(start, 0, -1);
    jit_release(jit, start);
    for (int i = 1; i <= ROUNDS && !n_failed; i++) {
        JitUnit *kernel = add_kernel(i);
        start = add_launch(i);
        launch(start, i, -1);
        jit_release(jit, start);
        jit_release(jit, kernel);
    }
    CHECK(n_loaded() == 1, "%d images", n_loaded());
    start = add_launch(0);
    launch(start, 0, -1);
    jit_release(jit, start);
    jit_release(jit, stays);
}

int main(void) {
    Buf why = {0};
    setenv("KDSL_KEEP", "off", 1); /* what is freed is counted */
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMTargetRef target;
    char *message;
    if (LLVMGetTargetFromTriple(triple, &target, &message)) return 1;
    machine = LLVMCreateTargetMachine(target, triple, "x86-64", "", LLVMCodeGenLevelNone,
                                      LLVMRelocPIC, LLVMCodeModelDefault);
    compiler_init(&compiler);
    jit = jit_new(&compiler, false, &why);
    if (!jit) {
        printf("%s\n", why.at);
        return 1;
    }
    test_units();
    test_missing();
    test_ends();
    test_kernels();
    test_growth();
    jit_free(jit);
    LLVMDisposeTargetMachine(machine);
    compiler_free(&compiler);
    return n_failed != 0;
}
