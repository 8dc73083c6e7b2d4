# Tests of recorder/. What runs under mpirun is skipped where there is no MPI.
add_library(longpole_ratios STATIC ${CMAKE_SOURCE_DIR}/recorder/ratios.c)
target_include_directories(longpole_ratios PUBLIC ${CMAKE_SOURCE_DIR})
add_longpole_test(recorder/tst_ratios LAYER core LIBS longpole_ratios)
