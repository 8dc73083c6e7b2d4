// SPDX-License-Identifier: GPL-3.0-or-later
// Draws bars as a picture: script/bench hands it JSON on its standard input and names a .png or .svg file.
//   {"title", "summary", "measures": [name], "groups": [{"name", "values": [share or null, one for each measure]}]}
#include "analysis/base/json.h"
#include "views/drawing/basics/colourmemory.h"
#include "views/drawing/charts/groupedbars.h"

#include <QFile>
#include <QGuiApplication>

#include <cstdio>
#include <limits>

using namespace longpole;

int main(int argc, char** argv)
{
    const QGuiApplication application(argc, argv);
    QFile in;
    if (argc != 2 || !in.open(stdin, QIODevice::ReadOnly)) {
        std::fputs("usage: draw_bars FILE.png < bars.json\n", stderr);
        return 2;
    }
    const auto json = parseJson(in.readAll());
    if (!json) {
        std::fputs("draw_bars: this is no JSON\n", stderr);
        return 3;
    }
    GroupedBars bars{.title = textOf(*json, "title"),
                     .summary = textOf(*json, "summary"),
                     .measures = {},
                     .groups = {},
                     .values = {}};
    const std::span<const QRgb> colours = paletteColours(PaletteKind::Calm);
    for (const JsonValue& measure : listOf(*json, "measures"))
        bars.measures.push_back({QString::fromStdString(measure.get<std::string>()),
                                 QColor(colours[bars.measures.size() % colours.size()])});
    for (const JsonValue& group : listOf(*json, "groups")) {
        bars.groups.push_back(textOf(group, "name"));
        std::vector<double> values(bars.measures.size(), std::numeric_limits<double>::quiet_NaN());
        const JsonValue& given = listOf(group, "values");
        for (std::size_t i = 0; i < values.size() && i < given.size(); ++i)
            if (given[i].is_number()) values[i] = given[i].get<double>();
        bars.values.push_back(std::move(values));
    }
    const QString path = QString::fromLocal8Bit(argv[1]);
    ChartPicture picture{.size = {960, 0}, .isVector = path.endsWith(QLatin1String(".svg"))};
    const auto bytes = renderGroupedBars(bars, picture);
    QFile out(path);
    if (!bytes || !out.open(QIODevice::WriteOnly) || out.write(*bytes) != bytes->size()) {
        std::fputs("draw_bars: the picture cannot be drawn or written\n", stderr);
        return 1;
    }
    return 0;
}
