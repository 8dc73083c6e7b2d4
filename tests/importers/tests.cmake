# Tests of importers/: text in, table out.
add_library(longpole_synthetic STATIC support/synthetic.cpp)
target_link_libraries(longpole_synthetic PUBLIC longpole_testsupport longpole_core PRIVATE ZLIB::ZLIB)

add_library(longpole_mpiprogram STATIC support/importedprogram.cpp support/mpiprogram.cpp)
target_link_libraries(longpole_mpiprogram PUBLIC longpole_testsupport longpole_importers)

add_library(longpole_mpiranks STATIC support/mpiranks.cpp)
target_link_libraries(longpole_mpiranks PUBLIC longpole_testsupport longpole_importers)

add_longpole_test(importers/tst_inputfile LAYER importers LIBS ZLIB::ZLIB)
add_longpole_test(importers/tst_projectionssts LAYER importers LIBS ZLIB::ZLIB)
add_longpole_test(importers/tst_calltable LAYER importers)
add_longpole_test(importers/tst_nesting LAYER importers)
add_longpole_test(importers/tst_projectionsrecords LAYER importers LIBS ZLIB::ZLIB)
add_longpole_test(importers/tst_projectionsimport LAYER importers LIBS ZLIB::ZLIB)
add_longpole_test(importers/tst_merges LAYER importers LIBS ZLIB::ZLIB)
add_longpole_test(importers/tst_mpicallkind LAYER importers)
add_longpole_test(importers/tst_mpilocationrows LAYER importers LIBS longpole_mpiprogram)
add_longpole_test(importers/tst_mpimatching LAYER importers LIBS longpole_mpiranks)
add_longpole_test(importers/tst_mpitrace LAYER importers LIBS longpole_mpiprogram ZLIB::ZLIB)
add_longpole_test(importers/tst_mpiwaits LAYER importers LIBS longpole_mpiranks)
add_longpole_test(importers/tst_projectionsreduce LAYER importers LIBS longpole_synthetic ZLIB::ZLIB)
add_longpole_test(importers/tst_projectionssummary LAYER importers LIBS ZLIB::ZLIB)
add_longpole_test(importers/tst_projectionstraces LAYER importers LIBS longpole_synthetic ZLIB::ZLIB)

# The recorder's side of recordings, without MPI: what writes them here.
set(longpole_storage buffer.c columns.c config.c file.c index.c keptcalls.c names.c recording.c symbols.c)
list(TRANSFORM longpole_storage PREPEND ${CMAKE_SOURCE_DIR}/recorder/)
add_library(longpole_storage STATIC ${longpole_storage})
set_target_properties(longpole_storage PROPERTIES C_STANDARD 11 C_EXTENSIONS ON AUTOMOC OFF)
target_include_directories(longpole_storage PUBLIC ${CMAKE_SOURCE_DIR})
target_link_libraries(longpole_storage PRIVATE PkgConfig::ZSTD Threads::Threads ${CMAKE_DL_LIBS})

add_longpole_test(importers/tst_recordingformat LAYER importers LIBS longpole_storage)

if(OTF2_FOUND)
  add_library(longpole_writtenotf2 STATIC support/randomotf2.cpp support/writtenotf2.cpp)
  target_link_libraries(longpole_writtenotf2 PUBLIC longpole_testsupport PkgConfig::OTF2)
  add_longpole_test(importers/tst_otf2source LAYER importers LIBS longpole_writtenotf2)
  add_longpole_test(importers/tst_otf2traces LAYER importers LIBS longpole_writtenotf2)
  target_sources(tst_otf2traces PRIVATE support/printedotf2.cpp)
endif()
