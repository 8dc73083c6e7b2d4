# SPDX-License-Identifier: GPL-3.0-or-later
# Tests of analysis/. Many draw their graphs (support/graphs/drawing.h).
add_library(longpole_testdrawing STATIC support/graphs/drawing.cpp)
target_link_libraries(longpole_testdrawing PUBLIC longpole_testsupport longpole_analysis)
add_library(longpole_planted STATIC support/machines/plantedmachine.cpp support/machines/plantedruns.cpp)
target_link_libraries(longpole_planted PUBLIC longpole_testsupport)
add_library(longpole_testmachine STATIC support/machines/machine.cpp support/machines/machinechains.cpp support/machines/machinegrids.cpp
  support/machines/machinepools.cpp support/machines/machineprograms.cpp)
target_link_libraries(longpole_testmachine PUBLIC longpole_testsupport longpole_analysis)
foreach(library testdrawing planted testmachine)
  compile_as_test(longpole_${library})
endforeach()

# The graph, paths through it and what shortening work would change.
add_longpole_tests(tests_paths LAYER analysis LIBS longpole_testdrawing longpole_importers
  TESTS
    analysis/graph/tst_activitygraph
    analysis/paths/tst_activitytable
    analysis/streaming/tst_bucketsearch
    analysis/paths/tst_criticalpath
    analysis/graph/tst_cuts
    analysis/paths/tst_elapseddelays
    analysis/paths/tst_elapsedpath
    analysis/graph/tst_graphloader
    analysis/graph/tst_mergeinference
    analysis/paths/tst_nearcritical
    analysis/graph/tst_nestedparts
    analysis/paths/tst_parallelism
    analysis/paths/tst_pathproperties
    analysis/paths/tst_pathquestions
    analysis/paths/tst_rangepath
    analysis/paths/tst_rankpaths
    analysis/base/tst_commoncallers
    analysis/base/tst_namepattern
    analysis/base/tst_compacttimes
    analysis/base/tst_rational
    analysis/results/tst_results
    analysis/paths/tst_realmerges
    analysis/paths/tst_realpaths
    analysis/paths/tst_slack
    analysis/paths/tst_slackpyramid
    analysis/streaming/tst_streamingpath
    analysis/streaming/tst_streamingtraces
    analysis/paths/tst_subgraph
    analysis/whatif/tst_whatifcurve
    analysis/whatif/tst_zeroing
    analysis/whatif/tst_zeroinggraphs)

# Figures of traces, projections over time, phases and replays.
add_longpole_tests(tests_statistics LAYER analysis LIBS longpole_testdrawing longpole_mpiprogram longpole_testmachine longpole_importers
  TESTS
    analysis/projection/tst_attributes
    analysis/projection/tst_coarseprojection
    analysis/statistics/tst_commmatrix analysis/statistics/tst_collectivetraffic
    analysis/statistics/tst_efficiency
    analysis/statistics/tst_figuresums
    analysis/phases/tst_foldedtrace
    analysis/phases/tst_callrounds
    analysis/phases/tst_iterations
    analysis/statistics/tst_histogram
    analysis/statistics/tst_hostilesums
    analysis/streaming/tst_mpistreaming
    analysis/noise/tst_noise
    analysis/noise/tst_uninterrupted
    analysis/statistics/tst_pathshares
    analysis/statistics/tst_recordlist
    analysis/statistics/tst_startstop
    analysis/projection/tst_sumquestions
    analysis/phases/tst_repeatedphases analysis/phases/tst_phasesofpath
    analysis/queues/tst_processorrecord
    analysis/replay/tst_readingdelays
    analysis/replay/tst_replay
    analysis/replay/tst_replayedprograms
    analysis/replay/tst_replayedqueues
    analysis/replay/tst_replayedtrace
    analysis/replay/tst_strangereplays
    analysis/projection/tst_rowsimilarity
    analysis/projection/tst_stagecells
    analysis/projection/tst_stagetiles
    analysis/projection/tst_usageprofile)

# Waiting, MPI, scheduling, and the expert that judges them.
add_longpole_tests(tests_expert LAYER analysis LIBS longpole_testdrawing longpole_planted longpole_mpiprogram longpole_importers
  TESTS
    analysis/report/tst_analyses
    analysis/compare/tst_checklimits
    analysis/compare/tst_comparison
    analysis/compare/tst_trial
    analysis/compare/tst_trialgain
    analysis/waiting/tst_criticalwaits
    analysis/expert/tst_decisiontree
    analysis/expert/tst_illnesses
    analysis/waiting/tst_idlelabels
    analysis/mpi/tst_importedwaits
    analysis/mpi/tst_manyplaces
    analysis/mpi/tst_mpicalls
    analysis/expert/tst_mpiexpert
    analysis/expert/tst_objecttraffic
    analysis/report/tst_mpifindings
    analysis/paths/tst_mpipaths
    analysis/mpi/tst_otf2waits
    analysis/mpi/tst_processgroups
    analysis/expert/tst_planteddefects
    analysis/expert/tst_plausibility
    analysis/scheduling/tst_prioritylist
    analysis/scheduling/tst_prioritysets
    analysis/report/tst_reportquestions
    analysis/scheduling/tst_schedulingadvice
    analysis/scheduling/tst_advicewhere
    analysis/scheduling/tst_sharedaccess
    analysis/scheduling/tst_speculation
    analysis/base/tst_table
    analysis/base/tst_json
    analysis/base/tst_thresholds
    analysis/base/tst_valuecounts
    analysis/expert/tst_verdicts
    analysis/mpi/tst_activitytimes analysis/mpi/tst_unjudgedcalls analysis/mpi/tst_waitstates
    analysis/mpi/tst_boundedwaitcauses analysis/mpi/tst_randomwaitstates
    analysis/expert/tst_advicegains analysis/expert/tst_advicewords)
set_tests_properties(tst_advicegains tst_advicewords tst_decisiontree tst_verdicts PROPERTIES TIMEOUT 600)
