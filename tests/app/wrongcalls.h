// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of the program that it refuses: with which exit code, and with which words.
#pragma once

#include "app/program.h"

#include <QString>
#include <QTest>

#include <initializer_list>

namespace longpole::test {

struct WrongCall {
    const char* call;
    int code;
    const char* error;  // is in what it says
};

inline void addWrongCalls(std::initializer_list<WrongCall> calls)
{
    QTest::addColumn<QString>("call");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("error");
    for (const WrongCall& wrong : calls)
        QTest::newRow(wrong.call) << QString::fromUtf8(wrong.call) << wrong.code << QString::fromUtf8(wrong.error);
}

// What the call of this row was answered.
inline void checkRefused(const Said& answered)
{
    QFETCH(const QString, error);
    QTEST(answered.code, "code");
    QVERIFY2(answered.error.contains(error), qPrintable(answered.error));
    QVERIFY(answered.out.isEmpty());
}

}  // namespace longpole::test
