# SPDX-License-Identifier: GPL-3.0-or-later
# Benchmarks: programs that print numbers or make what others read, which script/bench builds (target benchmarks) and
# ctest does not run; the fit of the model of scale is tested.
add_custom_target(benchmarks)

# add_benchmark(program KIND of precompiled headers, "" without Qt, LIBS ... [SOURCES more of tests/])
function(add_benchmark program kind)
  cmake_parse_arguments(A "" "" "LIBS;SOURCES" ${ARGN})
  add_executable(${program} EXCLUDE_FROM_ALL bench/${program}.cpp ${A_SOURCES})
  add_dependencies(benchmarks ${program})
  target_include_directories(${program} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${program} PRIVATE ${A_LIBS})
  if(kind)
    longpole_precompile(${program} ${kind})
  endif()
endfunction()

foreach(program bench_distributions bench_expert bench_log bench_open bench_paths bench_phases bench_projection
    bench_replay bench_streaming)
  add_benchmark(${program} analysis LIBS longpole_analysis)
endforeach()
foreach(program bench_mpimatching bench_mpitrace bench_recording)
  add_benchmark(${program} analysis LIBS longpole_importers)
endforeach()
if(LONGPOLE_GUI)
  add_benchmark(bench_frames widgets LIBS longpole_views)
  add_benchmark(bench_heatmap widgets LIBS longpole_views)
  add_benchmark(bench_window widgets LIBS longpole_desktop Qt6::Test)
endif()
add_benchmark(draw_bars gui LIBS longpole_drawing)  # pictures of script/bench
add_benchmark(make_synthetic core SOURCES support/synthetic.cpp LIBS longpole_core ZLIB::ZLIB)
add_benchmark(make_recording "" LIBS longpole_storage)
add_benchmark(bench_refresh analysis LIBS longpole_importers longpole_storage)
if(OTF2_FOUND)
  add_benchmark(make_otf2 core LIBS longpole_writtenotf2)
  add_benchmark(bench_otf2 analysis LIBS longpole_importers)
endif()

# What the recorder costs a call: run with and without it (script/bench).
foreach(mpi openmpi mpich)
  if(LONGPOLE_MPI_${mpi}_INCLUDES)
    add_custom_command(OUTPUT recorder_loops-${mpi} DEPENDS ${CMAKE_SOURCE_DIR}/tests/bench/recorder_loops.c VERBATIM
      COMMAND ${LONGPOLE_MPICC_${mpi}} -O2 -w ${CMAKE_SOURCE_DIR}/tests/bench/recorder_loops.c -o recorder_loops-${mpi})
    add_custom_target(bench_recorder-${mpi} DEPENDS recorder_loops-${mpi})
    add_dependencies(benchmarks bench_recorder-${mpi})
  endif()
endforeach()

find_program(LONGPOLE_PYTHON python3)
if(LONGPOLE_PYTHON)
  add_test(NAME test_termfit COMMAND ${LONGPOLE_PYTHON} ${CMAKE_SOURCE_DIR}/tests/bench/test_termfit.py)
endif()
