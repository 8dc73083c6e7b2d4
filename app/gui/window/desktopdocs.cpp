// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/desktopdocs.h"

#include "app/docs/commanddocs.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/panels.h"

namespace longpole {

namespace {

QString of(const PanelSpec& panel)
{
    const Vocabulary objects(ProgramKind::MessageDriven);
    const Vocabulary ranks(ProgramKind::Mpi);
    QString text = QStringLiteral("\n## %1\n\n**%2** *%3.*")
                       .arg(panelText(objects, panel.title), panelText(objects, panel.question),
                            panelText(objects, panel.tip));
    if (panel.needs == PanelNeeds::Ranks || panel.needs == PanelNeeds::RankAnswers)
        return text + QStringLiteral(" %1\n").arg(panelText(ranks, panel.help));
    const QString help = panelText(objects, panel.help);
    const QString other = panelText(ranks, panel.help);
    text += QStringLiteral(" %1\n").arg(help);
    return other == help ? text : text + QStringLiteral("\nOf an MPI run: %1\n").arg(other);
}

constexpr const char* examples[][2] = {
    {"longpole-gui run.sts", "The timelines of a Charm++ run, with its critical path."},
    {"longpole-gui traces.otf2", "The same of an MPI run that Score-P recorded."},
    {"longpole-gui run.lprec", "The same of an MPI run that \"longpole record\" recorded."},
    {"longpole-gui before.longpole after.longpole", "Two runs under each other, and what changed."},
};

constexpr const char* exitCodes[][2] = {
    {"0", "The window was closed."},
    {"2", "An option is unknown."},
    {"3", "There is no display to open a window on, or with --quit-after-first-frame the trace could not be opened."},
    {"128 + N", "Signal N closed the window, such as 143 after kill."},
};

constexpr const char* files[][2] = {
    {"$XDG_CONFIG_HOME/longpole/longpole-gui.conf",
     "What the program remembers. answers_mb in [memory] is how many megabytes of answers about a trace (graphs, "
     "paths,\n"
     "profiles, projections) are kept while no view shows them; 256 without it. More saves computing them again."},
    {"$XDG_CACHE_HOME/longpole", "Imported traces."},
    {"$XDG_DATA_HOME/longpole/kept/side", "Bookmarks, visible ranges, rows and colours of runs."},
};

// What is said of one thing, under its name.
QString item(const char* name, const QString& text, const char* font)
{
    return QStringLiteral(".TP\n.%1 %2\n%3\n").arg(QLatin1String(font), roff(QString::fromUtf8(name)), roff(text));
}

QString items(std::span<const char* const[2]> list, const char* font)
{
    QString text;
    for (const auto& [name, meaning] : list) text += item(name, QString::fromUtf8(meaning), font);
    return text;
}

}  // namespace

QString desktopManual(std::span<const DesktopOption> options)
{
    QString text = QStringLiteral(
        ".\\\" Written by longpole-gui --generate man from its own lists.\n"
        ".TH LONGPOLE\\-GUI 1 \"\" \"Longpole " LONGPOLE_VERSION
        "\" \"User Commands\"\n"
        ".SH NAME\nlongpole\\-gui \\- timelines and critical path of a parallel program\n"
        ".SH SYNOPSIS\n.B longpole\\-gui\n[\\fIoptions\\fR] [\\fITRACE\\fR [\\fISECOND\\fR]]\n"
        ".SH DESCRIPTION\n");
    text += roff(
                QStringLiteral("Opens the desktop program, on a trace if one is given; SECOND is shown under it, to be "
                               "compared.\n")
                + traceText()
                + QStringLiteral("\nA .longpole-session, which File > Save session writes, opens its run as it was "
                                 "looked at."))
            + QStringLiteral("\n.PP\n")
            + roff(QStringLiteral("F1 says what the view under the mouse shows and how to read it. Help > About this "
                                  "trace says how much memory\nthe trace takes, and which answers take most of it."))
            + QStringLiteral("\n.SH OPTIONS\n");
    for (const DesktopOption& option : options) text += item(option.names, QString::fromUtf8(option.help), "B");
    text += QStringLiteral(".PP\n")
            + roff(QStringLiteral("Options of Qt are understood too, such as -platform offscreen."))
            + QStringLiteral("\n.SH KEYS\n");
    for (const KeyLine& key : keyLines(Vocabulary())) text += item(key.keys.toUtf8().constData(), key.text, "B");
    return text + QStringLiteral(".SH EXAMPLES\n") + items(examples, "B") + QStringLiteral(".SH EXIT STATUS\n")
           + items(exitCodes, "B") + QStringLiteral(".SH FILES\n") + items(files, "I")
           + QStringLiteral(".SH SEE ALSO\n.BR longpole (1)\n");
}

QString viewReference()
{
    QString text = QStringLiteral(
        "# Views\n\n"
        "Each view of the window: what it shows, how to read it and what to do with it. F1 over a view says the same "
        "there. The timelines have [a page of their own](concepts/timeline.md): over them F1 opens the list of keys "
        "and gestures.\n\n"
        "<!-- Written by script/generate from the program's own list. -->\n");
    for (const auto specs : {columnSpecs(), panelSpecs()})
        for (const PanelSpec* panel : specs) text += of(*panel);
    return text;
}

}  // namespace longpole
