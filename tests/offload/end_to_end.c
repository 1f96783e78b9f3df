/* end_to_end.c -- offload/ and runtime/ without the rest of the compiler: a device module and a host module are made by
 * hand, the launch by off_emit_launch, the executable by off_link; then it runs. What it prints is the expectation.
 * Usage: end_to_end FOLDER, which must exist and be writable. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "offload/offload.h"

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

static const char *folder;
static LLVMTargetMachineRef machine;

/* y[i] += a * x[i]; a travels as a literal, n as a size. */
static const char device_ir[] =
    "define protected void @kdsl_axpy(ptr %env, ptr %x, ptr %y, i64 %a.bits, i64 %n) {\n"
    "entry:\n  %a32 = trunc i64 %a.bits to i32\n  %a = bitcast i32 %a32 to float\n"
    "  %empty = icmp sle i64 %n, 0\n  br i1 %empty, label %done, label %loop\n"
    "loop:\n  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n"
    "  %px = getelementptr float, ptr %x, i64 %i\n  %py = getelementptr float, ptr %y, i64 %i\n"
    "  %vx = load float, ptr %px\n  %vy = load float, ptr %py\n  %m = fmul float %a, %vx\n"
    "  %s = fadd float %m, %vy\n  store float %s, ptr %py\n  %next = add i64 %i, 1\n"
    "  %more = icmp slt i64 %next, %n\n  br i1 %more, label %loop, label %done\n"
    "done:\n  ret void\n}\n"
    "declare i32 @sched_getcpu()\n"
    "@visible = global i32 0\n@kdsl_end_to_end_mark = global i32 0\n" /* left visible by mistake: the link hides it */
    "define i32 @also_visible() {\n  %r = call i32 @sched_getcpu()\n  store i32 %r, ptr @visible\n"
    "  ret i32 %r\n}\n";

/* Twice on the default device, once on each of the host's four; prints the launch results and y[3], for which there is
 * a host version. */
static const char host_ir[] =
    "@x = global [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0]\n"
    "@y = global [4 x float] zeroinitializer\n"
    "@space = private constant [1 x i8] c\" \"\n"
    "declare i32 @launch(i64, ptr, ptr, float, i64)\n"
    "declare void @kdsl_text_i64(i64, i32, i32, i32, i32, i32)\ndeclare void @kdsl_text_bytes(ptr, i64)\n"
    "declare void @kdsl_text_f64(double, i32, i32, i32, i32, i32, i32)\ndeclare void @kdsl_text_print()\n"
    "define void @once(i64 %device) {\n"
    "  %p = getelementptr float, ptr @y, i64 3\n"
    "  %rc = call i32 @launch(i64 %device, ptr @x, ptr @y, float 0.5, i64 4)\n"
    "  %rc64 = sext i32 %rc to i64\n  %ran = icmp eq i32 %rc, 0\n  br i1 %ran, label %done, label %host\n"
    "host:\n  %old = load float, ptr %p\n  %new = fadd float %old, 2.0\n  store float %new, ptr %p\n"
    "  br label %done\ndone:\n"
    "  call void @kdsl_text_i64(i64 %rc64, i32 32, i32 0, i32 0, i32 0, i32 0)\n"
    "  call void @kdsl_text_bytes(ptr @space, i64 1)\n"
    "  %v = load float, ptr %p\n  %d = fpext float %v to double\n"
    "  call void @kdsl_text_f64(double %d, i32 32, i32 0, i32 -1, i32 0, i32 0, i32 0)\n"
    "  call void @kdsl_text_print()\n  ret void\n}\n"
    "define i32 @kdsl_main() {\n"
    "  call void @once(i64 -1)\n  call void @once(i64 -1)\n  call void @once(i64 0)\n  call void @once(i64 1)\n"
    "  call void @once(i64 2)\n  call void @once(i64 3)\n  ret i32 7\n}\n";

static LLVMModuleRef parse(LLVMContextRef context, const char *text) {
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test");
    LLVMModuleRef m;
    char *message;
    if (LLVMParseIRInContext(context, buffer, &m, &message)) {
        printf("bad IR in the test: %s\n", message);
        exit(1);
    }
    LLVMSetTarget(m, "x86_64-unknown-linux-gnu");
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(m, layout);
    LLVMDisposeTargetData(layout);
    return m;
}

static Blob object_of(LLVMModuleRef m) {
    char *message = NULL;
    LLVMMemoryBufferRef buffer;
    CHECK(!LLVMVerifyModule(m, LLVMReturnStatusAction, &message), "%s", message);
    LLVMDisposeMessage(message);
    /* As the compiler does: nothing the runtime needs may be optimised away. */
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    CHECK(!LLVMRunPasses(m, "default<O2>", machine, options), "passes");
    LLVMDisposePassBuilderOptions(options);
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, m, LLVMObjectFile, &message, &buffer)) {
        printf("no object: %s\n", message);
        exit(1);
    }
    Blob b = {malloc(LLVMGetBufferSize(buffer)), LLVMGetBufferSize(buffer)};
    memcpy(b.at, LLVMGetBufferStart(buffer), b.n);
    LLVMDisposeMemoryBuffer(buffer);
    return b;
}

/* i32 launch(i64 device, ptr x, ptr y, float a, i64 n), with one launch in it. */
static void add_launch(OffModule *off, LLVMModuleRef m, const char *function) {
    LLVMContextRef context = LLVMGetModuleContext(m);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context), ptr = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef params[] = {i64, ptr, ptr, LLVMFloatTypeInContext(context), i64};
    LLVMTypeRef type = LLVMFunctionType(LLVMInt32TypeInContext(context), params, 5, false);
    LLVMValueRef f = LLVMGetNamedFunction(m, function);
    if (!f) f = LLVMAddFunction(m, function, type);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, f, "entry"));
    LLVMValueRef n = LLVMGetParam(f, 4), bytes = LLVMBuildShl(b, n, LLVMConstInt(i64, 2, false), "");
    LLVMValueRef x = LLVMGetParam(f, 1), y = LLVMGetParam(f, 2);
    OffPlace place = {"axpy;1.kdsl", "kdsl_axpy", 12, 5, 1, 0};
    OffArg args[] = {
        {.base = x, .begin = x, .size_bytes = bytes, .transfer = TRANSFER_TO, .label = "x[0:n]", .place = place},
        {.base = y, .begin = y, .size_bytes = bytes, .transfer = TRANSFER_TOFROM, .label = "y[0:n]", .place = place},
        {.value = LLVMGetParam(f, 3), .label = "a", .place = place},
        {.value = n, .label = "n", .place = place},
    };
    OffLaunch launch = {.kernel = "kdsl_axpy",
                        .place = place,
                        .device = LLVMGetParam(f, 0),
                        .trip_count = n,
                        .args = args,
                        .n_args = 4};
    LLVMBuildRet(b, off_emit_launch(off, b, &launch));
    LLVMDisposeBuilder(b);
}

static void add_source(Compiler *c, const char *text) {
    compiler_init(c);
    source_add(&c->sources, "axpy.kdsl", text, strlen(text));
}

static void show_diags(Compiler *c) {
    Buf text = {0};
    diags_print(c, &text, false);
    if (text.n) printf("%s", text.at);
    buf_free(&text);
}

static Blob device_image(Compiler *c, const char *ir) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef m = parse(context, ir);
    Blob object = object_of(m), image = {0};
    off_link_x86_image(c, &object, 1, &image);
    blob_free(&object);
    LLVMDisposeModule(m);
    LLVMContextDispose(context);
    return image;
}

static Blob host_object(Compiler *c, const char *ir, const char *function, int n_images) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef m = parse(context, ir);
    OffModule *off = off_module_new(c, m);
    if (function) add_launch(off, m, function);
    int n = off_module_finish(off, n_images, false);
    CHECK(n == (function ? 1 : 0), "%d kernels", n);
    off_module_free(off);
    Blob object = object_of(m);
    LLVMDisposeModule(m);
    LLVMContextDispose(context);
    return object;
}

static char *path_of(const char *name) {
    char *path;
    if (asprintf(&path, "%s/%s", folder, name) < 0) exit(1);
    return path;
}

/* Host code with one launch plus image -> output. */
static bool build(Compiler *c, const char *ir, const char *function, const char *output, bool relocatable) {
    Blob image = device_image(c, device_ir), objects[2] = {host_object(c, ir, function, 1)};
    bool ok = image.at &&
              off_images_object(c, &(DeviceImage){image, "x86_64-unknown-linux-gnu", "x86-64"}, 1, &objects[1]) &&
              off_link(c, &(LinkJob){.objects = objects,
                                     .n_objects = 2,
                                     .relocatable = relocatable,
                                     .needs_omptarget = true,
                                     .output = output});
    show_diags(c);
    blob_free(&image);
    blob_free(&objects[0]);
    blob_free(&objects[1]);
    return ok;
}

/* Run `command`; its stdout and stderr together into a static buffer. */
static char output[1 << 16];
static int run(const char *environment, const char *program) {
    char *command;
    if (asprintf(&command, "%s %s 2>&1", environment, program) < 0) exit(1);
    FILE *p = popen(command, "r");
    size_t n = fread(output, 1, sizeof output - 1, p);
    output[n] = '\0';
    int status = pclose(p);
    free(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static Blob read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) return (Blob){0};
    Blob b = {malloc(1 << 22), 0};
    b.n = fread(b.at, 1, 1 << 22, f);
    fclose(f);
    return b;
}

static bool holds(Blob b, const char *text) { return b.n && memmem(b.at, b.n, text, strlen(text)); }

/* Files in /tmp that hold the image of this test; `clean` removes them. */
static int images_left(bool clean) {
    DIR *d = opendir("/tmp");
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strncmp(e->d_name, "tmpfile_", 8)) continue;
        char path[512];
        snprintf(path, sizeof path, "/tmp/%s", e->d_name);
        Blob b = read_file(path);
        bool ours = holds(b, "kdsl_end_to_end_mark");
        n += ours;
        if (ours && clean) unlink(path);
        blob_free(&b);
    }
    if (d) closedir(d);
    return n;
}

/* Tests ---------------------------------------------------------------------------------------------------------- */

/* The second launch on a device is the host version's. */
static const char direct[] = "0 2\n-1 4\n-1 6\n0 8\n0 10\n0 12\n";

static void test_program(void) {
    Compiler c;
    char *program = path_of("axpy");
    add_source(&c, "kernel axpy");
    CHECK(build(&c, host_ir, "launch", program, false), "build");
    int status = run("", program);
    CHECK(status == 7 && !strcmp(output, direct), "%d %s", status, output);
    CHECK(images_left(false) == 0, "images stay in /tmp");
    status = run("OMP_TARGET_OFFLOAD=disabled", program);
    CHECK(status == 7 && !strncmp(output, "-1 2\n-1 4\n", 10), "%d %s", status, output);
    status = run("KDSL_DIRECT=off", program);
    CHECK(status == 7 && !strcmp(output, "0 2\n0 4\n0 6\n0 8\n0 10\n0 12\n"), "%d %s", status, output);
    run("KDSL_MEMORY=separate LIBOMPTARGET_INFO=-1", program);
    static const char *const shown[] = {"info: to(x[0:n])[16]", "info: tofrom(y[0:n])[16]",   "firstprivate(a)[4]",
                                        "firstprivate(n)[8]",   "Launching kernel kdsl_axpy", "axpy_1.kdsl:12:5"};
    for (int i = 0; i < 6; i++) CHECK(strstr(output, shown[i]), "%s not in: %s", shown[i], output);
    Blob file = read_file(program);
    CHECK(holds(file, "libomptarget.so."), "program does not need libomptarget");
    CHECK(!holds(file, "/proc/self/fd"), "a path of the build is in the program");
    blob_free(&file);
    compiler_free(&c);
    free(program);
}

static int count_of(const char *text, const char *words) {
    int n = 0;
    for (const char *at = text; (at = strstr(at, words)); at++) n++;
    return n;
}

/* In place, libomptarget gets the first launch on each device, and all launches if somebody is to see them.
 * __tgt_set_info_flag, called by the program, makes visible what it gets. */
static void test_direct(void) {
    enum { LAUNCHES = 6, DEVICES = 4 };
    static const char begin[] = "define i32 @kdsl_main() {\n", flag[] = "declare void @__tgt_set_info_flag(i32)\n",
                      entering[] = "Entering OpenMP kernel at axpy_1.kdsl:12:5 with 4 arguments";
    const char *at = strstr(host_ir, begin) + sizeof begin - 1;
    char *ir, *environment, *program = path_of("direct"), *profile = path_of("direct.json");
    int n_before = (int)(at - host_ir);
    if (asprintf(&ir, "%s%.*s  call void @__tgt_set_info_flag(i32 1)\n%s", flag, n_before, host_ir, at) < 0 ||
        asprintf(&environment, "LIBOMPTARGET_PROFILE_GRANULARITY=0 LIBOMPTARGET_PROFILE=%s", profile) < 0)
        exit(1);
    Compiler c;
    add_source(&c, "kernel axpy");
    CHECK(build(&c, ir, "launch", program, false), "build");
    run("", program);
    CHECK(count_of(output, entering) == DEVICES, "%s", output);
    run("KDSL_DIRECT=off", program);
    CHECK(count_of(output, entering) == LAUNCHES, "%s", output);
    run("LIBOMPTARGET_INFO=0", program);
    CHECK(count_of(output, entering) == LAUNCHES, "%s", output);
    run(environment, program);
    CHECK(count_of(output, entering) == LAUNCHES, "%s", output);
    Blob written = read_file(profile);
    if (written.n) written.at[written.n - 1] = '\0';
    int n = written.n ? count_of(written.at, "axpy_1.kdsl;kdsl_axpy;12;5;;NumTeams=1") : 0;
    CHECK(n == LAUNCHES, "%d launches in the profile", n);
    blob_free(&written);
    compiler_free(&c);
    free(ir);
    free(environment);
    free(program);
    free(profile);
}

/* Nothing stays even if the program is killed: the file goes as soon as it is loaded. */
static void test_abort_leaves_nothing(void) {
    static const char ir[] =
        "@x = global [4 x float] zeroinitializer\ndeclare i32 @launch(i64, ptr, ptr, float, i64)\n"
        "declare i32 @raise(i32)\n"
        "define i32 @kdsl_main() {\n  %r = call i32 @launch(i64 -1, ptr @x, ptr @x, float 0.5, i64 0)\n"
        "  %k = call i32 @raise(i32 9)\n  ret i32 0\n}\n";
    Compiler c;
    char *program = path_of("killed");
    add_source(&c, "kernel killed");
    CHECK(build(&c, ir, "launch", program, false), "build");
    run("", program);
    CHECK(images_left(false) == 0, "images stay in /tmp");
    run("KDSL_KEEP_IMAGE=1", program);
    CHECK(images_left(true) == 1, "KDSL_KEEP_IMAGE=1 keeps it");
    compiler_free(&c);
    free(program);
}

/* Two objects, each with its own kernels, descriptor and runtime, become one program. */
static void test_two_objects(void) {
    static const char other_ir[] = "declare i32 @launch2(i64, ptr, ptr, float, i64)\n"
                                   "define i32 @launch(i64 %d, ptr %x, ptr %y, float %a, i64 %n) {\n"
                                   "  %r = call i32 @launch2(i64 %d, ptr %x, ptr %y, float %a, i64 %n)\n"
                                   "  ret i32 %r\n}\n";
    Compiler a, b;
    char *first = path_of("first.o"), *second = path_of("second.o"), *program = path_of("both");
    add_source(&a, "kernel one");
    add_source(&b, "kernel two");
    char *first_ir; /* has a launch of its own, in a function that is not called */
    if (asprintf(&first_ir, "%sdeclare i32 @unused(i64, ptr, ptr, float, i64)\n", host_ir) < 0) exit(1);
    CHECK(build(&a, first_ir, "unused", first, true), "first");
    CHECK(build(&b, other_ir, "launch2", second, true), "second");
    Blob objects[2] = {read_file(first), read_file(second)};
    LinkJob job = {.objects = objects, .n_objects = 2, .needs_omptarget = true, .output = program};
    CHECK(off_link(&a, &job), "link of two");
    show_diags(&a);
    int status = run("", program);
    CHECK(status == 7 && !strcmp(output, direct), "%d %s", status, output);
    blob_free(&objects[0]);
    blob_free(&objects[1]);
    free(first_ir);
    compiler_free(&a);
    compiler_free(&b);
    free(first);
    free(second);
    free(program);
}

/* A program that launches nothing must not pay for libomptarget's start, nor need it to be installed. */
static void test_no_kernels(void) {
    static const char ir[] = "define i32 @kdsl_main() {\n  ret i32 5\n}\n";
    Compiler c;
    char *program = path_of("plain");
    add_source(&c, "fn main");
    Blob object = host_object(&c, ir, NULL, 0);
    CHECK(off_link(&c, &(LinkJob){.objects = &object, .n_objects = 1, .output = program}), "link");
    show_diags(&c);
    CHECK(run("", program) == 5, "%s", output);
    Blob file = read_file(program);
    CHECK(!holds(file, "libomptarget") && !holds(file, "libomp") && !holds(file, "libm.so"), "needs too much");
    blob_free(&file);
    blob_free(&object);
    compiler_free(&c);
    free(program);
}

/* What goes wrong is a diagnostic in words a user knows, and an older output stays as it was. */
static bool said(Compiler *c, const char *code, const char *words) {
    Buf text = {0};
    diags_print(c, &text, false);
    bool ok = text.n && strstr(text.at, code) && strstr(text.at, words) && !strstr(text.at, "/proc/self/fd");
    if (!ok) printf("no %s `%s` in: %s\n", code, words, text.n ? text.at : "");
    buf_free(&text);
    return ok;
}

static void test_failures(void) {
    Compiler c;
    add_source(&c, "fn bad");
    Blob image = device_image(&c, "declare void @nowhere_to_be_found()\n"
                                  "define protected void @kdsl_k(ptr %e) {\n  call void @nowhere_to_be_found()\n"
                                  "  ret void\n}\n");
    CHECK(!image.at && said(&c, "E1025", "`nowhere_to_be_found`"), "undefined in device code");
    compiler_free(&c);

    add_source(&c, "fn bad");
    char *program = path_of("kept");
    Blob old = {"old", 3};
    CHECK(off_write_file(&c, program, old, 0666), "write");
    Blob object = host_object(&c,
                              "declare i32 @missing()\n"
                              "define i32 @kdsl_main() {\n  %r = call i32 @missing()\n  ret i32 %r\n}\n",
                              NULL, 0);
    LinkJob job = {.objects = &object, .n_objects = 1, .output = program};
    CHECK(!off_link(&c, &job) && said(&c, "E1023", "missing"), "undefined on the host");
    Blob file = read_file(program);
    CHECK(file.n == 3 && !memcmp(file.at, "old", 3), "older output is gone");
    blob_free(&file);
    compiler_free(&c);

    add_source(&c, "fn bad");
    setenv("KDSL_SYSROOT", "/nonexistent", 1);
    CHECK(!off_link(&c, &job) && said(&c, "E1021", "libc6-dev"), "no C library");
    compiler_free(&c);
    add_source(&c, "fn bad");
    job.needs_omptarget = true;
    CHECK(!off_link(&c, &job) && said(&c, "E1022", "liboffload-22"), "no libomptarget");
    unsetenv("KDSL_SYSROOT");
    compiler_free(&c);

    add_source(&c, "fn bad");
    Blob garbage = {"this is no object", 17};
    job.objects = &garbage;
    CHECK(!off_link(&c, &job) && said(&c, "E1023", "host code"), "garbage for an object");
    compiler_free(&c);
    blob_free(&object);
    free(program);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    folder = argv[1];
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMTargetRef target;
    char *message;
    if (LLVMGetTargetFromTriple("x86_64-unknown-linux-gnu", &target, &message)) return 1;
    machine = LLVMCreateTargetMachine(target, "x86_64-unknown-linux-gnu", "x86-64", "", LLVMCodeGenLevelDefault,
                                      LLVMRelocPIC, LLVMCodeModelDefault);
    test_program();
    test_direct();
    test_abort_leaves_nothing();
    test_two_objects();
    test_no_kernels();
    test_failures();
    LLVMDisposeTargetMachine(machine);
    if (!n_failed) printf("ok\n");
    return n_failed != 0;
}
