// SPDX-License-Identifier: GPL-3.0-or-later
// The files that `analyze --answers` writes, each with the command that says the same of the import.
#pragma once

#include "app/program.h"

#include <QRegularExpression>
#include <QString>
#include <QStringList>
#include <QTest>

#include <algorithm>
#include <vector>

namespace longpole::test {

struct AnswerFile {
    QString name;
    QStringList command;  // the trace comes behind its first word
    QStringList call(const QString& trace) const
    {
        return QStringList{command.front(), trace} + command.mid(1) + QStringList{QStringLiteral("--json")};
    }
};

inline std::vector<AnswerFile> answerFiles()
{
    const auto file = [](const char* name, const char* command) {
        return AnswerFile{QString::fromLatin1(name) + QStringLiteral(".json"),
                          QString::fromLatin1(command).split(QLatin1Char(' '))};
    };
    return {file("info", "info"),
            file("profile", "profile"),
            file("waits", "waits"),
            file("wait-causes", "waits --causes"),
            file("efficiency", "efficiency"),
            file("critical-path", "critical-path"),
            file("phases", "phases"),
            file("elapsed-path", "critical-path --mode elapsed"),
            file("zeroing", "zeroing"),
            file("slack", "slack --limit 10000"),
            file("near-critical", "near-critical"),
            file("advise", "advise"),
            file("tree", "tree")};
}

// Those of a folder of Charm++ logs.
inline std::vector<AnswerFile> folderAnswerFiles()
{
    std::vector<AnswerFile> files = answerFiles();
    std::erase_if(files, [](const AnswerFile& file) { return file.command.front() == QLatin1String("waits"); });
    return files;
}

// What a command says, without tasks that were interrupted, which analyze does not look for.
inline QString withoutInterruptions(QString said)
{
    return said.replace(QRegularExpression(QStringLiteral("\"interrupted_ns\":( ?)\\d+")),
                        QStringLiteral("\"interrupted_ns\":\\1null"));
}

// Where two texts differ, with what is around; empty if they are the same.
inline QString difference(const QString& actual, const QString& wanted)
{
    if (actual == wanted) return {};
    const auto [a, w] = std::mismatch(actual.begin(), actual.end(), wanted.begin(), wanted.end());
    const qsizetype begin = std::max<qsizetype>(0, a - actual.begin() - 100);
    return QStringLiteral("\"%1\" instead of \"%2\"").arg(actual.mid(begin, 400), wanted.mid(begin, 400));
}

// What a command says of a trace of parts, `said`, is what it says of the whole one, or else that it needs events that
// are not kept, which is right where `answers` is false.
inline void comparePartAndWhole(Said said, Said wanted, bool answers)
{
    for (QString* const out : {&said.out, &wanted.out})  // info says how much a trace has
        out->replace(QRegularExpression(QStringLiteral("(\"kept\": |kept,)[0-9.]+")), QStringLiteral("kept"));
    if (said.error.contains(QStringLiteral("parts of the run only"))) {
        QVERIFY2(!answers, qPrintable(said.error));
        QVERIFY(said.code != 0);
        QCOMPARE(said.out, QString());
        return;
    }
    wanted.error.replace(QStringLiteral("whole.longpole"), QStringLiteral("part.longpole"));
    QCOMPARE(said.error, wanted.error);
    QCOMPARE(said.out, withoutInterruptions(wanted.out));
    QCOMPARE(said.code, wanted.code);
}

// A path in words, over merge edges: how many of these there are takes all events, so that a trace of parts says
// another line about them. All else is the same.
inline void comparePathsOverMerges(Said said, Said wanted)
{
    const QString unknown = QStringLiteral(
        "How many merge edges there are is not known: the trace has the events of "
        "parts of the run\n");
    QCOMPARE(said.out.count(unknown), 1);
    said.out.remove(unknown);
    const QRegularExpression counted(QStringLiteral("^With [0-9].*merge edges.*\n"),
                                     QRegularExpression::MultilineOption);
    QCOMPARE(wanted.out.count(counted), 1);
    wanted.out.remove(counted);
    comparePartAndWhole(said, wanted, true);
}

}  // namespace longpole::test
