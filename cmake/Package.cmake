# SPDX-License-Identifier: GPL-3.0-or-later
# What is installed where, and the Debian package (cpack -G DEB).
install(TARGETS longpole longpole-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET longpole-gui)
  install(TARGETS longpole-gui RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES resources/longpole.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
  install(FILES resources/io.github.longpole.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
  install(FILES resources/icons/longpole.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
endif()
if(TARGET longpole_sqlite)
  # For the stock shell: .load /usr/lib/longpole/longpole_sqlite
  install(TARGETS longpole_sqlite LIBRARY DESTINATION lib/longpole)
endif()
install(FILES resources/longpole-mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages RENAME longpole.xml)
install(DIRECTORY resources/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/longpole)
install(FILES resources/thresholds.toml DESTINATION ${CMAKE_INSTALL_DATADIR}/longpole)
install(FILES resources/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/longpole)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/longpole)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/longpole PATTERN developer EXCLUDE)
foreach(trace gauss_seidel_p8 chain_and_bulk_p6 jacobi2d_sdag_p4 otf2/casita_4_mpi_ls_barr)
  get_filename_component(folder examples/${trace} DIRECTORY)
  install(DIRECTORY tests/data/${trace} DESTINATION ${CMAKE_INSTALL_DATADIR}/longpole/${folder})
endforeach()
install(FILES tests/data/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/longpole/examples)

# Man pages and completions are written from the programs' own lists; man pages lie compressed, without a time stamp.
find_program(GZIP gzip REQUIRED)
set(documents ${CMAKE_BINARY_DIR}/documents)
file(MAKE_DIRECTORY ${documents})
function(add_manual program)
  add_custom_command(OUTPUT ${documents}/${program}.1.gz
    COMMAND ${program} --generate man > ${documents}/${program}.1
    COMMAND ${GZIP} -9nc ${documents}/${program}.1 > ${documents}/${program}.1.gz
    DEPENDS ${program} VERBATIM)
  add_custom_target(${program}_manual ALL DEPENDS ${documents}/${program}.1.gz)
  install(FILES ${documents}/${program}.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endfunction()
add_manual(longpole)
add_manual(longpole-mpi)
if(TARGET longpole-gui)
  add_manual(longpole-gui)
endif()
add_custom_command(OUTPUT ${documents}/longpole.bash ${documents}/_longpole
  COMMAND longpole --generate bash-completion > ${documents}/longpole.bash
  COMMAND longpole --generate zsh-completion > ${documents}/_longpole
  DEPENDS longpole VERBATIM)
add_custom_target(longpole_completions ALL DEPENDS ${documents}/longpole.bash)
install(FILES ${documents}/longpole.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME longpole)
install(FILES ${documents}/_longpole DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)

# Debian wants a changelog of its own form beside ours; its date is that of the release in the AppStream file.
file(STRINGS resources/io.github.longpole.metainfo.xml release REGEX "<release version=\"${PROJECT_VERSION}\"")
string(REGEX MATCH "[0-9]+-[0-9]+-[0-9]+" released "${release}")
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C date -u -R -d "${released} 12:00"
  OUTPUT_VARIABLE released OUTPUT_STRIP_TRAILING_WHITESPACE)
set(CPACK_PACKAGE_CONTACT "Longpole <longpole@users.noreply.github.com>")
file(CONFIGURE OUTPUT ${documents}/changelog @ONLY CONTENT "longpole (@PROJECT_VERSION@) unstable; urgency=medium

  * Release @PROJECT_VERSION@: CHANGELOG.md beside this file says what is new.

 -- @CPACK_PACKAGE_CONTACT@  @released@
")
execute_process(COMMAND ${GZIP} -9nc changelog WORKING_DIRECTORY ${documents} OUTPUT_FILE ${documents}/changelog.gz)
install(FILES ${documents}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/longpole)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME longpole)
set(CPACK_PACKAGE_VENDOR Longpole)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
# Lines of at most 80 characters, with the one that Debian puts before each.
set(CPACK_PACKAGE_DESCRIPTION "Turns the trace of a parallel program into one file, shows it as timelines,
finds its critical path, and says where the time goes and what to change first.
Reads Projections logs of Charm++ and AMPI programs, OTF2 archives, and
recordings of MPI programs that its own recorder makes.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS fonts-dejavu-core)  # pictures have words; libraries are found by shlibdeps
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS fonts-inter)
include(CPack)
