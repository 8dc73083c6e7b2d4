# SPDX-License-Identifier: GPL-3.0-or-later
# The examples of the guides in docs/developer, compiled and run.
if(LONGPOLE_GUI)
  add_longpole_tests(tests_guide LAYER desktop TESTS guide/tst_guide DEFINES LONGPOLE_SOURCES="${CMAKE_SOURCE_DIR}")
  qt6_wrap_cpp(panel guide/longtaskspanel.h)
  target_sources(tests_guide PRIVATE guide/longtasks.cpp guide/longtaskscommand.cpp guide/longtaskspanel.cpp
    guide/tasklist.cpp ${panel})
endif()
