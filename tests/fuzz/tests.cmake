# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzz targets of the importers. Every build replays their corpora; with LONGPOLE_FUZZ (clang) they are fuzzers too:
# fuzz_log tests/fuzz/corpus/log -max_total_time=600
foreach(target sts log binary summary recording)
  add_executable(replay_${target} fuzz/replay.cpp fuzz/fuzz_${target}.cpp)
  target_link_libraries(replay_${target} PRIVATE longpole_testsupport longpole_importers)
  add_test(NAME fuzz_corpus_${target} COMMAND replay_${target} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${target})
  if(LONGPOLE_FUZZ)
    add_executable(fuzz_${target} fuzz/fuzz_${target}.cpp)
    target_link_libraries(fuzz_${target} PRIVATE longpole_testsupport longpole_importers)
    target_link_options(fuzz_${target} PRIVATE -fsanitize=fuzzer)
  endif()
endforeach()
