/* mpi.c -- the C functions of the module `mpi`: messages between the processes (ranks) of a job. Each function sends or
 * fills exactly the elements that it is given, or ends the program: so the transfer plan knows what it does. A program
 * that ends with a status other than 0 ends the whole job.
 *
 * A collective operation first compares what all ranks ask for, in 32 bytes of each, so that a rank that calls another
 * function, or has another number of elements, is told of instead of waited for. KDSL_MPI_CHECK=0 leaves that out.
 * KDSL_MPI_TIMEOUT=5 ends a job in which a rank has waited for others for 5 seconds. */
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "runtime/failure.h"
#include "runtime/mpi.h"

static const Mpi *mpi; /* NULL: not used yet */
static int my_rank, n_ranks;
static bool checks = true;
static double timeout; /* seconds; 0: none */

static const char *place(void) { return kdsl_called("mpi"); }

/* Begin and end ---------------------------------------------------------------------------------------------------- */

static bool is_alive(void) {
    int has_begun = 0, has_ended = 0;
    mpi->initialized(&has_begun);
    mpi->finalized(&has_ended);
    return has_begun && !has_ended;
}

/* A launcher that ends a job may drop what it has not read yet of its output: the message of the rank that failed. */
static void wait_for_launcher(void) {
    const struct timespec moment = {.tv_nsec = 20 * 1000 * 1000};
    for (int i = 0; i < 50; i++) {
        int at_stdout = 0, at_stderr = 0; /* bytes in a pipe; no pipe: none */
        ioctl(STDOUT_FILENO, FIONREAD, &at_stdout);
        ioctl(STDERR_FILENO, FIONREAD, &at_stderr);
        nanosleep(&moment, NULL);
        if (!at_stdout && !at_stderr) return;
    }
}

static void abort_job(int status) {
    if (!is_alive()) return;
    wait_for_launcher();
    mpi->abort(mpi->world, status);
}

static int64_t n_requests, n_finished;

static void finish(void) {
    if (!is_alive()) return;
    if (n_requests == n_finished) {
        mpi->finalize();
        return;
    }
    char text[FAILURE_BYTES];
    snprintf(text, sizeof text, "the program ends, and %lld requests of `isend` or `irecv` are not finished",
             (long long)(n_requests - n_finished));
    const KdslFailure f = {NULL, text, {kdsl_job_text}, NULL};
    kdsl_tell(&f);
    abort_job(KDSL_EXIT_CHECK);
}

static void need(int code, const char *what) {
    if (!code) return;
    char text[1024] = "";
    int n = 0;
    mpi->error_string(code, text, &n);
    kdsl_fail(place(), "%s: the MPI library reports: %s", what, text);
}

static void read_settings(void) {
    const char *check = getenv("KDSL_MPI_CHECK"), *limit = getenv("KDSL_MPI_TIMEOUT");
    checks = !check || strcmp(check, "0");
    if (limit && *limit && (kdsl_read_float(limit, 64, &timeout) != KDSL_NUMBER || !(timeout >= 0)))
        kdsl_fail(place(), "KDSL_MPI_TIMEOUT must be a number of seconds, not `%s`", limit);
}

/* A library that is called by a program with MPI uses it as it is: what happens on an error is the program's choice. */
static void begin(void) {
    enum { FUNNELED = 1 };
    int provided, has_begun = 0, has_ended = 0;
    if (mpi) return;
    const Mpi *found = kdsl_mpi_library();
    found->initialized(&has_begun);
    found->finalized(&has_ended);
    if (has_ended) kdsl_fail(place(), "MPI has been finalized already");
    if (!has_begun) {
        if (found->init_thread(NULL, NULL, FUNNELED, &provided)) kdsl_fail(place(), "MPI cannot be initialized");
        atexit(finish);
        found->set_errhandler(found->world, found->errors_return);
    }
    mpi = found;
    mpi->comm_rank(mpi->world, &my_rank);
    mpi->comm_size(mpi->world, &n_ranks);
    kdsl_job_begins(my_rank, n_ranks, has_begun ? NULL : abort_job);
    read_settings();
}

KDSL_RT int32_t kdsl_std_mpi_rank(void);
KDSL_RT int32_t kdsl_std_mpi_size(void);

int32_t kdsl_std_mpi_rank(void) {
    begin();
    return my_rank;
}

int32_t kdsl_std_mpi_size(void) {
    begin();
    return n_ranks;
}

/* Arrays ----------------------------------------------------------------------------------------------------------- */

/* Elements as MPI counts them: numbers, or the bytes of a struct or vector. */
typedef struct Data {
    void *at;
    int n;
    MpiHandle type;
    int64_t n_elements, elem_bytes;
    const char *name; /* of the type of its elements */
} Data;

static MpiHandle type_of(const char *name) {
    const struct {
        const char *name;
        MpiHandle type;
    } types[] = {{"f32", mpi->f32}, {"f64", mpi->f64}, {"i8", mpi->i8},   {"i16", mpi->i16}, {"i32", mpi->i32},
                 {"i64", mpi->i64}, {"u8", mpi->u8},   {"u16", mpi->u16}, {"u32", mpi->u32}, {"u64", mpi->u64},
                 {"index", mpi->i64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name)) return types[i].type;
    return mpi->byte;
}

static int64_t count(const KdslArray *x) {
    int64_t n = 1;
    for (int64_t d = 0; d < x->rank; d++) n *= x->extents[d];
    return n;
}

static Data data_of(const char *what, const KdslArray *x) {
    begin();
    Data d = {.at = x->at, .n_elements = count(x), .elem_bytes = x->elem_bytes};
    d.type = type_of(x->type);
    d.name = x->type;
    int64_t n = d.type == mpi->byte ? d.n_elements * x->elem_bytes : d.n_elements;
    if (n > INT_MAX)
        kdsl_fail(place(), "%s: %lld elements of type `%s` are too many for one message; send the array in parts", what,
                  (long long)d.n_elements, d.name);
    d.n = (int)n;
    return d;
}

static const char *plural(int64_t n) { return n == 1 ? "" : "s"; }

static void need_rank(const char *what, int rank) {
    begin();
    if (rank < 0 || rank >= n_ranks)
        kdsl_fail(place(), "%s: there is no rank %d; `mpi.size()` is %d", what, rank, n_ranks);
}

/* Every library takes tags up to 32767. The module's own (stdlib/mpi.kdsl) are above those of programs. */
static int need_tag(const char *what, int tag) {
    enum { LARGEST = 32000, OWN = 1 << 30, N_OWN = 2 };
    if (tag >= OWN && tag < OWN + N_OWN) return LARGEST + 1 + tag - OWN;
    if (tag < 0 || tag > LARGEST) kdsl_fail(place(), "%s: the tag %d is not from 0 to %d", what, tag, LARGEST);
    return tag;
}

/* Waiting ---------------------------------------------------------------------------------------------------------- */

/* What a rank waits for, for messages. */
typedef struct Awaited {
    const char *what, *verb; /* "receive", "waited for"... */
    const Data *data;
    int other, tag; /* other -1: all */
} Awaited;

static _Noreturn void waited_too_long(const Awaited *a) {
    if (a->other < 0) kdsl_fail(place(), "%s: some ranks have not called it for %g seconds", a->what, timeout);
    kdsl_fail(place(), "%s: rank %d has not %s %lld element%s of type `%s` (tag %d) for %g seconds", a->what, a->other,
              a->verb, (long long)a->data->n_elements, plural(a->data->n_elements), a->data->name, a->tag, timeout);
}

static int settle(MpiHandle *request, MpiStatus *status, const Awaited *a) {
    if (timeout <= 0) return mpi->wait(request, status);
    double end = kdsl_clock() + timeout;
    int code = 0, is_done = 0;
    while (!(code = mpi->test(request, &is_done, status)) && !is_done) {
        if (kdsl_clock() > end) waited_too_long(a);
        sched_yield();
    }
    return code;
}

static void start_sending(const char *what, const Data *d, int to, int tag, MpiHandle *request) {
    *request = 0; /* MPICH writes half of it */
    need(mpi->isend(d->at, d->n, d->type, to, tag, mpi->world, request), what);
}

static void start_receiving(const char *what, const Data *d, int from, int tag, MpiHandle *request) {
    *request = 0;
    need(mpi->irecv(d->at, d->n, d->type, from, tag, mpi->world, request), what);
}

static void end_sending(const char *what, const Data *d, int to, int tag, MpiHandle *request) {
    MpiStatus status;
    need(settle(request, &status, &(Awaited){what, "received", d, to, tag}), what);
}

/* Exactly the elements of the array must have come. */
static void end_receiving(const char *what, const Data *d, int from, int tag, MpiHandle *request) {
    MpiStatus status = {0};
    int n = 0, class = 0;
    int code = settle(request, &status, &(Awaited){what, "sent", d, from, tag});
    if (code && !mpi->error_class(code, &class) && class == mpi->err_truncate)
        kdsl_fail(place(), "%s: the message of rank %d (tag %d) is longer than the array, which has %lld element%s of "
                           "type `%s`",
                  what, from, tag, (long long)d->n_elements, plural(d->n_elements), d->name);
    need(code, what);
    need(mpi->get_count(&status, d->type, &n), what);
    if (n == d->n) return;
    int64_t unit = d->n_elements ? d->n / d->n_elements : 1;
    kdsl_fail(place(), "%s: the message of rank %d (tag %d) has %lld element%s, but the array has %lld of type `%s`",
              what, from, tag, (long long)(n / unit), plural(n / unit), (long long)d->n_elements, d->name);
}

/* From one to one -------------------------------------------------------------------------------------------------- */

KDSL_RT void kdsl_std_mpi_send(const KdslArray *x, int32_t to, int32_t tag);
KDSL_RT void kdsl_std_mpi_receive(const KdslArray *x, int32_t from, int32_t tag);
KDSL_RT void kdsl_std_mpi_sendrecv(const KdslArray *x, int32_t to, const KdslArray *y, int32_t from, int32_t tag);

void kdsl_std_mpi_send(const KdslArray *x, int32_t to, int32_t tag) {
    Data d = data_of("send", x);
    MpiHandle request;
    need_rank("send", to);
    tag = need_tag("send", tag);
    start_sending("send", &d, to, tag, &request);
    end_sending("send", &d, to, tag, &request);
}

void kdsl_std_mpi_receive(const KdslArray *x, int32_t from, int32_t tag) {
    Data d = data_of("receive", x);
    MpiHandle request;
    need_rank("receive", from);
    tag = need_tag("receive", tag);
    start_receiving("receive", &d, from, tag, &request);
    end_receiving("receive", &d, from, tag, &request);
}

void kdsl_std_mpi_sendrecv(const KdslArray *x, int32_t to, const KdslArray *y, int32_t from, int32_t tag) {
    Data out = data_of("sendrecv", x), in = data_of("sendrecv", y);
    MpiHandle sending, receiving;
    need_rank("sendrecv", to);
    need_rank("sendrecv", from);
    tag = need_tag("sendrecv", tag);
    start_receiving("sendrecv", &in, from, tag, &receiving);
    start_sending("sendrecv", &out, to, tag, &sending);
    end_receiving("sendrecv", &in, from, tag, &receiving);
    end_sending("sendrecv", &out, to, tag, &sending);
}

/* Requests --------------------------------------------------------------------------------------------------------- */

/* A reference ends with the call that it is passed to: the array may be changed or freed while the message is on its
 * way. So the message has memory of its own. */
typedef struct Request {
    int64_t number;
    MpiHandle mpi;
    Data data; /* its own memory */
    bool receives;
    int other, tag;
    struct Request *next;
} Request;
static Request *requests; /* that are not finished */

KDSL_RT int64_t kdsl_std_mpi_isend(const KdslArray *x, int32_t to, int32_t tag);
KDSL_RT int64_t kdsl_std_mpi_irecv(const KdslArray *like, int64_t n, int32_t from, int32_t tag);
KDSL_RT void kdsl_std_mpi_finish(int64_t number);
KDSL_RT void kdsl_std_mpi_finish_receive(int64_t number, const KdslArray *x);

static Request *new_request(const char *what, const Data *d, int other, int tag) {
    need_rank(what, other);
    tag = need_tag(what, tag);
    int64_t n_bytes = d->n_elements * d->elem_bytes;
    Request *r = malloc(sizeof *r);
    void *own = malloc(n_bytes > 0 ? (size_t)n_bytes : 1);
    if (!r || !own) kdsl_fail(place(), "%s: out of memory", what);
    *r = (Request){.number = ++n_requests, .data = *d, .other = other, .tag = tag, .next = requests};
    r->data.at = own;
    return requests = r;
}

int64_t kdsl_std_mpi_isend(const KdslArray *x, int32_t to, int32_t tag) {
    Data d = data_of("isend", x);
    Request *r = new_request("isend", &d, to, tag);
    memcpy(r->data.at, d.at, (size_t)(d.n_elements * d.elem_bytes));
    start_sending("isend", &r->data, to, r->tag, &r->mpi);
    return r->number;
}

/* `like` has no elements: only their type. */
int64_t kdsl_std_mpi_irecv(const KdslArray *like, int64_t n, int32_t from, int32_t tag) {
    KdslArray x = *like;
    x.rank = 1;
    x.extents[0] = n;
    Data d = data_of("irecv", &x);
    Request *r = new_request("irecv", &d, from, tag);
    r->receives = true;
    start_receiving("irecv", &r->data, from, r->tag, &r->mpi);
    return r->number;
}

static Request *take_request(const char *what, int64_t number) {
    for (Request **at = &requests; *at; at = &(*at)->next) {
        Request *r = *at;
        if (r->number != number) continue;
        *at = r->next;
        n_finished++;
        return r;
    }
    kdsl_fail(place(), "%s: this request is finished already", what);
}

void kdsl_std_mpi_finish(int64_t number) {
    begin();
    Request *r = take_request("finish", number);
    if (r->receives) kdsl_fail(place(), "finish: this request is of `irecv`; use `finish_receive`, which has an array");
    end_sending("finish", &r->data, r->other, r->tag, &r->mpi);
    free(r->data.at);
    free(r);
}

void kdsl_std_mpi_finish_receive(int64_t number, const KdslArray *x) {
    const char *what = "finish_receive";
    Data d = data_of(what, x);
    Request *r = take_request(what, number);
    if (!r->receives) kdsl_fail(place(), "%s: this request is of `isend`; use `finish`", what);
    if (d.n_elements != r->data.n_elements || strcmp(d.name, r->data.name))
        kdsl_fail(place(), "%s: `irecv` was of %lld element%s of type `%s`, but the array has %lld of type `%s`", what,
                  (long long)r->data.n_elements, plural(r->data.n_elements), r->data.name, (long long)d.n_elements,
                  d.name);
    end_receiving(what, &r->data, r->other, r->tag, &r->mpi);
    memcpy(d.at, r->data.at, (size_t)(d.n_elements * d.elem_bytes));
    free(r->data.at);
    free(r);
}

/* All together ----------------------------------------------------------------------------------------------------- */

/* What a rank asks for: compared byte by byte. */
typedef struct Ask {
    char what[12], type[8];
    int32_t root;
    int64_t n;
} Ask;

static void say_ask(char text[160], const Ask *a) {
    int n = snprintf(text, 160, "%s", a->what);
    if (a->n >= 0)
        n += snprintf(text + n, 160 - (size_t)n, " of %lld element%s of type `%.7s`", (long long)a->n, plural(a->n),
                      a->type);
    if (a->root >= 0) snprintf(text + n, 160 - (size_t)n, ", root %d", a->root);
}

static _Noreturn void asks_differ(const Ask *mine, const Ask *other, int rank) {
    char here[160], there[160];
    say_ask(here, mine);
    say_ask(there, other);
    kdsl_fail(place(), "the ranks do not call the same function with the same sizes: rank %d calls %s, and rank %d %s",
              my_rank, here, rank, there);
}

static void agree(const char *what, const Data *d, int root) {
    begin();
    if (!checks && timeout <= 0) return;
    Ask mine = {.root = root, .n = d ? d->n_elements : -1};
    snprintf(mine.what, sizeof mine.what, "%s", what);
    if (d) snprintf(mine.type, sizeof mine.type, "%.7s", d->name);
    Ask *all = malloc(sizeof mine * (size_t)n_ranks);
    if (!all) kdsl_fail(place(), "out of memory");
    MpiHandle request = 0;
    MpiStatus status;
    need(mpi->iallgather(&mine, sizeof mine, mpi->byte, all, sizeof mine, mpi->byte, mpi->world, &request), what);
    need(settle(&request, &status, &(Awaited){.what = what, .other = -1}), what);
    for (int r = 0; r < n_ranks; r++)
        if (memcmp(&all[r], &mine, sizeof mine)) asks_differ(&mine, &all[r], r);
    free(all);
}

KDSL_RT void kdsl_std_mpi_barrier(void);
KDSL_RT void kdsl_std_mpi_broadcast(const KdslArray *x, int32_t root);
KDSL_RT void kdsl_std_mpi_all_reduce(const KdslArray *x, int32_t op);
KDSL_RT void kdsl_std_mpi_gather(const KdslArray *x, const KdslArray *all, int32_t root);
KDSL_RT void kdsl_std_mpi_all_gather(const KdslArray *x, const KdslArray *all);
KDSL_RT void kdsl_std_mpi_scatter(const KdslArray *all, const KdslArray *x, int32_t root);

void kdsl_std_mpi_barrier(void) {
    agree("sync", NULL, -1);
    need(mpi->barrier(mpi->world), "sync");
}

void kdsl_std_mpi_broadcast(const KdslArray *x, int32_t root) {
    Data d = data_of("broadcast", x);
    need_rank("broadcast", root);
    agree("broadcast", &d, root);
    need(mpi->bcast(d.at, d.n, d.type, root, mpi->world), "broadcast");
}

void kdsl_std_mpi_all_reduce(const KdslArray *x, int32_t op) {
    static const char *const names[] = {"all_sum", "all_min", "all_max"};
    Data d = data_of(names[op], x);
    const MpiHandle ops[] = {mpi->sum, mpi->min, mpi->max};
    if (d.type == mpi->byte)
        kdsl_fail(place(), "%s: MPI cannot combine elements of type `%s`", names[op], d.name);
    agree(names[op], &d, -1);
    need(mpi->allreduce((void *)mpi->in_place, d.at, d.n, d.type, ops[op], mpi->world), names[op]);
}

/* One part for each rank, in their order. */
static void need_whole(const char *what, const Data *all, const Data *part) {
    if (all->n_elements == part->n_elements * n_ranks) return;
    kdsl_fail(place(), "%s: %d parts of %lld element%s are not the array of %lld", what, n_ranks,
              (long long)part->n_elements, plural(part->n_elements), (long long)all->n_elements);
}

void kdsl_std_mpi_gather(const KdslArray *x, const KdslArray *all, int32_t root) {
    Data part = data_of("gather", x), whole = data_of("gather", all);
    need_rank("gather", root);
    if (my_rank == root) need_whole("gather", &whole, &part);
    agree("gather", &part, root);
    need(mpi->gather(part.at, part.n, part.type, whole.at, part.n, part.type, root, mpi->world), "gather");
}

void kdsl_std_mpi_all_gather(const KdslArray *x, const KdslArray *all) {
    Data part = data_of("all_gather", x), whole = data_of("all_gather", all);
    need_whole("all_gather", &whole, &part);
    agree("all_gather", &part, -1);
    need(mpi->allgather(part.at, part.n, part.type, whole.at, part.n, part.type, mpi->world), "all_gather");
}

void kdsl_std_mpi_scatter(const KdslArray *all, const KdslArray *x, int32_t root) {
    Data part = data_of("scatter", x), whole = data_of("scatter", all);
    need_rank("scatter", root);
    if (my_rank == root) need_whole("scatter", &whole, &part);
    agree("scatter", &part, root);
    need(mpi->scatter(whole.at, part.n, part.type, part.at, part.n, part.type, root, mpi->world), "scatter");
}
