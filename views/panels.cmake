# The panels and tables that stand beside the views; views/CMakeLists.txt includes this.
set(PANEL_SOURCES
  criticalpathpanel.cpp criticalpathpanel.h
  healthpanel.cpp healthpanel.h
  latestjob.h
  selectionfields.cpp
  selectionpanel.cpp selectionpanel.h
  sqlpanel.cpp sqlpanel.h
  tablesplitter.cpp tablesplitter.h
  tablemodel.cpp tablemodel.h
  tableview.cpp tableview.h)
