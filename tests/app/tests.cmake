# Tests of the command line program, its cache and its reports. They find the program by LONGPOLE_PROGRAM.
find_package(nlohmann_json 3 REQUIRED)
function(add_program_test name)
  add_longpole_test(app/${name} LAYER appcore LIBS nlohmann_json::nlohmann_json)
  add_dependencies(${name} longpole)
  target_compile_definitions(${name} PRIVATE
    LONGPOLE_PROGRAM="$<TARGET_FILE:longpole>" LONGPOLE_SCHEMAS="${CMAKE_SOURCE_DIR}/resources/schema")
endfunction()
add_program_test(tst_commandline)
add_program_test(tst_commandoutput)
add_program_test(tst_distributions)
add_longpole_test(app/tst_report LAYER appcore LIBS nlohmann_json::nlohmann_json)
target_compile_definitions(tst_report PRIVATE LONGPOLE_SCHEMAS="${CMAKE_SOURCE_DIR}/resources/schema")
add_program_test(tst_tracecache)
add_program_test(tst_import)
add_program_test(tst_reduce)

# Tests of the desktop program.
if(LONGPOLE_GUI)
  add_longpole_test(app/tst_gui_tablemodel LAYER views)
  add_longpole_test(app/tst_gui_bookmarks LAYER desktop)
  add_longpole_test(app/tst_gui_session LAYER desktop)
  add_longpole_test(app/tst_gui_window LAYER desktop)
endif()
