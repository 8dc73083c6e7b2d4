// SPDX-License-Identifier: GPL-3.0-or-later
// A subgraph as a file: a picture with lanes, times and a legend, Graphviz's DOT, or CSV of its dependencies. Pictures
// need a QGuiApplication (offscreen will do) for fonts.
#pragma once

#include "analysis/paths/subgraph.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "views/drawing/basics/palette.h"
#include "views/drawing/basics/theme.h"

#include <QByteArray>
#include <QIODevice>
#include <QImage>

namespace longpole {

struct GraphPicture {
    const Subgraph* graph = nullptr;
    Theme theme = lightTheme();
    PaletteOptions palette{};
    double scale = 1.0;  // device pixels per pixel (PNG)
    bool isVector = false;
};

// A PNG or SVG.
Result<QByteArray> renderGraph(const TraceStore& store, const GraphPicture& picture);

// A digraph with a cluster for each PE. Names are quoted so that nothing in them means anything to Graphviz.
QByteArray graphDot(const TraceStore& store, const GraphPicture& picture);
// source,target,kind,offset_ns,length_ns,on_path; a line for each dependency, tasks as pe:index.
QByteArray graphCsv(const Subgraph& graph);

// "412 more tasks not shown, 3 of them on the path"; empty if all are shown.
QString omittedText(const Subgraph& graph);

}  // namespace longpole
