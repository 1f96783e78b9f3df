# Everything the build takes from the system, each with the Debian package that brings it. All that is missing is
# reported at once, as one line to paste. Result: the targets kdsl_llvm and kdsl_lld, KDSL_RE2C, KDSL_LEMON,
# KDSL_FILECHECK (tests only), KDSL_LLVM_LIB_DIR, KDSL_LLVM_VERSION.

set(KDSL_LLVM_ROOT /usr/lib/llvm-22 CACHE PATH "Where LLVM 22 is installed")
set(KDSL_LLVM_LIB_DIR ${KDSL_LLVM_ROOT}/lib)
set(missing_packages "")
set(missing_things "")

function(need_program variable name package)
    find_program(${variable} NAMES ${name} HINTS ${KDSL_LLVM_ROOT}/bin)
    note_missing(${variable} "program ${name}" ${package})
endfunction()

function(need_library variable name package)
    find_library(${variable} NAMES ${name} HINTS ${KDSL_LLVM_LIB_DIR})
    note_missing(${variable} "library ${name}" ${package})
endfunction()

function(need_header variable name package)
    find_path(${variable} NAMES ${name} HINTS ${KDSL_LLVM_ROOT}/include)
    note_missing(${variable} "header ${name}" ${package})
endfunction()

macro(note_missing variable thing package)
    if(NOT ${variable})
        list(APPEND missing_packages ${package})
        list(APPEND missing_things "${thing} (package ${package})")
        set(missing_packages "${missing_packages}" PARENT_SCOPE)
        set(missing_things "${missing_things}" PARENT_SCOPE)
    endif()
endmacro()

need_header(KDSL_LLVM_C_INCLUDE llvm-c/Core.h llvm-22-dev)
need_header(KDSL_LLVM_CONFIG_INCLUDE llvm/Config/llvm-config.h llvm-22-dev)
need_library(KDSL_LLVM_LIBRARY LLVM-22 llvm-22-dev)
need_program(KDSL_LLVM_CONFIG llvm-config llvm-22)
need_header(KDSL_LLD_INCLUDE lld/Common/Driver.h liblld-22-dev)
need_library(KDSL_LLD_ELF_LIBRARY lldELF liblld-22-dev)
need_library(KDSL_LLD_COMMON_LIBRARY lldCommon liblld-22-dev)
need_program(KDSL_LD_LLD ld.lld-22 lld-22)
need_library(KDSL_OMPTARGET_LIBRARY omptarget liboffload-22-dev)
need_library(KDSL_OMP_LIBRARY omp libomp-22-dev)
need_library(KDSL_Z_LIBRARY z zlib1g-dev)
need_library(KDSL_ZSTD_LIBRARY zstd libzstd-dev)
need_header(KDSL_PNG_INCLUDE png.h libpng-dev)
need_library(KDSL_PNG_ARCHIVE libpng16.a libpng-dev)
need_library(KDSL_Z_ARCHIVE libz.a zlib1g-dev)
need_header(KDSL_READLINE_INCLUDE readline/readline.h libreadline-dev)
need_library(KDSL_READLINE_ARCHIVE libreadline.a libreadline-dev)
need_library(KDSL_TINFO_LIBRARY tinfo libncurses-dev)
need_header(KDSL_JSON_INCLUDE json-c/json.h libjson-c-dev)
need_library(KDSL_JSON_ARCHIVE libjson-c.a libjson-c-dev)
need_header(KDSL_ZMQ_INCLUDE zmq.h libzmq3-dev)
need_header(KDSL_NETTLE_INCLUDE nettle/hmac.h nettle-dev)
need_library(KDSL_NETTLE_ARCHIVE libnettle.a nettle-dev)
need_header(KDSL_ISL_INCLUDE isl/set.h libisl-dev)
need_library(KDSL_ISL_ARCHIVE libisl.a libisl-dev)
need_library(KDSL_GMP_ARCHIVE libgmp.a libgmp-dev)
need_program(KDSL_CLANG clang-22 clang-22)
find_path(KDSL_LIBCLC nvptx64--.bc HINTS /usr/lib/clc)
note_missing(KDSL_LIBCLC "libclc's bitcode" libclc-22)
need_program(KDSL_RE2C re2c re2c)
need_program(KDSL_LEMON lemon lemon)
need_program(KDSL_PYTHON python3 python3)
# The interpreter itself: the tests start a thousand, and the shell script that a version manager puts before it in PATH
# takes five times as long to start.
if(KDSL_PYTHON)
    execute_process(COMMAND ${KDSL_PYTHON} -c "import sys; print(sys.executable)" OUTPUT_VARIABLE interpreter
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    set(KDSL_PYTHON ${interpreter})
endif()
if(BUILD_TESTING OR NOT DEFINED BUILD_TESTING)
    need_program(KDSL_FILECHECK "FileCheck-22;FileCheck" llvm-22-tools)
    need_program(KDSL_GDB gdb gdb)
    need_program(KDSL_GFORTRAN gfortran gfortran)
    need_library(KDSL_BLAS blas libblas-dev)
    need_library(KDSL_TREE_SITTER tree-sitter libtree-sitter-dev)
    need_program(KDSL_MPIEXEC mpiexec openmpi-bin)
    need_program(KDSL_MPICC mpicc libopenmpi-dev)
    find_path(KDSL_PYTE pyte/screens.py HINTS /usr/lib/python3/dist-packages)
    note_missing(KDSL_PYTE "Python's module pyte" python3-pyte)
endif()
if(KDSL_FUZZ AND NOT CMAKE_C_COMPILER_ID STREQUAL Clang)
    message(FATAL_ERROR "KDSL_FUZZ needs clang: use `cmake --preset fuzz` (Debian packages clang-22 libclang-rt-22-dev)")
endif()

if(missing_packages)
    list(REMOVE_DUPLICATES missing_packages)
    list(JOIN missing_things "\n  " things)
    list(JOIN missing_packages " " packages)
    message(FATAL_ERROR "Not found:\n  ${things}\n"
        "On Debian 12:\n  sudo apt-get install ${packages}\nor let `./dev setup` do it.")
endif()

file(STRINGS ${KDSL_LLVM_CONFIG_INCLUDE}/llvm/Config/llvm-config.h version_line REGEX "define LLVM_VERSION_STRING ")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" KDSL_LLVM_VERSION "${version_line}")
if(NOT KDSL_LLVM_VERSION MATCHES "^22\\.")
    message(FATAL_ERROR "${KDSL_LLVM_CONFIG_INCLUDE} is LLVM ${KDSL_LLVM_VERSION}; kdslc is written for LLVM 22 (llvm-22-dev)")
endif()

# kdslc itself has LLVM inside: to load libLLVM.so and to relocate it takes 7 of the 13 ms in which kdslc starts. Tests
# start less often, and are linked more often, so they share it. A target says which by its property KDSL_LLVM_INSIDE.
execute_process(COMMAND ${KDSL_LLVM_CONFIG} --link-static --libfiles OUTPUT_VARIABLE archives
    OUTPUT_STRIP_TRAILING_WHITESPACE)
separate_arguments(archives UNIX_COMMAND "${archives}")
list(FILTER archives EXCLUDE REGEX "Polly") # driver/polly.cpp
add_library(kdsl_llvm INTERFACE)
target_include_directories(kdsl_llvm SYSTEM INTERFACE ${KDSL_LLVM_C_INCLUDE})
target_link_libraries(kdsl_llvm INTERFACE
    "$<IF:$<BOOL:$<TARGET_PROPERTY:KDSL_LLVM_INSIDE>>,${archives},${KDSL_LLVM_LIBRARY}>")

add_library(kdsl_lld INTERFACE)
target_include_directories(kdsl_lld SYSTEM INTERFACE ${KDSL_LLD_INCLUDE})
target_link_libraries(kdsl_lld INTERFACE ${KDSL_LLD_ELF_LIBRARY} ${KDSL_LLD_COMMON_LIBRARY} kdsl_llvm
    ${KDSL_Z_LIBRARY} ${KDSL_ZSTD_LIBRARY})
