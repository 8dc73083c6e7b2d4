#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Refuses includes against the layers' direction that the include roots cannot catch, and third-party headers outside
# the files that may use them (docs/developer/architecture.md). Prints each offending line.
set -u
cd "$(dirname "$0")/.."
layers="core importers analysis distributed views app"
bad=0
refuse() {  # refuse WHY PATTERN FILES...
  why=$1 pattern=$2; shift 2
  found=$(grep -nE "$pattern" "$@" /dev/null) && { echo "$why:"; echo "$found"; bad=1; }
}
sources() { find "$@" -name '*.h' -o -name '*.cpp' | sort; }

# shellcheck disable=SC2046
{
refuse "include from the repository root, not relatively" '#include "\.\./' $(sources $layers)
refuse "include classes, not modules" '#include <Qt(Core|Gui|Svg|Widgets|Test|PrintSupport)(/|>)' $(sources $layers)
refuse "core sees no other layer" '#include "(importers|analysis|distributed|views|app)/' $(sources core)
refuse "importers see core only" '#include "(analysis|distributed|views|app)/' $(sources importers)
refuse "analysis sees core only" '#include "(importers|distributed|views|app)/' $(sources analysis)
refuse "views never see importers or app" '#include "(importers|distributed|app)/' $(sources views)
refuse "distributed draws nothing and asks nobody" '#include "(views|app)/|#include <QG|#include <QW' $(sources distributed)
refuse "drawing needs no widgets" '#include <(Q(Widget|Main|Dialog|Application|Abstract(Item|Scroll).*View|PushButton|Label)[A-Za-z]*|qcustomplot\.h)>|#include "views/(widgets|plots|state|timeline|projection|path|expert|tables)/' $(sources views/drawing)
# How columns are encoded is core's business: readers take rows (core/store/rows.h). Besides core, those who write
# traces know it: importers, and what writes replayed and folded runs.
writers='^analysis/(replay/(writtentrace|tracerows)|phases/folded)'
refuse "columns of chunks belong to core and to writers of traces; readers take core/store/rows.h" \
    '#include "core/trace/columns\.h"|\b(Task|TaskSource|Piece|Message|MessageExecutions|Idle|Overhead|Interval|Counter|Mark|Hop|Latency|Tile|MpiCall|Merge|EntryBin)Column::' \
    $(sources analysis views app | grep -vE "$writers")
refuse "the replay of path logs knows no MPI and nobody who calls it" \
    '#include (<mpi\.h>|"recorder/(online|wrappers|fortran|mpi4)/)' $(find recorder/replay -name '*.[ch]')
refuse "sqlite3.h belongs to core/file/sqlite and core/sql" '#include <sqlite3(ext)?\.h>' $(sources $layers | grep -vE '^core/(file/sqlite|sql/)')
refuse "zstd.h belongs to core/file/codec" '#include <zstd' $(sources $layers | grep -v '^core/file/codec')
refuse "isa-l and zlib belong to importers/common/inputfile and writtenfile, and zlib's checksum to animated PNGs" \
    '#include <(isa-l|igzip|zlib)' $(sources $layers | grep -Ev '^importers/common/(inputfile|writtenfile)|^views/drawing/basics/animatedpng')
refuse "the OTF2 library belongs to importers/otf2" '#include <otf2/' $(sources $layers | grep -v '^importers/otf2/')
refuse "qcustomplot.h belongs to views/plots" '#include <qcustomplot\.h>' $(sources $layers | grep -v '^views/plots/')
refuse "threads belong to core/base/job and core/base/parallel" 'std::j?thread[^_]|QThread\b|std::async|QtConcurrent' $(sources $layers | grep -vE '^core/base/(job|parallel)')
refuse "tooltips are plain text (views/widgets/plaintext.h): say it without tags, unescaped" \
    '(QToolTip::showText|setToolTip)\(.*("<|toHtmlEscaped)' $(sources views app)
refuse "files are asked for by views/widgets/filedialog: Qt's own calls read each file that they list" 'QFileDialog' \
    $(sources $layers | grep -v '^views/widgets/filedialog\.')
refuse "files that a user names are written by core/base/namedfile: through no link, onto no device" '\bQSaveFile\b' \
    $(sources views app/gui app/report | grep -v '^app/gui/session/bookmarks\.')
refuse "views share the palettes of a trace: ViewState::palette() (a stranger's file may name 200,000 methods)" \
    '\bPalette(>| [a-z]+)?\(.*(store|Options|options)' $(sources views/[!d]* app/gui | grep -v '^views/state/sharedpalettes\.')
refuse "nothing guesses whether a text is HTML" 'mightBeRichText|Qt::AutoText' $(sources views app | grep -v '^views/widgets/plaintext\.')
refuse "mangled names may stand for gigabytes: core/base/demangle.h" '__cxa_demangle' $(sources $layers)
refuse "ranges do not compile with clang 14" '#include <ranges>' $(sources core importers)
}
grep -q 'PlainText plainText(application)' app/gui/main.cpp || { echo "app/gui/main.cpp: labels may guess"; bad=1; }
# Every source file begins by saying what it is.
for file in $(sources $layers recorder | grep '\.h$'); do
  sed -n 2p "$file" | grep -q '^// ' || { echo "$file: the line after the licence does not say what the file is"; bad=1; }
done
# A room is small enough to look around in, and docs/developer/architecture.md says what lives there.
for room in $(find $layers recorder -name '*.h' -o -name '*.cpp' -o -name '*.c' | xargs -n1 dirname | sort -u); do
  files=$(find "$room" -maxdepth 1 -type f ! -name CMakeLists.txt | wc -l)
  [ "$files" -le 40 ] || { echo "$room: $files files; more than 40 are two rooms"; bad=1; }
  grep -q "^| $room |" docs/developer/architecture.md ||
    { echo "$room: docs/developer/architecture.md does not say what lives there"; bad=1; }
done
exit $bad
