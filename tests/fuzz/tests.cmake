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

# Targets whose bytes are choices: how a sound file is changed, after which its checksums are made right. They need no
# guidance, so every build runs them over random bytes too: random_store 60 1 /tmp/input
foreach(target store analyses)
  set(libraries longpole_testsupport longpole_core)
  if(target STREQUAL "analyses")
    set(libraries longpole_testsupport longpole_analysis)
  endif()
  foreach(driver replay random)
    add_executable(${driver}_${target} fuzz/${driver}.cpp fuzz/fuzz_${target}.cpp)
    target_link_libraries(${driver}_${target} PRIVATE ${libraries})
  endforeach()
  add_test(NAME fuzz_corpus_${target} COMMAND replay_${target} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/store)
  add_test(NAME fuzz_random_${target} COMMAND random_${target} 5 1 ${CMAKE_CURRENT_BINARY_DIR}/failing_${target})
endforeach()
if(LONGPOLE_FUZZ)
  add_executable(fuzz_store fuzz/fuzz_store.cpp)
  target_link_libraries(fuzz_store PRIVATE longpole_testsupport longpole_core)
  target_link_options(fuzz_store PRIVATE -fsanitize=fuzzer)
endif()
