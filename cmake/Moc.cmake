# SPDX-License-Identifier: GPL-3.0-or-later
# longpole_moc(target): moc's output for every header beside a source of this target that is no test, and tst_name.moc
# for each tst_name.cpp. CMake's AUTOMOC also gives moc the include paths: it then reads Qt's headers for each file,
# 0.4 s instead of 6 ms, and writes the same.
set(longpole_moc_tests ${CMAKE_BINARY_DIR}/tests/moc)  # their names are unique
function(longpole_moc target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]cpp$")
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    string(REGEX REPLACE "[.]cpp$" ".h" header ${source})
    if(name MATCHES "^tst_")
      qt6_generate_moc(${source} ${longpole_moc_tests}/${name}.moc)
      target_sources(${target} PRIVATE ${longpole_moc_tests}/${name}.moc)
      target_include_directories(${target} PRIVATE ${longpole_moc_tests})
    elseif(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${header})
      qt6_wrap_cpp(outputs ${header} OPTIONS --no-notes)  # most headers have no class for it
    endif()
  endforeach()
  target_sources(${target} PRIVATE ${outputs})
endfunction()
