# The panels and tables that stand beside the views; views/CMakeLists.txt includes this.
set(PANEL_SOURCES
  activitytablepanel.cpp activitytablepanel.h
  criticalpathpanel.cpp criticalpathpanel.h
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
  parallelismpanel.cpp parallelismpanel.h
  pathchips.cpp pathchips.h
  pathsharetable.cpp pathsharetable.h
  plot.cpp plot.h
  plotframe.cpp plotframe.h
  plotticks.cpp plotticks.h
  selectionfields.cpp
  selectionpanel.cpp selectionpanel.h
  slackbar.cpp slackbar.h
  slacklegend.cpp slacklegend.h
  sqlpanel.cpp sqlpanel.h
  streamingpanel.cpp streamingpanel.h
  tablesplitter.cpp tablesplitter.h
  tablemodel.cpp tablemodel.h
  tableview.cpp tableview.h
  whatifpanel.cpp whatifpanel.h)
set(PANEL_LIBS QCustomPlotQt6::QCustomPlotQt6)
