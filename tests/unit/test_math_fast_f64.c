/* How exact are the mathematical functions of f64 in the fast mode, apart from the estimates of quotients and roots? */
#define KDSL_FAST
#include "test_math_f64.c"
