/* mpi.h -- the MPI library of the machine, found when the program starts to use it (mpi_library.c). There are two
 * binary interfaces: in Open MPI's, a handle is the address of a variable of the library; in MPICH's, which Intel MPI,
 * MVAPICH and Cray MPI share, it is a number of 32 bits. Both pass as MpiHandle, since a function that takes 32 bits
 * ignores the others of the register. tests/mpi/test_abi.py compares all of this with the headers of both. */
#ifndef KDSL_RUNTIME_MPI_H
#define KDSL_RUNTIME_MPI_H

#include "runtime/internal.h"

typedef intptr_t MpiHandle;
typedef struct MpiStatus {
    int64_t words[8]; /* 24 bytes in Open MPI, 20 in MPICH */
} MpiStatus;

/* MPI_HANDLE(field, symbol of Open MPI, number of MPICH) */
#define MPI_HANDLES                                                                                                    \
    MPI_HANDLE(world, "ompi_mpi_comm_world", 0x44000000)                                                               \
    MPI_HANDLE(request_null, "ompi_request_null", 0x2c000000)                                                          \
    MPI_HANDLE(errors_return, "ompi_mpi_errors_return", 0x54000001)                                                    \
    MPI_HANDLE(sum, "ompi_mpi_op_sum", 0x58000003)                                                                     \
    MPI_HANDLE(min, "ompi_mpi_op_min", 0x58000002)                                                                     \
    MPI_HANDLE(max, "ompi_mpi_op_max", 0x58000001)                                                                     \
    MPI_HANDLE(byte, "ompi_mpi_byte", 0x4c00010d)                                                                      \
    MPI_HANDLE(f32, "ompi_mpi_float", 0x4c00040a)                                                                      \
    MPI_HANDLE(f64, "ompi_mpi_double", 0x4c00080b)                                                                     \
    MPI_HANDLE(i8, "ompi_mpi_int8_t", 0x4c000137)                                                                      \
    MPI_HANDLE(i16, "ompi_mpi_int16_t", 0x4c000238)                                                                    \
    MPI_HANDLE(i32, "ompi_mpi_int32_t", 0x4c000439)                                                                    \
    MPI_HANDLE(i64, "ompi_mpi_int64_t", 0x4c00083a)                                                                    \
    MPI_HANDLE(u8, "ompi_mpi_uint8_t", 0x4c00013b)                                                                     \
    MPI_HANDLE(u16, "ompi_mpi_uint16_t", 0x4c00023c)                                                                   \
    MPI_HANDLE(u32, "ompi_mpi_uint32_t", 0x4c00043d)                                                                   \
    MPI_HANDLE(u64, "ompi_mpi_uint64_t", 0x4c00083e)

/* MPI_NUMBER(field, Open MPI, MPICH) */
#define MPI_NUMBERS                                                                                                    \
    MPI_NUMBER(in_place, 1, -1)                                                                                        \
    MPI_NUMBER(status_ignore, 0, 1)                                                                                    \
    MPI_NUMBER(err_truncate, 15, 14)

/* MPI_FUNCTION(field, name, parameters) */
#define MPI_FUNCTIONS                                                                                                  \
    MPI_FUNCTION(initialized, "MPI_Initialized", (int *flag))                                                          \
    MPI_FUNCTION(finalized, "MPI_Finalized", (int *flag))                                                              \
    MPI_FUNCTION(init_thread, "MPI_Init_thread", (int *argc, char ***argv, int wanted, int *provided))                 \
    MPI_FUNCTION(finalize, "MPI_Finalize", (void))                                                                     \
    MPI_FUNCTION(abort, "MPI_Abort", (MpiHandle comm, int status))                                                     \
    MPI_FUNCTION(comm_rank, "MPI_Comm_rank", (MpiHandle comm, int *rank))                                              \
    MPI_FUNCTION(comm_size, "MPI_Comm_size", (MpiHandle comm, int *size))                                              \
    MPI_FUNCTION(set_errhandler, "MPI_Comm_set_errhandler", (MpiHandle comm, MpiHandle handler))                       \
    MPI_FUNCTION(error_class, "MPI_Error_class", (int code, int *class))                                               \
    MPI_FUNCTION(error_string, "MPI_Error_string", (int code, char *text, int *n))                                     \
    MPI_FUNCTION(isend, "MPI_Isend",                                                                                   \
                 (const void *at, int n, MpiHandle type, int to, int tag, MpiHandle comm, MpiHandle *request))         \
    MPI_FUNCTION(irecv, "MPI_Irecv",                                                                                   \
                 (void *at, int n, MpiHandle type, int from, int tag, MpiHandle comm, MpiHandle *request))             \
    MPI_FUNCTION(wait, "MPI_Wait", (MpiHandle *request, MpiStatus *status))                                            \
    MPI_FUNCTION(test, "MPI_Test", (MpiHandle *request, int *flag, MpiStatus *status))                                 \
    MPI_FUNCTION(get_count, "MPI_Get_count", (const MpiStatus *status, MpiHandle type, int *n))                        \
    MPI_FUNCTION(barrier, "MPI_Barrier", (MpiHandle comm))                                                             \
    MPI_FUNCTION(bcast, "MPI_Bcast", (void *at, int n, MpiHandle type, int root, MpiHandle comm))                      \
    MPI_FUNCTION(allreduce, "MPI_Allreduce",                                                                           \
                 (const void *from, void *to, int n, MpiHandle type, MpiHandle op, MpiHandle comm))                    \
    MPI_FUNCTION(gather, "MPI_Gather",                                                                                 \
                 (const void *from, int n, MpiHandle type, void *to, int n_to, MpiHandle to_type, int root,            \
                  MpiHandle comm))                                                                                     \
    MPI_FUNCTION(allgather, "MPI_Allgather",                                                                           \
                 (const void *from, int n, MpiHandle type, void *to, int n_to, MpiHandle to_type, MpiHandle comm))     \
    MPI_FUNCTION(iallgather, "MPI_Iallgather",                                                                         \
                 (const void *from, int n, MpiHandle type, void *to, int n_to, MpiHandle to_type, MpiHandle comm,      \
                  MpiHandle *request))                                                                                 \
    MPI_FUNCTION(scatter, "MPI_Scatter",                                                                               \
                 (const void *from, int n, MpiHandle type, void *to, int n_to, MpiHandle to_type, int root,            \
                  MpiHandle comm))

typedef struct Mpi {
#define MPI_HANDLE(field, symbol, number) MpiHandle field;
    MPI_HANDLES
#undef MPI_HANDLE
#define MPI_NUMBER(field, open_mpi, mpich) intptr_t field;
    MPI_NUMBERS
#undef MPI_NUMBER
#define MPI_FUNCTION(field, name, parameters) int(*field) parameters;
    MPI_FUNCTIONS
#undef MPI_FUNCTION
} Mpi;

/* Ends the program with a message if there is none. */
KDSL_RT const Mpi *kdsl_mpi_library(void);

#endif
