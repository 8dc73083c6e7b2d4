// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/basics/theme.h"

namespace longpole {

const Theme& darkTheme()
{
    static const Theme theme{
        .dark = true,
        .window = QColor(33, 36, 41),
        .panel = QColor(27, 29, 33),
        .raised = QColor(40, 44, 50),
        .line = QColor(57, 60, 67),
        .gridLine = QColor(40, 42, 47),
        .text = QColor(226, 228, 231),
        .mutedText = QColor(173, 177, 184),
        .faintText = QColor(142, 148, 158),
        .accent = QColor(255, 159, 46),
        .accentText = QColor(255, 159, 46),
        .link = QColor(120, 158, 200),
        .secondPath = QColor(198, 205, 216),
        .selection = QColor(255, 255, 255),
        .markedRange = QColor(120, 165, 220, 34),
        .band = QColor(150, 180, 215, 20),
        .bandEdge = QColor(150, 180, 215, 70),
        .bandLabel = QColor(52, 60, 71),
        .idle = QColor(43, 45, 53),
        .overhead = QColor(88, 92, 99),
        .rowBackground = QColor(27, 29, 33),
        .waitBefore = QColor(88, 47, 56),
        .waitBeforeLines = QColor(140, 79, 90),
        .mpiExecution = QColor(140, 134, 122),
        .waitAfter = QColor(58, 56, 84),
        .waitAfterLines = QColor(112, 108, 158),
        .utilization = QColor(91, 127, 166),
        .warning = QColor(232, 124, 132),
    };
    return theme;
}

const Theme& lightTheme()
{
    static const Theme theme{
        .dark = false,
        .window = QColor(255, 255, 255),
        .panel = QColor(246, 247, 249),
        .raised = QColor(240, 242, 245),
        .line = QColor(214, 217, 222),
        .gridLine = QColor(229, 231, 235),
        .text = QColor(32, 35, 40),
        .mutedText = QColor(84, 89, 97),
        .faintText = QColor(102, 109, 120),
        .accent = QColor(217, 107, 0),
        .accentText = QColor(168, 80, 0),
        .link = QColor(60, 98, 140),
        .secondPath = QColor(74, 81, 92),
        .selection = QColor(16, 18, 22),
        .markedRange = QColor(50, 110, 190, 26),
        .band = QColor(40, 80, 140, 16),
        .bandEdge = QColor(40, 80, 140, 70),
        .bandLabel = QColor(219, 227, 238),
        .idle = QColor(236, 239, 244),
        .overhead = QColor(46, 49, 54),
        .rowBackground = QColor(246, 247, 249),
        .waitBefore = QColor(250, 228, 226),
        .waitBeforeLines = QColor(222, 150, 150),
        .mpiExecution = QColor(150, 144, 131),
        .waitAfter = QColor(225, 224, 244),
        .waitAfterLines = QColor(138, 132, 198),
        .utilization = QColor(91, 127, 163),
        .warning = QColor(190, 50, 60),
    };
    return theme;
}

QPen swatchOutline(const QColor& colour, const Theme& theme)
{
    constexpr int opacity = 150;
    const QRgb swatch = colour.rgb();
    if (swatch != theme.idle.rgb() && swatch != theme.overhead.rgb() && swatch != theme.panel.rgb()) return Qt::NoPen;
    QColor line = theme.faintText;
    line.setAlpha(opacity);
    return line;
}

QPalette widgetPalette(const Theme& theme)
{
    QPalette palette;
    palette.setColor(QPalette::Window, theme.window);
    palette.setColor(QPalette::WindowText, theme.text);
    palette.setColor(QPalette::Base, theme.panel);
    palette.setColor(QPalette::AlternateBase, theme.raised);
    palette.setColor(QPalette::Text, theme.text);
    palette.setColor(QPalette::PlaceholderText, theme.faintText);
    palette.setColor(QPalette::Button, theme.raised);
    palette.setColor(QPalette::ButtonText, theme.text);
    palette.setColor(QPalette::BrightText, theme.warning);
    palette.setColor(QPalette::ToolTipBase, theme.raised);
    palette.setColor(QPalette::ToolTipText, theme.text);
    palette.setColor(QPalette::Link, theme.link);
    palette.setColor(QPalette::LinkVisited, theme.link);
    // The accent belongs to the critical path: what is chosen in lists and fields is blue.
    palette.setColor(QPalette::Highlight, theme.dark ? QColor(54, 78, 108) : QColor(205, 222, 241));
    palette.setColor(QPalette::HighlightedText, theme.text);
    palette.setColor(QPalette::Light, theme.raised.lighter(theme.dark ? 120 : 104));
    palette.setColor(QPalette::Midlight, theme.raised);
    palette.setColor(QPalette::Mid, theme.line);
    palette.setColor(QPalette::Dark, theme.line.darker(115));
    palette.setColor(QPalette::Shadow, theme.dark ? QColor(0, 0, 0) : QColor(150, 155, 162));
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, theme.faintText);
    return palette;
}

}  // namespace longpole
