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
need_header(KDSL_LLD_INCLUDE lld/Common/Driver.h liblld-22-dev)
need_library(KDSL_LLD_ELF_LIBRARY lldELF liblld-22-dev)
need_library(KDSL_LLD_COMMON_LIBRARY lldCommon liblld-22-dev)
need_program(KDSL_LD_LLD ld.lld-22 lld-22)
need_library(KDSL_OMPTARGET_LIBRARY omptarget liboffload-22-dev)
need_library(KDSL_OMP_LIBRARY omp libomp-22-dev)
need_library(KDSL_Z_LIBRARY z zlib1g-dev)
need_library(KDSL_ZSTD_LIBRARY zstd libzstd-dev)
need_program(KDSL_RE2C re2c re2c)
need_program(KDSL_LEMON lemon lemon)
need_program(KDSL_PYTHON python3 python3)
if(BUILD_TESTING OR NOT DEFINED BUILD_TESTING)
    need_program(KDSL_FILECHECK "FileCheck-22;FileCheck" llvm-22-tools)
    need_program(KDSL_GDB gdb gdb)
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

add_library(kdsl_llvm INTERFACE)
target_include_directories(kdsl_llvm SYSTEM INTERFACE ${KDSL_LLVM_C_INCLUDE})
target_link_libraries(kdsl_llvm INTERFACE ${KDSL_LLVM_LIBRARY})

add_library(kdsl_lld INTERFACE)
target_include_directories(kdsl_lld SYSTEM INTERFACE ${KDSL_LLD_INCLUDE})
target_link_libraries(kdsl_lld INTERFACE ${KDSL_LLD_ELF_LIBRARY} ${KDSL_LLD_COMMON_LIBRARY} kdsl_llvm
    ${KDSL_Z_LIBRARY} ${KDSL_ZSTD_LIBRARY})
