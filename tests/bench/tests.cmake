# SPDX-License-Identifier: GPL-3.0-or-later
# Benchmarks: programs that print numbers, not run by ctest.

add_executable(bench_paths bench/bench_paths.cpp)
target_link_libraries(bench_paths PRIVATE longpole_analysis)

add_executable(bench_streaming bench/bench_streaming.cpp)
target_link_libraries(bench_streaming PRIVATE longpole_analysis)

if(LONGPOLE_GUI)
  add_executable(bench_frames bench/bench_frames.cpp)
  add_executable(bench_heatmap bench/bench_heatmap.cpp)
  target_link_libraries(bench_frames PRIVATE longpole_views)
  target_link_libraries(bench_heatmap PRIVATE longpole_views)
  add_executable(bench_window bench/bench_window.cpp)
  target_include_directories(bench_window PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(bench_window PRIVATE longpole_desktop Qt6::Test)
endif()

add_executable(draw_bars bench/draw_bars.cpp)  # pictures of script/bench
target_link_libraries(draw_bars PRIVATE longpole_drawing)

add_executable(bench_mpimatching bench/bench_mpimatching.cpp)
target_link_libraries(bench_mpimatching PRIVATE longpole_importers)

add_executable(bench_open bench/bench_open.cpp)
target_link_libraries(bench_open PRIVATE longpole_analysis)

add_executable(make_synthetic bench/make_synthetic.cpp support/synthetic.cpp)
target_include_directories(make_synthetic PRIVATE ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(make_synthetic PRIVATE longpole_core ZLIB::ZLIB)

add_executable(bench_distributions bench/bench_distributions.cpp)
target_link_libraries(bench_distributions PRIVATE longpole_analysis)
add_executable(bench_log bench/bench_log.cpp)
target_link_libraries(bench_log PRIVATE longpole_analysis)
add_executable(bench_mpitrace bench/bench_mpitrace.cpp)
target_link_libraries(bench_mpitrace PRIVATE longpole_importers)
add_executable(bench_projection bench/bench_projection.cpp)
target_link_libraries(bench_projection PRIVATE longpole_analysis)
add_executable(bench_phases bench/bench_phases.cpp)
target_link_libraries(bench_phases PRIVATE longpole_analysis)

add_executable(bench_replay bench/bench_replay.cpp)
target_link_libraries(bench_replay PRIVATE longpole_analysis)
add_executable(bench_expert bench/bench_expert.cpp)
target_link_libraries(bench_expert PRIVATE longpole_analysis)

add_executable(make_recording bench/make_recording.cpp)
target_include_directories(make_recording PRIVATE ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(make_recording PRIVATE longpole_storage)

if(OTF2_FOUND)
  add_executable(make_otf2 bench/make_otf2.cpp)
  target_link_libraries(make_otf2 PRIVATE longpole_writtenotf2)
  add_executable(bench_otf2 bench/bench_otf2.cpp)
  target_link_libraries(bench_otf2 PRIVATE longpole_importers)
  target_include_directories(bench_otf2 PRIVATE ${CMAKE_SOURCE_DIR}/tests)
endif()
# What the recorder costs a call: run with and without it (script/bench).
foreach(mpi openmpi mpich)
  if(LONGPOLE_MPI_${mpi}_INCLUDES)
    add_custom_command(OUTPUT recorder_loops-${mpi} DEPENDS ${CMAKE_SOURCE_DIR}/tests/bench/recorder_loops.c VERBATIM
      COMMAND ${LONGPOLE_MPICC_${mpi}} -O2 -w ${CMAKE_SOURCE_DIR}/tests/bench/recorder_loops.c -o recorder_loops-${mpi})
    add_custom_target(bench_recorder-${mpi} ALL DEPENDS recorder_loops-${mpi})
  endif()
endforeach()

add_executable(bench_recording bench/bench_recording.cpp)
target_link_libraries(bench_recording PRIVATE longpole_importers)
target_include_directories(bench_recording PRIVATE ${CMAKE_SOURCE_DIR}/tests)
