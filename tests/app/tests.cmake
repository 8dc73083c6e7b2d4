# SPDX-License-Identifier: GPL-3.0-or-later
# Tests of the command line program, its cache and its reports. They find the program by LONGPOLE_PROGRAM.
add_library(longpole-faults MODULE support/faults.c)
set_target_properties(longpole-faults PROPERTIES C_STANDARD 11 C_EXTENSIONS ON UNITY_BUILD OFF)
target_compile_options(longpole-faults PRIVATE -Wno-pedantic -fno-builtin)
target_link_libraries(longpole-faults PRIVATE ${CMAKE_DL_LIBS})
if(OTF2_FOUND)
  set(made_otf2 make_otf2)
  set(made_otf2_path LONGPOLE_MAKE_OTF2="$<TARGET_FILE:make_otf2>")
endif()
# Sees what would reach another machine.
add_library(longpole-askedhosts MODULE support/askedhosts.c)
set_target_properties(longpole-askedhosts PROPERTIES C_STANDARD 11 C_EXTENSIONS ON UNITY_BUILD OFF)
target_compile_options(longpole-askedhosts PRIVATE -Wno-pedantic -fno-builtin)
target_link_libraries(longpole-askedhosts PRIVATE ${CMAKE_DL_LIBS})
set_source_files_properties(app/commands/tst_otherhosts.cpp PROPERTIES
  COMPILE_DEFINITIONS LONGPOLE_ASKED_LIBRARY="$<TARGET_FILE:longpole-askedhosts>")
# The module's reader of priorities, as a user's Charm++ compiles it.
add_library(longpole_prioritytable STATIC ${CMAKE_SOURCE_DIR}/recorder/charm/prioritytable.C)
set_target_properties(longpole_prioritytable PROPERTIES CXX_STANDARD 11 UNITY_BUILD OFF)
target_include_directories(longpole_prioritytable PUBLIC ${CMAKE_SOURCE_DIR})
add_longpole_tests(tests_app LAYER appcore DEPENDS longpole longpole-faults longpole-askedhosts make_recording ${made_otf2} LIBS longpole_planted longpole_prioritytable longpole_synthetic
  TESTS
    app/commands/tst_advise
    app/commands/tst_cancel
    app/commands/tst_commandline
    app/commands/tst_commandoutput
    app/commands/tst_compare
    app/commands/tst_consoles
    app/commands/tst_distributions
    app/commands/tst_documents
    app/commands/tst_errors
    app/commands/tst_examples
    app/commands/tst_faults
    app/commands/tst_import
    app/commands/tst_namedcode
    app/commands/tst_otherhosts
    app/commands/tst_outputfiles
    app/commands/tst_pathoutput
    app/commands/tst_phases
    app/commands/tst_project
    app/common/tst_glossary
    app/common/tst_onecount
    app/common/tst_spokenwords
    app/common/tst_vocabulary
    app/processes/tst_analyze
    app/processes/tst_analyzedparts
    app/processes/tst_analyzefolder
    app/processes/tst_analyzewishes
    app/processes/tst_partreport
    app/processes/tst_simulate
    app/record/tst_charm
    app/record/tst_charmonline
    app/record/tst_charmruns
    app/record/tst_lostcores
    app/record/tst_online
    app/record/tst_prioritytable
    app/record/tst_record
    app/record/tst_trialfolder
    app/commands/tst_reduce
    app/commands/tst_safeoutput
    app/report/tst_browser
    app/report/tst_report
    app/report/tst_reportsections
    app/report/tst_reportwords
    app/report/tst_steppedprograms
    app/commands/tst_summary
    app/commands/tst_tables
    app/common/tst_filerights
    app/common/tst_runname
    app/common/tst_scratchfolder
    app/common/tst_sidefiles
    app/common/tst_tracecache
    app/common/tst_tracelink
    app/common/tst_translation
    app/commands/tst_tree
    app/commands/tst_try
    app/commands/tst_partialruns
    app/commands/tst_upgrade
    app/commands/tst_waits
  DEFINES
    LONGPOLE_PROGRAM="$<TARGET_FILE:longpole>"
    LONGPOLE_FAULTS_LIBRARY="$<TARGET_FILE:longpole-faults>"
    LONGPOLE_MAKE_RECORDING="$<TARGET_FILE:make_recording>"
    ${made_otf2_path}
    LONGPOLE_RECORDER="${CMAKE_BINARY_DIR}/recorder"
    LONGPOLE_CHARM_MODULE="${CMAKE_SOURCE_DIR}/recorder/charm"
    LONGPOLE_CHARM_PROGRAMS="${CMAKE_SOURCE_DIR}/tests/app/record/programs"
    LONGPOLE_CHARM_KINDS="${CMAKE_SOURCE_DIR}/tests/recorder/charm/programs"
    LONGPOLE_DOCS="${CMAKE_SOURCE_DIR}/docs"
    LONGPOLE_SCHEMAS="${CMAKE_SOURCE_DIR}/resources/schema")
set_tests_properties(tst_analyzefolder PROPERTIES TIMEOUT 900)
# They take times of programs, which are built first.
set_tests_properties(tst_charm tst_charmonline tst_charmruns PROPERTIES RUN_SERIAL ON TIMEOUT 1500)

# Tests of the desktop program. They wait more than they compute: the best company for ranks that wait for each other.
if(LONGPOLE_GUI)
  add_longpole_tests(tests_desktop LAYER desktop COST 900 DEPENDS longpole longpole-gui make_recording LIBS longpole_synthetic
    DEFINES LONGPOLE_PROGRAM="$<TARGET_FILE:longpole>" LONGPOLE_DOCS="${CMAKE_SOURCE_DIR}/docs"
      LONGPOLE_MAKE_RECORDING="$<TARGET_FILE:make_recording>"
    TESTS
      app/gui/frame/tst_gui_documents
      app/gui/frame/tst_gui_sheets
      app/gui/session/tst_gui_bookmarks
      app/gui/window/tst_gui_accessible
      app/gui/window/tst_gui_colours
      app/gui/window/tst_gui_elision
      app/gui/window/tst_gui_expert
      app/gui/window/tst_gui_frame
      app/gui/window/tst_gui_guide
      app/gui/window/tst_gui_language
      app/gui/window/tst_gui_live
      app/gui/window/tst_gui_memory
      app/gui/window/tst_gui_monkey
      app/gui/window/tst_gui_panels
      app/gui/window/tst_gui_part
      app/gui/window/tst_gui_places
      app/gui/window/tst_gui_samefigures
      app/gui/window/tst_gui_second
      app/gui/window/tst_gui_selection
      app/gui/session/tst_gui_foreignsession
      app/gui/session/tst_gui_savedsession
      app/gui/session/tst_gui_session
      app/gui/window/tst_gui_start
      app/gui/window/tst_gui_tablemodel
      app/gui/window/tst_gui_try
      app/gui/window/tst_gui_window
      app/gui/window/tst_gui_windowbookmarks
      app/gui/window/tst_gui_work)
  # What is cut at a scale of 1 is looked for at 2 as well.
  get_test_property(tst_gui_elision ENVIRONMENT environment_scale2)
  list(TRANSFORM environment_scale2 REPLACE "QT_SCALE_FACTOR=1" "QT_SCALE_FACTOR=2")
  add_test(NAME tst_gui_elision_scale2 COMMAND tests_desktop tst_gui_elision "numbersAreWholeAndNamesAreNames:long names, 1440 x 900"
    "numbersAreWholeAndNamesAreNames:a real run, 1440 x 900")
  set_tests_properties(tst_gui_elision_scale2 PROPERTIES TIMEOUT 300 ENVIRONMENT "${environment_scale2}")
  # It opens every view of a large trace, if it is there.
  set_tests_properties(tst_gui_memory PROPERTIES TIMEOUT 3000)
  set_property(TEST tst_gui_memory APPEND PROPERTY ENVIRONMENT QTEST_FUNCTION_TIMEOUT=3000000)
endif()
