# SPDX-License-Identifier: GPL-3.0-or-later
# What is installed where, and the Debian package (cpack -G DEB).
install(TARGETS longpole RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
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
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/longpole RENAME copyright)

# Man page and completion are written from the list of commands; man pages lie compressed, without a time stamp.
find_program(GZIP gzip REQUIRED)
set(documents ${CMAKE_BINARY_DIR}/documents)
file(MAKE_DIRECTORY ${documents})
add_custom_command(
  OUTPUT ${documents}/longpole.1.gz ${documents}/longpole-gui.1.gz ${documents}/longpole.bash ${documents}/_longpole
  COMMAND longpole --generate man > ${documents}/longpole.1
  COMMAND ${GZIP} -9nc ${documents}/longpole.1 > ${documents}/longpole.1.gz
  COMMAND ${GZIP} -9nc ${CMAKE_SOURCE_DIR}/resources/man/longpole-gui.1 > ${documents}/longpole-gui.1.gz
  COMMAND longpole --generate bash-completion > ${documents}/longpole.bash
  COMMAND longpole --generate zsh-completion > ${documents}/_longpole
  DEPENDS longpole ${CMAKE_SOURCE_DIR}/resources/man/longpole-gui.1 VERBATIM)
add_custom_target(longpole_documents ALL DEPENDS ${documents}/longpole.1.gz)
install(FILES ${documents}/longpole.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
if(TARGET longpole-gui)
  install(FILES ${documents}/longpole-gui.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(FILES ${documents}/longpole.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME longpole)
install(FILES ${documents}/_longpole DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME longpole)
set(CPACK_PACKAGE_VENDOR Longpole)
set(CPACK_PACKAGE_CONTACT "Longpole <longpole@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "Turns the trace of a parallel program into one file, shows it as timelines, finds its
critical path, and says where the time goes. Reads Projections logs of Charm++ and AMPI programs.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS fonts-dejavu-core)  # pictures have words; libraries are found by shlibdeps
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS fonts-inter)
include(CPack)
