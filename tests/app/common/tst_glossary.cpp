// SPDX-License-Identifier: GPL-3.0-or-later
// What the program says by its sources: no text that is translated uses a word that the glossary bans.
#include "support/glossary.h"
#include "support/testmain.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QTest>

using namespace longpole;

namespace {

struct SourceText {
    qsizetype line = 0;
    QString text{};
};

// From an opening parenthesis on: the texts in it, adjacent literals as one, up to the parenthesis that closes it.
QStringList literalsFrom(const QString& source, qsizetype at)
{
    QStringList texts;
    QString text;
    bool isJoined = false;
    int depth = 1;
    for (++at; at < source.size() && depth > 0; ++at) {
        const QChar c = source[at];
        if (c == QLatin1Char('"')) {
            if (!isJoined) text.clear();
            for (++at; at < source.size() && source[at] != QLatin1Char('"'); ++at) {
                if (source[at] == QLatin1Char('\\')) ++at;
                text += source[at];
            }
            if (isJoined) texts.removeLast();
            texts << text;
            isJoined = true;
        } else if (!c.isSpace()) {
            isJoined = false;
            depth += c == QLatin1Char('(') ? 1 : c == QLatin1Char(')') ? -1 : 0;
        }
    }
    return texts;
}

// What stands in calls of tr() and in QT_TRANSLATE_NOOP().
std::vector<SourceText> textsOf(const QString& source)
{
    static const QRegularExpression call(QStringLiteral("(?<![\\w.])((\\w+::)?tr|QT_TRANSLATE_NOOP|TEXT)\\("));
    std::vector<SourceText> found;
    for (auto calls = call.globalMatch(source); calls.hasNext();) {
        const qsizetype at = calls.next().capturedEnd() - 1;
        for (const QString& text : literalsFrom(source, at))
            found.push_back({source.left(at).count(QLatin1Char('\n')) + 1, text});
    }
    return found;
}

}  // namespace

class TestGlossary : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void banned_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("word");
        QTest::newRow("fine") << QStringLiteral("PEs are 59 % busy.") << QString();
        QTest::newRow("word") << QStringLiteral("Usage per processor") << QStringLiteral("processor");
        QTest::newRow("upper case") << QStringLiteral("Executions") << QStringLiteral("Executions");
        QTest::newRow("of a name") << QStringLiteral("Wave::user(int)") << QString();
        QTest::newRow("part of a word") << QStringLiteral("multiprocessors") << QString();
        QTest::newRow("allowed phrase") << QStringLiteral("The program recorded no user events.") << QString();
        QTest::newRow("allowed only there") << QStringLiteral("user events and user time") << QStringLiteral("user");
        QTest::newRow("heading of MPI calls") << QStringLiteral("Execution") << QString();
    }
    void banned()
    {
        QFETCH(const QString, text);
        QFETCH(const QString, word);
        QCOMPARE(bannedIn(text).section(QLatin1Char(':'), 0, 0), word);
    }

    void textsAreFound()
    {
        const auto texts = textsOf(
            QStringLiteral("a(tr(\"one \"\n   \"two\").arg(\"three\"), x ? Own::tr(\"a \\\"b\\\"\") : "
                           "str(\"no\"), QT_TRANSLATE_NOOP(\"Actions\", \"four\"))"));
        QStringList all;
        for (const SourceText& text : texts) all << text.text;
        QCOMPARE(all, (QStringList{QStringLiteral("one two"), QStringLiteral("a \"b\""), QStringLiteral("Actions"),
                                   QStringLiteral("four")}));
        QCOMPARE(texts[1].line, 2);
    }

    void noTextIsBanned_data()
    {
        QTest::addColumn<QString>("room");
        for (const char* room : {"analysis", "views", "app", "core", "importers"})
            QTest::newRow(room) << QString::fromLatin1(room);
    }
    void noTextIsBanned()
    {
        QFETCH(const QString, room);
        const QDir root(QStringLiteral(LONGPOLE_SCHEMAS "/../.."));
        QDirIterator files(root.filePath(room), {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files,
                           QDirIterator::Subdirectories);
        QStringList wrong;
        int seen = 0;
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName()));
            // What other tools call a view is in their words: the palette finds by it, and shows it nowhere.
            static const QRegularExpression others(QStringLiteral("\\.alsoCalled =\\s*QT_TRANSLATE_NOOP\\([^)]*\\)"));
            for (const SourceText& text : textsOf(QString::fromUtf8(file.readAll()).remove(others))) {
                ++seen;
                if (const QString word = bannedIn(text.text); !word.isEmpty())
                    wrong << QStringLiteral("%1:%2: %3 (%4)")
                                 .arg(root.relativeFilePath(file.fileName()))
                                 .arg(text.line)
                                 .arg(text.text, word);
            }
        }
        QVERIFY(seen > 10);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }

    // An exception that no text needs any more is none.
    void exceptionsAreNeeded()
    {
        const QDir root(QStringLiteral(LONGPOLE_SCHEMAS "/../.."));
        QString all;
        for (const char* room : {"analysis", "views", "app", "core"}) {
            QDirIterator files(root.filePath(QLatin1String(room)), {QStringLiteral("*.cpp")}, QDir::Files,
                               QDirIterator::Subdirectories);
            while (files.hasNext()) {
                QFile file(files.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                for (const SourceText& text : textsOf(QString::fromUtf8(file.readAll())))
                    all += text.text + QLatin1Char('\n');
            }
        }
        for (const AllowedPhrase& allowed : allowedPhrases)
            QVERIFY2(all.contains(QLatin1String(allowed.phrase), Qt::CaseInsensitive), allowed.phrase);
    }
};

LONGPOLE_TEST(TestGlossary)
#include "tst_glossary.moc"
