# Tests of analysis/. Most draw their graphs (support/drawing.h).
add_library(longpole_testdrawing STATIC support/drawing.cpp)
target_link_libraries(longpole_testdrawing PUBLIC longpole_testsupport longpole_analysis)

add_longpole_test(analysis/tst_activitygraph LAYER analysis LIBS longpole_testdrawing)
add_longpole_test(analysis/tst_activitytable LAYER analysis LIBS longpole_importers)
add_longpole_test(analysis/tst_analyses LAYER analysis)
add_longpole_test(analysis/tst_criticalpath LAYER analysis LIBS longpole_testdrawing)
add_longpole_test(analysis/tst_elapseddelays LAYER analysis LIBS longpole_testdrawing)
add_longpole_test(analysis/tst_graphloader LAYER analysis)
add_longpole_test(analysis/tst_pathproperties LAYER analysis)
add_longpole_test(analysis/tst_rangepath LAYER analysis LIBS longpole_testdrawing longpole_importers)
add_longpole_test(analysis/tst_realpaths LAYER analysis LIBS longpole_importers)
add_longpole_test(analysis/tst_slack LAYER analysis LIBS longpole_testdrawing)
