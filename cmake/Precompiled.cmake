# SPDX-License-Identifier: GPL-3.0-or-later
# longpole_precompile(target kind): the headers that most files of this kind read are compiled once for all of them.
# A file still includes what it uses: LONGPOLE_PCH=OFF builds as well.
option(LONGPOLE_PCH "Precompile the headers of Qt and of the C++ library that most files include" ON)

set(longpole_headers_core
  <algorithm> <array> <atomic> <bit> <cmath> <cstddef> <cstdint> <cstring> <functional> <limits> <map> <memory> <mutex>
  <numeric> <optional> <set> <span> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>
  <QByteArray> <QCoreApplication> <QDir> <QFile> <QFileInfo> <QHash> <QList>
  <QRegularExpression> <QString> <QStringList> <QVariant>)
set(longpole_headers_analysis ${longpole_headers_core} <nlohmann/json.hpp>)
set(longpole_headers_gui ${longpole_headers_core}
  <nlohmann/json.hpp> <QBuffer> <QColor> <QFontMetricsF> <QGuiApplication> <QImage> <QPainter> <QPainterPath> <QPen>
  <QPointF> <QRectF>)
set(longpole_headers_widgets ${longpole_headers_gui}
  <QAbstractItemModel> <QApplication> <QClipboard> <QComboBox> <QContextMenuEvent> <QHBoxLayout> <QHeaderView>
  <QHelpEvent> <QKeyEvent> <QLabel> <QLineEdit> <QMenu> <QMouseEvent> <QPointer> <QPushButton> <QScrollArea>
  <QSplitter> <QTableView> <QTimer> <QToolButton> <QToolTip> <QVBoxLayout> <QWidget>)
set(longpole_headers_tests ${longpole_headers_core} <nlohmann/json.hpp> <random> <QRandomGenerator> <QSignalSpy> <QTemporaryDir> <QTest>)
set(longpole_headers_guitests ${longpole_headers_gui} <random> <QProcess> <QSignalSpy> <QTemporaryDir> <QTest>)
set(longpole_headers_widgettests ${longpole_headers_widgets} <random> <QSignalSpy> <QTemporaryDir> <QTest>)
set(longpole_libraries_core Qt6::Core)
set(longpole_libraries_analysis Qt6::Core)
set(longpole_libraries_gui Qt6::Svg)
set(longpole_libraries_widgets Qt6::Widgets Qt6::Svg)
set(longpole_libraries_tests Qt6::Test)
set(longpole_libraries_guitests Qt6::Svg Qt6::Test)
set(longpole_libraries_widgettests Qt6::Widgets Qt6::Svg Qt6::Test)

# Rooms that write words, tables and windows: their time is spent in what they call. And rooms that go through what others
# have summed up, not through events. -Og takes the compiler half of the time of -O3, -O1 two thirds.
set(longpole_rooms_of_words "^(app|analysis/report|views/(expert|path|projection|state|tables|timeline|widgets))(/|$)")
set(longpole_rooms_of_sums
  "^(analysis/(compare|expert|facts|results)|distributed/(advice|projections)|views/(plots|drawing/(basics|charts|graphs|pictures)))$")
set(longpole_words_options $<$<CONFIG:Release,RelWithDebInfo>:-Og>)
set(longpole_sums_options $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
# Tests' own code: what they test is optimized, they need not be.
set(longpole_test_options ${longpole_words_options})

# One library a kind, made when the first target asks for it; the compiler takes its headers where the macros agree that
# it was compiled with, those of the Qt libraries among them.
function(longpole_precompile target kind)
  if(NOT LONGPOLE_PCH)
    return()
  endif()
  set(headers longpole_headers_of_${kind})
  if(NOT TARGET ${headers})
    set(source ${CMAKE_BINARY_DIR}/precompiled/${kind}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Empty: its target compiles headers.\n")
    add_library(${headers} OBJECT ${source})
    target_link_libraries(${headers} PRIVATE ${longpole_libraries_${kind}})
    if(kind MATCHES "tests$")
      target_compile_options(${headers} PRIVATE ${longpole_test_options})
    endif()
    target_precompile_headers(${headers} PRIVATE ${longpole_headers_${kind}})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]c$")
  set_source_files_properties(${sources} TARGET_DIRECTORY ${target} PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
