/* arith.h -- the language's arithmetic on values: what constants (fold.c) and the interpreter (interp/) compute with.
 * Integers are kept in 64 bits, two's complement, wrapped to their type; floats in a double, rounded to their type. */
#ifndef KDSL_ARITH_H
#define KDSL_ARITH_H

#include "sema/sema.h"

/* const.c */
Const const_int(int64_t v);
Const const_float(double v);
Const const_bool(bool v);
int64_t int_wrap(int64_t v, const Type *t);
Const const_convert(Const v, const Type *from, const Type *to);

/* arith.c. Operands have type `t`, a number or a bool; only a shift amount may have another integer type. If `over` is
 * not NULL, *over says whether the exact result of an integer operation does not fit in 64 bits. */
bool arith_is_defined(Op op, const Type *t, Const b); /* no division by zero, no shift by the width or more */
Const arith_unary(Op op, const Type *t, Const a, bool *over);
Const arith_binary(Op op, const Type *t, Const a, Const b, bool *over); /* requires arith_is_defined */
Const arith_min_or_max(bool max, const Type *t, Const a, Const b);
Const arith_fma(const Type *t, Const a, Const b, Const c); /* a * b + c, rounded once */
/* A sum or difference whose left (or right) operand is a product, which is rounded with it (fuse.c). */
Const arith_fused(Op op, const Type *t, const Const factors[2], bool negated, bool left, const Const other);

/* number.c: the value of a built-in function of numbers for arguments of type `t`. False: the function has no value at
 * compile time. */
bool number_value(BuiltinId id, const Type *t, const Const *x, Const *r);

#endif
