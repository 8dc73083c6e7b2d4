# SPDX-License-Identifier: GPL-3.0-or-later
# Tests of distributed/.
add_longpole_tests(tests_distributed LAYER distributed
  LIBS longpole_importers longpole_analysis longpole_mpiprogram longpole_mpiranks longpole_synthetic
  TESTS
    distributed/algorithms/tst_algorithms
    distributed/answers/tst_hostedadvice
    distributed/answers/tst_hostedanswers
    distributed/answers/tst_hostedcauses
    distributed/answers/tst_hostedloop
    distributed/answers/tst_hostedmade
    distributed/answers/tst_lyingprocesses
    distributed/matching/tst_exchangedmatching
    distributed/projections/tst_hostedfolders
    distributed/recording/tst_keptchoice
    distributed/simulation/tst_madeprogram
    distributed/transport/tst_transport)
set_tests_properties(tst_hostedanswers tst_hostedfolders PROPERTIES TIMEOUT 900)

# Its own program: it has a clock of its own, which replaces the recorder's.
add_longpole_tests(tests_hosted LAYER distributed LIBS longpole_storage
  TESTS distributed/recording/tst_hostedtrace)

# longpole-mpi under mpirun; skipped where there is no MPI.
add_longpole_tests(tests_mpirun LAYER distributed LIBS longpole_importers longpole_analysis longpole_mpiprogram
  DEPENDS longpole longpole-mpi longpole_transports make_recording
  TESTS
    app/processes/tst_mpialgorithms
    app/processes/tst_mpianalyze
    distributed/transport/tst_mpitransport
  DEFINES
    LONGPOLE_PROGRAM="$<TARGET_FILE:longpole>"
    LONGPOLE_MAKE_RECORDING="$<TARGET_FILE:make_recording>"
    LONGPOLE_MPI_PROGRAM="$<TARGET_FILE:longpole-mpi>"
    LONGPOLE_TRANSPORTS="${CMAKE_BINARY_DIR}/distributed/transport")
# Processes wait for each other: two such tests at once on two processors would starve.
set_tests_properties(tst_mpialgorithms tst_mpianalyze tst_mpitransport PROPERTIES TIMEOUT 900 RESOURCE_LOCK mpirun COST 1000)
