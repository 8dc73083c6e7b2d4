# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzz targets. Every build runs each over its corpus; those whose bytes are choices (how a sound file is changed or
# what a file is made of, after which its checksums are made right) need little guidance and run over random bytes too:
# inputs_store --random 60 1 /tmp/input. With LONGPOLE_FUZZ (clang) the guided ones are fuzzers as well:
# fuzz_log tests/fuzz/corpus/log -max_total_time=600
add_library(longpole_fuzzmain OBJECT fuzz/inputs.cpp)
target_link_libraries(longpole_fuzzmain PRIVATE longpole_testsupport)
compile_as_test(longpole_fuzzmain)

# add_fuzz_target(target [CHOICES] [GUIDED] [HEADERS kind of precompiled ones] LIBS ... [SOURCES of the product ...] [CORPUS folder])
function(add_fuzz_target target)
  cmake_parse_arguments(A "CHOICES;GUIDED" "CORPUS;HEADERS" "LIBS;SOURCES" ${ARGN})
  if(NOT A_CORPUS)
    set(A_CORPUS ${target})
  endif()
  list(TRANSFORM A_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/)
  add_executable(inputs_${target} fuzz/fuzz_${target}.cpp ${A_SOURCES} $<TARGET_OBJECTS:longpole_fuzzmain>)
  set(programs inputs_${target})
  if(A_GUIDED AND LONGPOLE_FUZZ)
    add_executable(fuzz_${target} fuzz/fuzz_${target}.cpp ${A_SOURCES})
    target_link_options(fuzz_${target} PRIVATE -fsanitize=fuzzer)
    list(APPEND programs fuzz_${target})
  endif()
  foreach(program ${programs})
    target_include_directories(${program} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${program} PRIVATE longpole_testsupport ${A_LIBS})
    compile_as_test(${program} ${A_HEADERS})
  endforeach()
  add_test(NAME fuzz_corpus_${target} COMMAND inputs_${target} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${A_CORPUS})
  if(A_CHOICES)
    add_test(NAME fuzz_random_${target}
      COMMAND inputs_${target} --random 2 1 ${CMAKE_CURRENT_BINARY_DIR}/failing_${target})
  endif()
endfunction()

foreach(target sts log binary summary recording)
  add_fuzz_target(${target} GUIDED LIBS longpole_importers)
endforeach()
foreach(target frames runs)
  add_fuzz_target(${target} GUIDED CHOICES LIBS longpole_importers ZLIB::ZLIB)
endforeach()
add_fuzz_target(store GUIDED CHOICES LIBS longpole_core ZLIB::ZLIB)
foreach(target analyses settings)  # choices, whatever is made of them
  add_fuzz_target(${target} CHOICES CORPUS store LIBS longpole_analysis ZLIB::ZLIB)
endforeach()
add_fuzz_target(hosted CHOICES CORPUS frames LIBS longpole_distributed ZLIB::ZLIB)
add_fuzz_target(folders CHOICES CORPUS runs LIBS longpole_distributed ZLIB::ZLIB)
add_fuzz_target(lies CHOICES LIBS longpole_distributed ZLIB::ZLIB)
if(OTF2_FOUND)
  add_fuzz_target(otf2 GUIDED CHOICES LIBS longpole_writtenotf2 longpole_importers)
endif()
# Files beside a trace: of sources that no library has alone, so that a build with sanitizers needs no window.
add_fuzz_target(priorities CHOICES LIBS longpole_analysis SOURCES recorder/charm/prioritytable.C)
add_fuzz_target(samples CHOICES LIBS longpole_analysis SOURCES app/gui/live/liveseries.cpp
  app/record/onlinecontrol.cpp app/record/onlinesamples.cpp recorder/online/control.c recorder/storage/ownfile.c)
add_fuzz_target(sessions CHOICES HEADERS guitests LIBS longpole_drawing SOURCES app/common/keptfile.cpp app/common/openfolder.cpp
  app/common/tracelink.cpp app/common/userfolders.cpp app/gui/session/bookmarks.cpp app/gui/session/rowchoicejson.cpp app/gui/session/savedsession.cpp)
