# SPDX-License-Identifier: GPL-3.0-or-later
# Tests of recorder/. What runs under mpirun is skipped where there is no MPI.
add_library(longpole_ratios STATIC ${CMAKE_SOURCE_DIR}/recorder/storage/ratios.c)
target_include_directories(longpole_ratios PUBLIC ${CMAKE_SOURCE_DIR})
add_library(longpole_framerules STATIC ${CMAKE_SOURCE_DIR}/recorder/storage/framerules.c)
set_target_properties(longpole_framerules PROPERTIES C_STANDARD 11 C_EXTENSIONS ON UNITY_BUILD OFF)
target_include_directories(longpole_framerules PUBLIC ${CMAKE_SOURCE_DIR})
add_library(longpole_ticks STATIC ${CMAKE_SOURCE_DIR}/recorder/wrappers/ticks.c)
set_target_properties(longpole_ticks PROPERTIES C_STANDARD 11 C_EXTENSIONS ON UNITY_BUILD OFF)
target_include_directories(longpole_ticks PUBLIC ${CMAKE_SOURCE_DIR})
set(sources
  online/control online/sample replay/patharena replay/pathindex replay/pathjoints replay/pathlog replay/pathreplay
  replay/pathspill replay/pathtrace replay/pathvalue storage/ownfile)
list(TRANSFORM sources PREPEND ${CMAKE_SOURCE_DIR}/recorder/)
list(TRANSFORM sources APPEND .c)
add_library(longpole_pathreplay STATIC ${sources})
set_target_properties(longpole_pathreplay PROPERTIES C_STANDARD 11 C_EXTENSIONS ON UNITY_BUILD OFF)
target_include_directories(longpole_pathreplay PUBLIC ${CMAKE_SOURCE_DIR})
# What of the module for Charm++ needs no Charm++, as a user's Charm++ compiles it.
set(sources activitylog autodecision pathoutput pathreplay)
list(TRANSFORM sources PREPEND ${CMAKE_SOURCE_DIR}/recorder/charm/)
list(TRANSFORM sources APPEND .C)
add_library(longpole_charmpath STATIC ${sources})
set_target_properties(longpole_charmpath PROPERTIES CXX_STANDARD 11 UNITY_BUILD OFF)
target_include_directories(longpole_charmpath PUBLIC ${CMAKE_SOURCE_DIR})
set(tests
  recorder/charm/tst_autodecision recorder/charm/tst_charmfiles recorder/charm/tst_charmpath
  recorder/charm/tst_charmpreload recorder/online/tst_followedparts
  recorder/online/tst_pathchoices recorder/online/tst_pathfaults
  recorder/online/tst_pathsamples recorder/online/tst_recordedpaths recorder/online/tst_scriptedpaths
  recorder/replay/tst_patharena recorder/replay/tst_pathreplay recorder/replay/tst_randompathreplay
  recorder/storage/tst_framerules recorder/storage/tst_ratios recorder/storage/tst_recordedfolder
  recorder/wrappers/tst_callstacks
  recorder/wrappers/tst_recordedbytes recorder/wrappers/tst_recordedcores recorder/wrappers/tst_recordedpython
  recorder/wrappers/tst_recordedlaunch recorder/wrappers/tst_recordedruns recorder/wrappers/tst_recordedspawns
  recorder/wrappers/tst_recordedtrouble recorder/wrappers/tst_recordedwaits recorder/wrappers/tst_stackanswers
  recorder/wrappers/tst_ticks recorder/wrappers/tst_triedruns
  recorder/wrappers/tst_wrappedprograms recorder/wrappers/tst_wrappers)
set(libraries longpole_charmpath longpole_framerules longpole_pathreplay longpole_ratios longpole_ticks)

# The wrappers with a storage that writes text, for each MPI; and programs that call MPI.
set(programs ${CMAKE_CURRENT_BINARY_DIR}/programs)
set(from_programs ${CMAKE_SOURCE_DIR}/tests/recorder/programs)
set(scripted_parts ${from_programs}/scripted/clock.h ${from_programs}/scripted/lostmessages.h)
file(MAKE_DIRECTORY ${programs})
# longpole_program(name compiler source flags ...): a program of tests/recorder/programs, by MPI's own compiler.
function(longpole_program name compiler source)
  set(from ${CMAKE_SOURCE_DIR}/tests/recorder/programs/${source})
  add_custom_command(OUTPUT ${programs}/${name} DEPENDS ${from} VERBATIM
    COMMAND ${compiler} -O1 -w ${ARGN} ${from} -o ${programs}/${name})
  set(longpole_programs ${longpole_programs} ${programs}/${name} PARENT_SCOPE)
endfunction()
foreach(mpi openmpi mpich)
  find_program(LONGPOLE_MPIRUN_${mpi} NAMES mpirun.${mpi} mpirun)
  find_program(LONGPOLE_MPIFORT_${mpi} NAMES mpifort.${mpi} mpifort)
  if(LONGPOLE_MPI_${mpi}_INCLUDES AND LONGPOLE_MPIRUN_${mpi})
    longpole_recorder(longpole-text-${mpi} ${mpi} ${CMAKE_SOURCE_DIR}/tests/recorder/textstorage.c
      ${CMAKE_SOURCE_DIR}/recorder/online/pathclock.c)
    set(longpole_text_libraries ${longpole_text_libraries} longpole-text-${mpi} longpole-${mpi})
    set(compiler ${LONGPOLE_MPICC_${mpi}})
    longpole_program(calls-${mpi} ${compiler} calls.c)
    longpole_program(regions-${mpi} ${compiler} regions.c -finstrument-functions)
    longpole_program(regions-${mpi}.so ${compiler} regions.c -finstrument-functions -shared -fPIC)
    longpole_program(late-${mpi} ${CMAKE_C_COMPILER} late.c)
    longpole_program(threads-${mpi} ${compiler} threads.c -pthread)
    longpole_program(ends-${mpi} ${compiler} ends.c)
    longpole_program(scripted-${mpi} ${compiler} scripted.c -rdynamic)
    add_custom_command(OUTPUT ${programs}/scripted-${mpi} APPEND DEPENDS ${scripted_parts})
    longpole_program(failing-${mpi} ${compiler} meetings.c -rdynamic ${from_programs}/failing.c)
    longpole_program(leftovers-${mpi} ${compiler} scripted.c -rdynamic ${from_programs}/leftovers.c)
    add_custom_command(OUTPUT ${programs}/leftovers-${mpi} APPEND DEPENDS ${from_programs}/leftovers.c
      ${scripted_parts})
    add_custom_command(OUTPUT ${programs}/failing-${mpi} APPEND DEPENDS ${from_programs}/failing.c)
    longpole_program(tool-${mpi}.so ${compiler} tool.c -shared -fPIC)
    longpole_program(libforeign-${mpi}.so ${compiler} foreign.c -DLIBRARY -shared -fPIC)
    longpole_program(foreign-${mpi} ${compiler} foreign.c -Wl,--no-as-needed ${programs}/libforeign-${mpi}.so)
    add_custom_command(OUTPUT ${programs}/foreign-${mpi} APPEND DEPENDS ${programs}/libforeign-${mpi}.so)
    longpole_program(calls4-${mpi} ${compiler} calls4.c)
    foreach(name anyorder burn bytes collective connect connected cut descriptors ending fibers groups latecomer meetings
      mixed neighbours onesided polling ring spawn
      spawnmany)
      longpole_program(${name}-${mpi} ${compiler} ${name}.c)
    endforeach()
    longpole_program(stacks-${mpi} ${compiler} stacks.c -O2 -g -fomit-frame-pointer)
    longpole_program(stacks-framepointer-${mpi} ${compiler} stacks.c -O2 -g -fno-omit-frame-pointer)
    if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
      longpole_program(registers-${mpi} ${compiler} registers.c -fomit-frame-pointer -fno-optimize-sibling-calls)
    endif()
    longpole_program(stacks-plain-${mpi} ${compiler} stacks.c -O2 -g0)
    longpole_program(stacks-stripped-${mpi} ${compiler} stacks.c -O2 -g0 -s)
    longpole_program(stackscpp-${mpi} ${compiler} stacks.cpp -O2 -g -fno-exceptions -fno-rtti
      -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX)
    foreach(name recorder_halo recorder_rounds)  # for script/bench
      longpole_program(${name}-${mpi} ${compiler} ../../bench/${name}.c)
    endforeach()
    # Another tool between the program and MPI, linked as they usually are.
    longpole_program(libbarriertool-${mpi}.so ${compiler} barriertool.c -shared -fPIC)
    longpole_program(tooled-${mpi} ${compiler} ending.c -Wl,--no-as-needed ${programs}/libbarriertool-${mpi}.so)
    add_custom_command(OUTPUT ${programs}/tooled-${mpi} APPEND DEPENDS ${programs}/libbarriertool-${mpi}.so)
    set(definitions ${definitions} MPIRUN_${mpi}="${LONGPOLE_MPIRUN_${mpi}}")
    if(LONGPOLE_MPIFORT_${mpi})
      foreach(binding MPIF MOD F08)
        file(MAKE_DIRECTORY ${programs}/${mpi}-${binding})
        longpole_program(calls-${mpi}-${binding} ${LONGPOLE_MPIFORT_${mpi}} calls.F90 -cpp -D${binding}
          -J${programs}/${mpi}-${binding} -fallow-argument-mismatch -ffree-line-length-none)
      endforeach()
      longpole_program(cpointer-${mpi} ${LONGPOLE_MPIFORT_${mpi}} cpointer.f90)
      # Open MPI 4 has a part of MPI 4 as an extension.
      set(extended "")
      if(mpi STREQUAL openmpi)
        set(extended -DEXTENDED)
      endif()
      file(MAKE_DIRECTORY ${programs}/${mpi}-calls4)
      longpole_program(calls4-${mpi}-F08 ${LONGPOLE_MPIFORT_${mpi}} calls4.F90 -cpp ${extended}
        -J${programs}/${mpi}-calls4 -ffree-line-length-none)
      file(MAKE_DIRECTORY ${programs}/${mpi}-stacks)
      longpole_program(stacksf-${mpi} ${LONGPOLE_MPIFORT_${mpi}} stacks.F90 -cpp -O1 -g -fno-inline
        -J${programs}/${mpi}-stacks -fallow-argument-mismatch -ffree-line-length-none)
      file(MAKE_DIRECTORY ${programs}/${mpi}-stacks08)
      longpole_program(stacksf08-${mpi} ${LONGPOLE_MPIFORT_${mpi}} stacks.F90 -cpp -DF08 -O1 -g -fno-inline
        -J${programs}/${mpi}-stacks08 -ffree-line-length-none)
      set(definitions ${definitions} HAS_FORTRAN_${mpi})
    endif()
  endif()
endforeach()
if("longpole-mpich" IN_LIST longpole_text_libraries)  # Open MPI 4 has no sessions
  longpole_program(sessions-mpich ${LONGPOLE_MPICC_mpich} sessions.c)
  if(LONGPOLE_MPIFORT_mpich)
    longpole_program(sessionsf-mpich ${LONGPOLE_MPIFORT_mpich} sessions.f90)
  endif()
endif()
# The library that Charm++ programs preload, and one that loads Charm++'s queue itself.
longpole_program(liblongpole-charm.so ${CMAKE_CXX_COMPILER} ../../../recorder/charm/preload.C -std=c++11 -shared -fPIC)
longpole_program(libqueue.so ${CMAKE_C_COMPILER} queue.c -shared -fPIC)
longpole_program(loadsqueue ${CMAKE_C_COMPILER} loadsqueue.c)
# Not every system has the archives for a static program.
file(WRITE ${programs}/static.c "int main(void) { return 0; }\n")
add_custom_command(OUTPUT ${programs}/static
  COMMAND ${CMAKE_C_COMPILER} -static -o ${programs}/static ${programs}/static.c || ${CMAKE_COMMAND} -E true)
add_custom_target(longpole_mpi_programs DEPENDS ${longpole_programs} ${programs}/static)

# The map of requests alone; its handles are those of the first MPI.
set(includes ${LONGPOLE_MPI_openmpi_INCLUDES})
if(NOT includes)
  set(includes ${LONGPOLE_MPI_mpich_INCLUDES})
endif()
if(includes)
  set(sources wrappers/requests.c wrappers/handles.c wrappers/bind.c wrappers/direct.c wrappers/next.c)
  list(TRANSFORM sources PREPEND ${CMAKE_SOURCE_DIR}/recorder/)
  add_library(longpole_requests STATIC ${sources})
  target_compile_options(longpole_requests PRIVATE -Wno-pedantic -include ${CMAKE_SOURCE_DIR}/recorder/wrappers/weak.h)
  target_include_directories(longpole_requests PUBLIC ${CMAKE_SOURCE_DIR} SYSTEM ${includes})
  target_link_libraries(longpole_requests PUBLIC Threads::Threads ${CMAKE_DL_LIBS})
  list(APPEND tests recorder/wrappers/tst_requests)
  list(APPEND libraries longpole_requests)
endif()

string(REPLACE ";" ":" mpi_includes "${LONGPOLE_MPI_openmpi_INCLUDES},${LONGPOLE_MPI_mpich_INCLUDES}")
# The wrappers, and the real thing: programs under "longpole record".
foreach(mpi openmpi mpich)
  if(TARGET longpole-${mpi})
    list(APPEND recorders longpole-${mpi})
  endif()
endforeach()
add_longpole_tests(tests_recorder LAYER core TESTS ${tests} LIBS ${libraries}
  DEPENDS longpole longpole_mpi_programs ${recorders} ${longpole_text_libraries}
  DEFINES
    LONGPOLE_PROGRAM="$<TARGET_FILE:longpole>"
    LONGPOLE_RECORDER="${CMAKE_BINARY_DIR}/recorder"
    LONGPOLE_MPI_PROGRAMS="${programs}"
    LONGPOLE_SHIFTED="${CMAKE_SOURCE_DIR}/tests/recorder/programs/shifted.sh"
    LONGPOLE_OTHER_HOST="${CMAKE_SOURCE_DIR}/tests/recorder/programs/otherhost.sh"
    LONGPOLE_PROGRAM_SOURCES="${CMAKE_SOURCE_DIR}/tests/recorder/programs"
    LONGPOLE_SCHEMAS="${CMAKE_SOURCE_DIR}/resources/schema"
    PROGRAMS="${programs}" LIBRARIES="${CMAKE_CURRENT_BINARY_DIR}" RECORDER="${CMAKE_BINARY_DIR}/recorder"
    MPI_INCLUDES="${mpi_includes}"
    ${definitions})
target_include_directories(tests_recorder PRIVATE ${CMAKE_SOURCE_DIR})
# Ranks wait for each other: two such tests at once on two processors would starve.
set_tests_properties(
  tst_callstacks tst_followedparts tst_pathchoices tst_pathfaults tst_recordedbytes tst_recordedcores tst_recordedpaths
  tst_recordedlaunch tst_recordedpython tst_recordedruns tst_recordedspawns tst_recordedtrouble tst_recordedwaits
  tst_scriptedpaths tst_stackanswers tst_wrappedprograms tst_wrappers
  PROPERTIES TIMEOUT 900 RESOURCE_LOCK mpirun COST 1000)
# Those whose many ranks wait most take three times as long beside a test that computes: they come first, beside windows.
set_tests_properties(tst_recordedpaths tst_scriptedpaths PROPERTIES COST 1200)
set_tests_properties(tst_followedparts PROPERTIES COST 1100)
