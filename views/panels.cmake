# The panels and tables that stand beside the views; views/CMakeLists.txt includes this.
set(PANEL_SOURCES
  activitytablepanel.cpp activitytablepanel.h
  animationpanel.cpp animationpanel.h
  gridcanvas.cpp gridcanvas.h
  attributemodel.cpp attributemodel.h
  attributepicker.cpp attributepicker.h
  colourbar.cpp colourbar.h
  criticalpathpanel.cpp criticalpathpanel.h
  detailhand.cpp
  detailpanel.cpp detailpanel.h
  detailrows.cpp detailrows.h
  findhits.cpp findhits.h
  graphcanvas.cpp graphcanvas.h
  graphpanel.cpp graphpanel.h
  healthpanel.cpp healthpanel.h
  hithistogram.cpp hithistogram.h
  latestjob.h
  filterbar.cpp filterbar.h
  callgraphcanvas.cpp callgraphcanvas.h
  chartcanvas.cpp chartcanvas.h
  commmatrixpanel.cpp commmatrixpanel.h
  entrytablepanel.cpp entrytablepanel.h
  matrixcanvas.cpp matrixcanvas.h
  noisepanel.cpp noisepanel.h
  histogramcanvas.cpp histogramcanvas.h
  histogrampanel.cpp histogrampanel.h
  logpanel.cpp logpanel.h
  logtext.cpp logtext.h
  logview.cpp logview.h
  computedpanel.cpp computedpanel.h
  nearcriticalpanel.cpp nearcriticalpanel.h
  overviewpanel.cpp overviewpanel.h
  overviewstacks.cpp
  parallelismpanel.cpp parallelismpanel.h
  pathchips.cpp pathchips.h
  pathsharetable.cpp pathsharetable.h
  plot.cpp plot.h
  plotframe.cpp plotframe.h
  plotheatmap.cpp plotheatmap.h
  plotstack.cpp plotstack.h
  plotticks.cpp plotticks.h
  projectionfeed.cpp projectionfeed.h
  projectionpanel.cpp projectionpanel.h
  projectiontext.cpp projectiontext.h
  selectionfields.cpp
  selectionpanel.cpp selectionpanel.h
  slackbar.cpp slackbar.h
  slacklegend.cpp slacklegend.h
  sqlpanel.cpp sqlpanel.h
  stagebar.cpp stagebar.h
  streamingpanel.cpp streamingpanel.h
  tablesplitter.cpp tablesplitter.h
  tablemodel.cpp tablemodel.h
  tableview.cpp tableview.h
  whatifpanel.cpp whatifpanel.h)
set(PANEL_LIBS QCustomPlotQt6::QCustomPlotQt6)
