// SPDX-License-Identifier: GPL-3.0-or-later
// Turns a Theme into Fusion's palette and a style sheet of hairlines, flat surfaces and room around words.
#include "app/gui/frame/style.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPalette>
#include <QStyle>

// A static library's resources are there only when asked for; the macro wants the global namespace.
static void initResources() { Q_INIT_RESOURCE(resources); }

namespace longpole {

namespace {

// In the style sheet @name is replaced by the theme's colour of that name.
constexpr char sheet[] = R"(
QWidget { outline: none; }
QToolTip { color: @text; background: @raised; border: 1px solid @line; padding: 4px 6px; }
QMenuBar { background: transparent; border: none; padding: 0; }
QMenuBar::item { background: transparent; color: @text; padding: 4px 10px; border-radius: 4px; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: @raised; }
QMenu { background: @window; color: @text; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 5px 26px 5px 22px; border-radius: 4px; }
QMenu::item:selected { background: @raised; }
QMenu::item:disabled { color: @faintText; }
#menuTitle { background: transparent; color: @text; font-weight: 600; padding: 5px 26px 5px 22px; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }
#menuRow, #toolRow { background: @window; border-bottom: 1px solid @line; }
#programName { font-weight: 700; }
#verdict { color: @text; }
#muted, #runSummary, #statusBar QLabel { color: @mutedText; }
#statusBar { background: @window; border-top: 1px solid @line; }
#sidebar, #rightPanel { background: @window; }
#sidebar { border: none; border-right: 1px solid @line; }
#rightPanel { border-left: 1px solid @line; }
#dockArea { background: @window; }
#dockArea::separator { width: 5px; height: 5px; }
#dockArea::separator:vertical { background: qlineargradient(x1: 0, y1: 0, x2: 0, y2: 1, stop: 0 @window, stop: 0.39 @window,
    stop: 0.4 @line, stop: 0.6 @line, stop: 0.61 @window, stop: 1 @window); }
#dockArea::separator:horizontal { background: qlineargradient(x1: 0, y1: 0, x2: 1, y2: 0, stop: 0 @window, stop: 0.39 @window,
    stop: 0.4 @line, stop: 0.6 @line, stop: 0.61 @window, stop: 1 @window); }
#hairline { background: @line; }
#dockTitle { background: @window; border-bottom: 1px solid @line; }
#dockName { color: @mutedText; font-weight: 600; }
#statusBar #chip, #statusBar #quietChip { border-radius: 7px; padding: 0 10px; margin: 0 8px 0 0; }
#sideHeading { color: @mutedText; font-weight: 600; padding: 6px 8px 2px 8px; }
#sideEntry { color: @text; background: transparent; border: 1px solid transparent; border-radius: 6px; padding: 4px 7px; text-align: left; }
#sidePlace { color: @text; font-weight: 600; background: transparent; border: 1px solid transparent; border-radius: 6px; padding: 4px 7px; text-align: left; }
#sidePlace:checked { background: @raised; }
#sidePlace:hover { background: @raised; }
#sidePlace:focus, #sideEntry:focus { border-color: @mutedText; }
#sidePlace QLabel { font-weight: 600; }
#sideEntry QLabel { margin-left: 8px; }
#sideEntry:hover, #sideEntry:checked { background: @raised; }
QToolButton#pathSentence { background: transparent; border-color: transparent; font-weight: 600; padding: 2px 6px; }
QToolButton#pathSentence:hover { background: @raised; }
QToolButton#pathSentence:focus { border-color: @mutedText; }
QPushButton#pathChoice { background: transparent; border-color: transparent; font-weight: 600; text-align: left; }
QPushButton#pathChoice:hover, QPushButton#pathChoice:checked { background: @raised; }
QToolButton#legendItem { background: transparent; border-color: transparent; color: @mutedText; padding: 0 5px; }
QToolButton#legendItem:hover, QToolButton#legendItem:checked { background: @raised; color: @text; }
QToolButton#legendItem:focus { border-color: @mutedText; }
#viewHeader { background: @window; }
#viewQuestion { font-weight: 600; }
#sideCount { color: @mutedText; background: transparent; }
#sideCount[finding="true"] { color: @accentText; font-weight: 600; }
#panelTitle, #cardTitle { font-weight: 600; }
#card, #adviceCard { background: @panel; border: 1px solid @line; border-radius: 8px; }
#adviceCard:focus { border-color: @mutedText; }
#dashedCard { border: 1px dashed @faintText; border-radius: 8px; }
QPushButton#cardButton { background: transparent; padding: 2px 8px; }
QPushButton#cardButton:hover { background: @raised; }
QPushButton, QToolButton, QComboBox, QLineEdit, QSpinBox, QPlainTextEdit {
    background: @panel; color: @text; border: 1px solid @line; border-radius: 6px; padding: 3px 9px;
    selection-background-color: @selectedText; selection-color: @text; }
QPushButton:hover, QToolButton:hover, QComboBox:hover { background: @raised; }
QPushButton:focus, QToolButton:focus, QComboBox:focus, QLineEdit:focus, QSpinBox:focus, QPlainTextEdit:focus {
    border-color: @mutedText; }
QPushButton:disabled, QToolButton:disabled, QComboBox:disabled { color: @faintText; }
QPushButton#flat, QToolButton#flat { background: transparent; border-color: transparent; color: @mutedText; padding: 2px 6px; }
QPushButton#flat:hover, QToolButton#flat:hover { background: @raised; color: @text; }
QToolButton#flat::menu-indicator { image: none; }
QPushButton#flat:checked, QToolButton#flat:checked { background: @raised; color: @text; }
QPushButton#flat:focus, QToolButton#flat:focus { border-color: @mutedText; }
QPushButton#link { background: transparent; border: none; color: @text; text-decoration: underline; padding: 2px 4px; }
QPushButton#chip, QPushButton#quietChip { border-radius: 10px; padding: 2px 10px; margin: 0 8px 4px 0; }
QPushButton#chip { border-color: @accent; }
QPushButton#rowChip { border-color: @accent; border-radius: 8px; padding: 0 5px; }
QPushButton#pageName { border: none; border-radius: 5px; background: transparent; color: @mutedText; font-weight: 600; padding: 3px 7px; }
QPushButton#pageName:hover, QPushButton#pageName:checked { color: @text; }
QPushButton#pageName:focus { text-decoration: underline; }
#segments { border: 1px solid @line; border-radius: 6px; background: @panel; }
QPushButton#segment { border: none; border-radius: 5px; background: transparent; color: @mutedText; padding: 4px 11px; margin: 0; }
QPushButton#segment:hover { color: @text; }
QPushButton#segment:checked { background: @raised; color: @text; }
QPushButton#segment:focus { color: @text; text-decoration: underline; }
QPushButton#filter { border: 1px solid transparent; border-radius: 5px; background: transparent; color: @mutedText; padding: 3px 6px; }
QPushButton#filter:hover { color: @text; }
QPushButton#filter:checked { background: @raised; color: @text; }
QPushButton#filter:focus { border-color: @mutedText; }
QComboBox { padding-right: 4px; }
QComboBox#compact { padding-top: 1px; padding-bottom: 1px; }
QComboBox::drop-down { border: none; width: 18px; }
QComboBox::down-arrow { image: url(:/icons/@arrow); width: 9px; height: 9px; }
QComboBox QAbstractItemView { background: @window; color: @text; border: 1px solid @line; selection-background-color: @raised;
    selection-color: @text; padding: 3px; }
QTabBar { background: @window; }
QTabBar::tab { background: transparent; color: @mutedText; padding: 6px 11px 6px 11px; border: 1px solid transparent;
    border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @text; border-bottom-color: @accent; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:selected:focus { border-top-color: @mutedText; border-left-color: @mutedText; border-right-color: @mutedText; }
QTabBar::scroller { width: 40px; }
QTabBar QToolButton { background: @window; border: none; border-radius: 0; padding: 0; }
QTabBar QToolButton:hover { background: @raised; }
QTabBar QToolButton::left-arrow { image: url(:/icons/@left); width: 10px; height: 10px; }
QTabBar QToolButton::right-arrow { image: url(:/icons/@right); width: 10px; height: 10px; }
QTabBar QToolButton::left-arrow:disabled, QTabBar QToolButton::right-arrow:disabled { image: none; }
QTabWidget::pane { border: none; border-top: 1px solid @line; }
QTableView, QTreeView, QTextBrowser, QListWidget, QScrollArea { background: @window; color: @text; border: none; selection-background-color: @raised;
    selection-color: @text; }
QTreeView::indicator { width: 12px; height: 12px; border: 1px solid @faintText; border-radius: 3px; background: @panel; }
QTreeView::indicator:checked { background: @utilization; border-color: @text; image: url(:/icons/tick.svg); }
QTreeView::indicator:disabled { border-color: @line; }
QCheckBox::indicator { width: 12px; height: 12px; border: 1px solid @faintText; border-radius: 3px; background: @panel; }
QCheckBox::indicator:checked { background: @utilization; border-color: @text; image: url(:/icons/tick.svg); }
QCheckBox:focus { color: @text; text-decoration: underline; }
QListWidget::item { padding: 6px 8px; border-radius: 6px; }
QListWidget::item:selected, QListWidget::item:hover { background: @raised; color: @text; }
QHeaderView { background: @window; border: none; }
QHeaderView::section { background: @window; color: @mutedText; border: none; padding: 4px 8px; }
QHeaderView::up-arrow { image: url(:/icons/@up); width: 8px; height: 8px; }
QHeaderView::down-arrow { image: url(:/icons/@arrow); width: 8px; height: 8px; }
QSplitter::handle { background: @line; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar::handle { background: @line; border-radius: 4px; margin: 1px; min-width: 28px; min-height: 28px; }
QScrollBar::handle:hover { background: @faintText; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QProgressBar { background: @raised; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: @utilization; border-radius: 3px; }
#banner { background: @raised; border: 1px solid @faintText; border-radius: 8px; }
#banner QLabel { background: transparent; }
#tour { background: @raised; border: 1px solid @accent; border-radius: 8px; }
#tour QLabel { background: transparent; }
#tourMark { background: transparent; border: 2px solid @accent; border-radius: 6px; }
#overlay { background: @window; border: 1px solid @line; border-radius: 8px; }
#startTitle { font-size: @titleSize; font-weight: 700; }
#dropArea { border: 1px dashed @faintText; border-radius: 10px; }
#errorText { color: @warning; }
)";

bool systemIsDark()
{
    static const bool dark = QApplication::palette().color(QPalette::Window).lightness() < 128;
    return dark;
}

}  // namespace

ThemeChoice themeChoiceFrom(const QString& text)
{
    if (text == QLatin1String("dark")) return ThemeChoice::Dark;
    if (text == QLatin1String("light")) return ThemeChoice::Light;
    return ThemeChoice::System;
}

QString toText(ThemeChoice choice)
{
    switch (choice) {
    case ThemeChoice::Dark: return QStringLiteral("dark");
    case ThemeChoice::Light: return QStringLiteral("light");
    case ThemeChoice::System: break;
    }
    return QStringLiteral("system");
}

const Theme& themeFor(ThemeChoice choice)
{
    const bool dark = choice == ThemeChoice::Dark || (choice == ThemeChoice::System && systemIsDark());
    return dark ? darkTheme() : lightTheme();
}

QString styleSheet(const Theme& theme, double points)
{
    QString text = QString::fromLatin1(sheet);
    QColor selectedText = theme.utilization;
    selectedText.setAlpha(110);
    const std::pair<const char*, QColor> colours[] = {
        {"@selectedText", selectedText},
        {"@window", theme.window},
        {"@panel", theme.panel},
        {"@raised", theme.raised},
        {"@line", theme.line},
        {"@mutedText", theme.mutedText},
        {"@faintText", theme.faintText},
        {"@text", theme.text},
        {"@accentText", theme.accentText},
        {"@accent", theme.accent},
        {"@utilization", theme.utilization},
        {"@warning", theme.warning},
    };
    for (const auto& [name, colour] : colours) {
        const QString css = QStringLiteral("rgba(%1,%2,%3,%4)")
                                .arg(QString::number(colour.red()), QString::number(colour.green()),
                                     QString::number(colour.blue()), QString::number(colour.alpha()));
        text.replace(QLatin1String(name), css);
    }
    const QLatin1String variant = theme.dark ? QLatin1String("dark") : QLatin1String("light");
    const std::pair<const char*, const char*> arrows[] = {{"@arrow", "down"},
                                                          {"@up", "up"},
                                                          {"@left", "left"},
                                                          {"@right", "right"}};
    for (const auto& [name, file] : arrows)
        text.replace(QLatin1String(name), QStringLiteral("%1-%2.svg").arg(QLatin1String(file), variant));
    text.replace(QLatin1String("@titleSize"), QString::number(2 * points) + QStringLiteral("pt"));
    return text;
}

QFont interfaceFont(QFont system)
{
    if (QFontDatabase::hasFamily(QStringLiteral("Inter"))) system.setFamily(QStringLiteral("Inter"));
    // 13 pixels at 96 dpi, and never smaller than what the system asks for.
    system.setPointSizeF(std::max(9.75, system.pointSizeF()));
    return system;
}

void applyTheme(const Theme& theme) { applyTheme(theme, QFontDatabase::systemFont(QFontDatabase::GeneralFont)); }

void applyTheme(const Theme& theme, const QFont& system)
{
    initResources();
    systemIsDark();  // remembered before our palette replaces the desktop's
    QApplication::setStyle(QStringLiteral("Fusion"));
    QApplication::setPalette(widgetPalette(theme));
    const QFont font = interfaceFont(system);
    QApplication::setFont(font);
    qApp->setStyleSheet(styleSheet(theme, font.pointSizeF()));
}

}  // namespace longpole
