# What `cmake --install` puts where, the target `uninstall`, and packages (`cpack -G DEB`, `cpack -G TGZ`).
set(kdsl_pages ${CMAKE_BINARY_DIR}/pages)
set(kdsl_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Kdsl)

# The manual and the completions are written by the compiler, from the table of its options.
file(MAKE_DIRECTORY ${kdsl_pages})
add_custom_command(OUTPUT ${kdsl_pages}/kdslc.1 ${kdsl_pages}/kdslc.1.gz ${kdsl_pages}/kdslc.bash ${kdsl_pages}/_kdslc ${kdsl_pages}/kdslc.fish
    DEPENDS kdslc VERBATIM
    COMMAND kdslc --man > ${kdsl_pages}/kdslc.1
    COMMAND gzip -9nkf ${kdsl_pages}/kdslc.1
    COMMAND kdslc --completion=bash > ${kdsl_pages}/kdslc.bash
    COMMAND kdslc --completion=zsh > ${kdsl_pages}/_kdslc
    COMMAND kdslc --completion=fish > ${kdsl_pages}/kdslc.fish)
add_custom_target(pages ALL DEPENDS ${kdsl_pages}/kdslc.1 ${kdsl_pages}/kdslc.1.gz ${kdsl_pages}/kdslc.bash
    ${kdsl_pages}/_kdslc ${kdsl_pages}/kdslc.fish)
# `./dev run` builds the compiler alone; what else is installed is made here if it is not there yet.
install(CODE "
foreach(file IN ITEMS kdslc.1.gz kdslc.bash _kdslc kdslc.fish changelog.gz)
    if(NOT EXISTS \"${kdsl_pages}/\${file}\")
        execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${CMAKE_BINARY_DIR}\" --target pages changelog
            COMMAND_ERROR_IS_FATAL ANY)
        break()
    endif()
endforeach()")
install(FILES ${kdsl_pages}/kdslc.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${kdsl_pages}/kdslc.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME kdslc)
install(FILES ${kdsl_pages}/_kdslc DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${kdsl_pages}/kdslc.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# The pages link to programs of the tests, which are installed at the same place beside them.
install(FILES packaging/README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "*.py" EXCLUDE PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.kdsl" PATTERN "*.expected"
    PATTERN "*.png")
install(DIRECTORY course DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS PATTERN "__pycache__" EXCLUDE)
install(FILES jupyter/kernel.json DESTINATION ${CMAKE_INSTALL_DATADIR}/jupyter/kernels/kdsl)
install(DIRECTORY editors DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB kdsl_docs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/*.md)
set(linked "")
foreach(page IN LISTS kdsl_docs)
    file(STRINGS ${page} lines REGEX "\\]\\(\\.\\./tests/")
    string(REGEX MATCHALL "\\(\\.\\./tests/[^)#]+" found "${lines}")
    list(APPEND linked ${found})
endforeach()
list(REMOVE_DUPLICATES linked)
foreach(link IN LISTS linked)
    string(REPLACE "(../" "" path "${link}")
    get_filename_component(folder ${path} DIRECTORY)
    install(FILES ${path} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()

install(DIRECTORY python DESTINATION ${CMAKE_INSTALL_DATADIR}/kdsl FILES_MATCHING PATTERN "*.py")
install(FILES runtime/valgrind.supp DESTINATION ${CMAKE_INSTALL_DATADIR}/kdsl)
install(DIRECTORY stdlib/ DESTINATION ${CMAKE_INSTALL_DATADIR}/kdsl FILES_MATCHING PATTERN "*.kdsl")

# find_package(Kdsl), pkg-config
include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/KdslConfig.cmake.in ${CMAKE_BINARY_DIR}/KdslConfig.cmake
    INSTALL_DESTINATION ${kdsl_cmake_dir} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/KdslConfigVersion.cmake COMPATIBILITY SameMinorVersion
    ARCH_INDEPENDENT)
install(FILES ${CMAKE_BINARY_DIR}/KdslConfig.cmake ${CMAKE_BINARY_DIR}/KdslConfigVersion.cmake
    DESTINATION ${kdsl_cmake_dir})
file(REAL_PATH ${KDSL_OMPTARGET_LIBRARY} KDSL_OMPTARGET)
configure_file(cmake/kdsl.pc.in ${CMAKE_BINARY_DIR}/kdsl.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/kdsl.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

configure_file(cmake/Uninstall.cmake.in ${CMAKE_BINARY_DIR}/Uninstall.cmake @ONLY)
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -P ${CMAKE_BINARY_DIR}/Uninstall.cmake VERBATIM)

# A folder for users without root, with all libraries: packaging/tarball.py
add_custom_target(tarball COMMAND ${KDSL_PYTHON} ${CMAKE_SOURCE_DIR}/packaging/tarball.py ${CMAKE_BINARY_DIR}
    DEPENDS kdslc pages VERBATIM USES_TERMINAL)

set(CPACK_PACKAGE_NAME kdslc)
set(CPACK_PACKAGE_CONTACT "The developers of kdslc <kdslc@localhost>")
set(kdsl_changelog ${kdsl_pages}/changelog)
add_custom_command(OUTPUT ${kdsl_changelog}.gz DEPENDS CHANGELOG.md packaging/debian_changelog.py VERBATIM
    COMMAND ${KDSL_PYTHON} ${CMAKE_SOURCE_DIR}/packaging/debian_changelog.py ${CPACK_PACKAGE_CONTACT} > ${kdsl_changelog}
    COMMAND gzip -9nf ${kdsl_changelog})
add_custom_target(changelog ALL DEPENDS ${kdsl_changelog}.gz)
install(FILES packaging/copyright ${kdsl_changelog}.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiler for KDSL, a small language for GPU kernels")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DESCRIPTION "The parallel loops of a KDSL program run on accelerators: kdslc compiles a program to one
 native executable, with vectorised code for the processor and images for the
 GPUs that libomptarget supports. The signature of a kernel says what is copied
 to a device and back. The package has the compiler, its language server and
 interactive session, the manual, examples and a Python package.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "liboffload-22, libc6-dev") # what compiled programs need, and start files to link them
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gdb, jupyter-notebook, libzmq5, python3-numpy")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
