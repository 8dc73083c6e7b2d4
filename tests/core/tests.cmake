add_longpole_test(core/tst_store LAYER core)
