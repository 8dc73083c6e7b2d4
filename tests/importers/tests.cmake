# SPDX-License-Identifier: GPL-3.0-or-later
# Tests of importers/: text in, table out.
add_library(longpole_synthetic STATIC support/synthetic.cpp)
target_link_libraries(longpole_synthetic PUBLIC longpole_testsupport longpole_core PRIVATE ZLIB::ZLIB)

add_library(longpole_mpiprogram STATIC support/mpi/importedprogram.cpp support/mpi/mpiprogram.cpp)
target_link_libraries(longpole_mpiprogram PUBLIC longpole_testsupport longpole_importers)

add_library(longpole_mpiranks STATIC support/mpi/mpiranks.cpp)
target_link_libraries(longpole_mpiranks PUBLIC longpole_testsupport longpole_importers)
foreach(library synthetic mpiprogram mpiranks)
  compile_as_test(longpole_${library})
endforeach()

# The recorder's side of recordings, without MPI: what writes them here.
set(longpole_storage storage/buffer.c storage/columns.c storage/config.c storage/file.c storage/folder.c storage/framerules.c storage/guard.c storage/index.c storage/keptcalls.c storage/machine.c storage/names.c storage/ownfile.c storage/python.c storage/recording.c storage/spawnfiles.c storage/stacks.c format/symbols.c)
list(TRANSFORM longpole_storage PREPEND ${CMAKE_SOURCE_DIR}/recorder/)
add_library(longpole_storage STATIC ${longpole_storage})
set_target_properties(longpole_storage PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)
target_include_directories(longpole_storage PUBLIC ${CMAKE_SOURCE_DIR})
target_link_libraries(longpole_storage PRIVATE PkgConfig::ZSTD Threads::Threads ${CMAKE_DL_LIBS})

add_longpole_tests(tests_importers LAYER importers
  LIBS longpole_synthetic longpole_mpiprogram longpole_mpiranks longpole_storage ZLIB::ZLIB
  TESTS
    importers/calltable/tst_calltable
    importers/common/tst_inputfile
    importers/common/tst_merges
    importers/mpi/tst_collectivebytes importers/mpi/tst_mpicallkind
    importers/mpirows/tst_mpilocationrows importers/mpirows/tst_mpirequests
    importers/mpi/tst_mpimatching
    importers/mpirows/tst_mpisyncs
    importers/mpirows/tst_mpitrace importers/mpirows/tst_mpitraceruns
    importers/mpi/tst_mpidefinitions
    importers/mpi/tst_mpiwaits
    importers/mpi/tst_mpiwindows importers/mpi/tst_manywindowsteps
    importers/common/tst_nesting
    importers/common/tst_partfolder
    importers/projections/tst_logcut
    importers/projections/tst_projectionsfiles
    importers/projections/tst_projectionsimport
    importers/projections/tst_projectionsrecords
    importers/projections/tst_projectionsreduce
    importers/projections/tst_projectionssts
    importers/projections/tst_reduceerrors
    importers/summary/tst_projectionssummary
    importers/projections/tst_projectionstraces
    importers/tst_bombs
    importers/tst_links
    importers/tst_equalrecords
    importers/tst_registry
    importers/recording/tst_recordingbombs importers/recording/tst_recordingnames
    importers/recording/tst_recordingends
    importers/recording/tst_recordingformat
    importers/recording/tst_symboltable importers/recording/tst_unitscopes)

# Its own program: it has a clock of its own, which replaces the recorder's.
add_longpole_tests(tests_recordingsource LAYER importers LIBS longpole_storage
  TESTS
    importers/recording/tst_growingrecordings importers/recording/tst_recordedhosts
    importers/recording/tst_recordedprograms importers/recording/tst_recordingcores
    importers/recording/tst_recordinginparts importers/recording/tst_recordingruns
    importers/recording/tst_recordingsource)

if(OTF2_FOUND)
  add_library(longpole_writtenotf2 STATIC support/otf2/random.cpp support/otf2/written.cpp)
  target_link_libraries(longpole_writtenotf2 PUBLIC longpole_testsupport PkgConfig::OTF2)
  compile_as_test(longpole_writtenotf2)
  add_longpole_tests(tests_otf2 LAYER importers LIBS longpole_writtenotf2 ZLIB::ZLIB
    TESTS
      importers/otf2/tst_otf2bombs
      importers/otf2/tst_otf2import
      importers/otf2/tst_otf2inparts
      importers/otf2/tst_otf2rows
      importers/otf2/tst_otf2source
      importers/otf2/tst_otf2threads
      importers/otf2/tst_otf2traces)
  target_sources(tests_otf2 PRIVATE support/otf2/printed.cpp)
endif()
