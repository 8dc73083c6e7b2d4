// SPDX-License-Identifier: GPL-3.0-or-later
// A language that somebody adds: script/translations writes all texts into its file and keeps what it has, the programs
// speak it, and counted things have the plural forms of that language.
#include "app/common/translation.h"

#include "analysis/base/naming.h"

#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QTest>

#include <vector>

using namespace longpole;

namespace {

struct Text {
    const char *source, *singular;  // `singular` where it counts
    std::vector<const char*> translations;
};

// Polish has one form for 1, one for what ends in 2 to 4, and one for all else.
const Text texts[] = {
    {"%1 tasks", "%1 task", {"%1 zadanie", "%1 zadania", "%1 zadań"}},
    {"; %1 are slow.", "; one is slow.", {"; jedna jest wolna.", "; %1 są wolne.", "; %1 jest wolnych."}},
    {"Recorded", nullptr, {"Nagrano"}},
    {"Duration", nullptr, {"Czas trwania"}},
};

QString element(const QString& name, const QString& text) { return QStringLiteral("<%1>%2</%1>").arg(name, text); }

}  // namespace

class TranslationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        m_file = m_folder.filePath(QStringLiteral("longpole_pl.ts"));
        QVERIFY(collect());
        QVERIFY(fill());
        const QString tools = output(QStringLiteral("qmake6"),
                                     {QStringLiteral("-query"), QStringLiteral("QT_HOST_BINS")});
        const QString compiled = translations() + QStringLiteral("/longpole_pl.qm");
        QVERIFY(QDir().mkpath(translations()));
        output(tools.trimmed() + QStringLiteral("/lrelease"),
               {QStringLiteral("-silent"), m_file, QStringLiteral("-qm"), compiled});
        QVERIFY(QFileInfo::exists(compiled));
    }

    void allTextsAreInOneContext()
    {
        const QString all = read();
        QCOMPARE(all.count(QLatin1String("<context>")), 1);
        QVERIFY(all.count(QLatin1String("<message")) > 4000);
    }
    void whatWasTranslatedIsKept()
    {
        const QString before = read();
        QVERIFY(collect());
        QCOMPARE(read(), before);
        QVERIFY2(m_said.contains(QStringLiteral(", %1 of them translated").arg(std::size(texts))), qPrintable(m_said));
    }

    void countedThingsHaveTheirPluralForms_data()
    {
        QTest::addColumn<qint64>("count");
        QTest::addColumn<QString>("english");
        QTest::addColumn<QString>("polish");
        const auto row = [](qint64 count, const char* english, const char* polish) {
            QTest::addRow("%lld", static_cast<long long>(count))
                << count << QString::fromUtf8(english) << QString::fromUtf8(polish);
        };
        row(0, "0 tasks; 0 are slow.", "0 zadań; 0 jest wolnych.");
        row(1, "1 task; one is slow.", "1 zadanie; jedna jest wolna.");
        row(2, "2 tasks; 2 are slow.", "2 zadania; 2 są wolne.");
        row(5, "5 tasks; 5 are slow.", "5 zadań; 5 jest wolnych.");
        row(12, "12 tasks; 12 are slow.", "12 zadań; 12 jest wolnych.");
        row(22, "22 tasks; 22 are slow.", "22 zadania; 22 są wolne.");
        row(4'000'000'003, "4 000 000 003 tasks; 4 000 000 003 are slow.",
            "4 000 000 003 zadania; 4 000 000 003 są wolne.");
        row(4'000'000'001, "4 000 000 001 tasks; 4 000 000 001 are slow.",
            "4 000 000 001 zadań; 4 000 000 001 jest wolnych.");
    }
    void countedThingsHaveTheirPluralForms()
    {
        QFETCH(qint64, count);
        const auto said = [count] {
            QString text = counted("%1 tasks", "%1 task", count) + counted("; %1 are slow.", "; one is slow.", count);
            return text.replace(QChar(0x2009), QLatin1Char(' '));
        };
        QTEST(said(), "english");
        Translation language;
        QVERIFY(language.load(translations() + QStringLiteral("/longpole_pl.qm")));
        QCoreApplication::installTranslator(&language);
        QTEST(said(), "polish");
    }

    void aLanguageThatIsNotThereIsEnglish()
    {
        QVERIFY(!installTranslation(translations(), QLocale(QLocale::Finnish)));
        QVERIFY(!installTranslation({}, QLocale(QLocale::Polish)));
        QCOMPARE(counted("%1 tasks", "%1 task", 1), QStringLiteral("1 task"));
    }

    // As it would be installed: bin/longpole beside share/longpole/translations.
    void theProgramSpeaksTheUsersLanguage()
    {
        const QString program = m_folder.filePath(QStringLiteral("bin/longpole"));
        QVERIFY(QDir(m_folder.path()).mkdir(QStringLiteral("bin")));
        QVERIFY(QFile::copy(QStringLiteral(LONGPOLE_PROGRAM), program));
        const QStringList info{QStringLiteral("info"), QStringLiteral(LONGPOLE_TEST_DATA "/features_p4")};
        QVERIFY(output(program, info, "pl_PL.UTF-8").contains(QLatin1String("\nCzas trwania ")));
        QVERIFY(output(program, info, "C.UTF-8").contains(QLatin1String("\nDuration ")));
        const QStringList generate{QStringLiteral("--generate"), QStringLiteral("tables")};
        const QString document = output(program, generate, "pl_PL.UTF-8");
        QVERIFY(!document.isEmpty());
        QCOMPARE(document, output(program, generate, "C.UTF-8"));
    }

private:
    QString translations() const { return m_folder.filePath(QStringLiteral("share/longpole/translations")); }

    // Has the script write the file of the language.
    bool collect()
    {
        m_said = output(QStringLiteral(LONGPOLE_TEST_DATA "/../../script/translations"),
                        {QStringLiteral("pl"), m_file});
        return QFileInfo::exists(m_file);
    }

    QString read() const
    {
        QFile file(m_file);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

    // Writes the translations where the script left room for them; false if it left none.
    bool fill()
    {
        QString all = read();
        for (const Text& text : texts) {
            QString before = element(QStringLiteral("source"), QLatin1String(text.source));
            if (text.singular)
                before += QStringLiteral("\n      ") + element(QStringLiteral("comment"), QLatin1String(text.singular));
            before += QStringLiteral("\n      <translation");
            const qsizetype begin = all.indexOf(before) + before.size();
            const QString last = text.singular ? QStringLiteral("</translation>") : QStringLiteral(" />");
            const qsizetype end = all.indexOf(last, begin) + last.size();
            if (begin < before.size() || end < begin) return false;
            QString forms;
            for (const char* form : text.translations)
                forms += text.singular ? QStringLiteral("\n        ")
                                             + element(QStringLiteral("numerusform"), QString::fromUtf8(form))
                                       : QString::fromUtf8(form);
            if (text.singular) forms += QStringLiteral("\n      ");
            all.replace(begin, end - begin, QLatin1Char('>') + forms + QStringLiteral("</translation>"));
        }
        QFile file(m_file);
        return file.open(QIODevice::WriteOnly) && file.write(all.toUtf8()) > 0;
    }

    static QString output(const QString& program, const QStringList& arguments, const char* locale = "C.UTF-8")
    {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.remove(QStringLiteral("LANGUAGE"));
        environment.insert(QStringLiteral("LC_ALL"), QLatin1String(locale));
        process.setProcessEnvironment(environment);
        process.start(program, arguments);
        return process.waitForFinished() && process.exitCode() == 0 ? QString::fromUtf8(process.readAllStandardOutput())
                                                                    : QString();
    }

    QTemporaryDir m_folder;
    QString m_file, m_said;
};

LONGPOLE_TEST(TranslationTest)
#include "tst_translation.moc"
