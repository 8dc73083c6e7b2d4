# SPDX-License-Identifier: GPL-3.0-or-later
set(tests
  core/file/tst_codec
  core/file/tst_damage
  core/file/tst_filedata
  core/store/tst_entrybins
  core/trace/tst_format
  core/file/tst_hostile
  core/file/tst_sharedpages
  core/sql/tst_sql
  core/store/tst_store
  core/base/tst_limits
  core/base/tst_namedfile
  core/base/tst_nearsearch
  core/base/tst_pagedarray
  core/base/tst_sortrows
  core/base/tst_threads
  core/store/tst_blocktiles
  core/store/tst_tiles
  core/file/tst_unfinishedfiles
  core/store/tst_writer)
add_longpole_tests(tests_core LAYER core TESTS ${tests} DEPENDS longpole_sqlite
  DEFINES LONGPOLE_SQLITE_MODULE_PATH="$<TARGET_FILE:longpole_sqlite>")
list(TRANSFORM tests REPLACE ".*/" "")
set_tests_properties(${tests} PROPERTIES TIMEOUT 600)
