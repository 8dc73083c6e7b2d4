add_longpole_test(core/tst_store LAYER core)
add_longpole_test(core/tst_sql LAYER core)
add_dependencies(tst_sql longpole_sqlite)
target_compile_definitions(tst_sql PRIVATE LONGPOLE_SQLITE_MODULE_PATH="$<TARGET_FILE:longpole_sqlite>")
