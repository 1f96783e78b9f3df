/* runtime_types.cpp -- compares the signatures of runtime.def with the prototypes of the functions, while the compiler is
 * compiled. Calls are made by the letters alone (runtime.c), and nothing at run time would notice a wrong one: an i32 that
 * is passed as an i64 may well work. */
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#define _Noreturn [[noreturn]]
extern "C" {
#include "runtime/geometry.h"
#include "runtime/runtime.h"
}

namespace {

template <class T> constexpr char letter() {
    if constexpr (std::is_void_v<T>) return 'v';
    else if constexpr (std::is_pointer_v<T>) return 'p';
    else if constexpr (std::is_same_v<T, double>) return 'd';
    else if constexpr (std::is_integral_v<T>) return sizeof(T) == 4 ? 'i' : sizeof(T) == 8 ? 'l' : '?';
    else return '?';
}

template <class Result, class... Params>
constexpr bool has_signature(Result (*)(Params...), char result, const char *params) {
    const char real[] = {letter<Params>()..., '\0'};
    bool same = result == letter<Result>();
    for (std::size_t i = 0; i <= sizeof...(Params) && same; i++) {
        same = params[i] == real[i];
        if (!real[i]) break;
    }
    return same;
}

} // namespace

#define RUNTIME(id, name, result, params, flags)                                                                       \
    static_assert(has_signature(name, result, params), "runtime.def: " #name " does not have " #result ", " params);
#include "irgen/lang/runtime.def"
#undef RUNTIME
