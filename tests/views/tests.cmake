# SPDX-License-Identifier: GPL-3.0-or-later
# Tests of views/drawing, which need no widgets.
add_longpole_tests(tests_drawing LAYER drawing LIBS longpole_testdrawing
  TESTS
    views/drawing/basics/tst_colourscale
    views/drawing/graphs/tst_graphpicture
    views/drawing/basics/tst_font
    views/drawing/basics/tst_heatcells
    views/drawing/basics/tst_palette
    views/drawing/basics/tst_softlines
    views/drawing/timeline/tst_phasepicture
    views/drawing/charts/tst_gainstrip
    views/drawing/charts/tst_groupedbars
    views/drawing/charts/tst_processorgrid
    views/drawing/pictures/tst_render
    views/drawing/timeline/tst_rowdata
    views/drawing/basics/tst_timeaxis
    views/drawing/timeline/tst_timeflags
    views/drawing/timeline/tst_pathgeometry
    views/drawing/timeline/tst_timelinegeometry
    views/drawing/timeline/tst_timelinerows
    views/drawing/graphs/tst_treegeometry)

# Tests of views/.
if(LONGPOLE_GUI)
  add_longpole_tests(tests_views LAYER views LIBS longpole_testdrawing longpole_planted longpole_importers
    TESTS
      views/projection/tst_animationpanel
      views/projection/tst_commpanels
      views/state/tst_comparisonsource
      views/expert/tst_advicecards
      views/expert/tst_expertpanels
      views/path/tst_graphpanels
      views/projection/tst_histogrampanel
      views/state/tst_lockedviews
      views/tables/tst_logpanel
      views/tables/tst_sourcepanel
      views/tables/tst_selectionquestions
      views/tables/tst_sqlpanel
      views/expert/tst_mpipanels
      views/timeline/tst_legendbar
      views/timeline/tst_mpitimeline
      views/path/tst_nearcriticalpanel
      views/path/tst_parallelismpanel
      views/path/tst_pathsharetable
      views/path/tst_phasepanel
      views/projection/tst_projectionchoice
      views/projection/tst_projectionfeed
      views/projection/tst_detailpanel views/projection/tst_overviewpanel
      views/state/tst_sharedanswers
      views/timeline/tst_slackcolours
      views/expert/tst_speculativepanel
      views/timeline/tst_timelinegestures
      views/timeline/tst_timelineview
      views/expert/tst_treepanel
      views/state/tst_viewstate
      views/path/tst_whatifpanel
      views/widgets/tst_filedialog
      views/widgets/tst_flowlayout
      views/widgets/tst_plaintext
      views/widgets/tst_sidebyside)
endif()
