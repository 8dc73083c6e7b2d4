// SPDX-License-Identifier: GPL-3.0-or-later
// What tests of commands share that ask about one trace, which can be redrawn by hand.
#pragma once

#include "app/jsonschema.h"
#include "app/program.h"
#include "app/smalltrace.h"

#include <QTemporaryDir>
#include <QTest>

namespace longpole::test {

inline const json startEntry = {{"id", 0}, {"name", "start()"}, {"chare", "Solver"}};
inline const json runEntry = {{"id", 1}, {"name", hostileName.toStdString()}, {"chare", "Solver"}};

class SmallTraceTest : public QObject {
protected:
    void writeSmall()
    {
        const auto written = writeHostileTrace(m_trace);
        QVERIFY2(written, qPrintable(written ? QString() : toText(written.error())));
    }
    // The first word is the command, the trace is put behind it.
    QString out(const QStringList& arguments, int code = 0) const
    {
        QStringList call = arguments;
        call.insert(1, m_trace);
        const Said said = m_program(call);
        if (said.code != code) qCritical("%d: %s", said.code, qPrintable(said.error));
        return said.out;
    }
    json answer(QStringList arguments) const
    {
        arguments << QStringLiteral("--json");
        return json::parse(out(arguments).toStdString(), nullptr, false);
    }

    QTemporaryDir m_folder;
    QString m_trace = m_folder.filePath(QStringLiteral("small.longpole"));
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

}  // namespace longpole::test
