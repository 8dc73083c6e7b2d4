// SPDX-License-Identifier: GPL-3.0-or-later
// What the launcher of a recorded program gets and says: the user's environment, and its own refusal.
#include "recorder/wrappers/stackruns.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

using namespace longpole::test;

class TestRecordedLaunch : public QObject, private StackRuns {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void environmentIsTheUsers_data() { addMpis(); }
    void environmentIsTheUsers();
    void refusingLauncherIsNotExplained();
};

// The program finds the variables that it would have without the recorder, but for the recorder's own and those that
// the launcher makes anew for each run.
void TestRecordedLaunch::environmentIsTheUsers()
{
    QFETCH(QString, mpi);
    SKIP_WITHOUT(mpi);
    const auto variables = [](const QString& text) {
        QStringList kept;
        static const QRegularExpression own(
            QStringLiteral("^(LD_PRELOAD|LONGPOLE_|OMPI_|PMIX_|PMI_|PRTE_|HYDRA_|HYDI_|"
                           "MPI|HFI_|PSM|_=|MPIR_|GFORTRAN|OPAL_|SHLVL)"));
        for (const QString& line : text.split(QLatin1Char('\n')))
            if (line.contains(QLatin1Char('=')) && !own.match(line).hasMatch()) kept << line;
        kept.sort();
        return kept;
    };
    m_runs.set("RECORDED_TEST_MARK", QString::fromUtf8("t\xc3\xa4glich"));
    const QString name = QFileInfo(RecordedRuns::launcher(mpi)).fileName();
    const auto run = [&](const QStringList& before, const QString& file) {
        return m_runs.shell(before
                            + QStringList{name, QStringLiteral("-np"), QStringLiteral("1"), QStringLiteral("sh"),
                                          QStringLiteral("-c"), QStringLiteral("env > ") + file});
    };
    const QString plain = m_runs.path("plain.txt");
    const QString recorded = m_runs.path("recorded.txt");
    run({}, plain);
    run({QStringLiteral(LONGPOLE_PROGRAM), QStringLiteral("record"), QStringLiteral("--force"), QStringLiteral("-o"),
         m_runs.path("env.lprec"), QStringLiteral("--")},
        recorded);
    const auto read = [](const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    };
    QVERIFY(!variables(read(plain)).isEmpty());
    QCOMPARE(variables(read(recorded)), variables(read(plain)));
}

void TestRecordedLaunch::refusingLauncherIsNotExplained()
{
    const QString mpi = QStringLiteral("openmpi");
    SKIP_WITHOUT(mpi);
    const Said said = m_runs.record("refused.lprec", 2, {RecordedRuns::program("stacks", mpi)}, {}, mpi,
                                    {QStringLiteral("--no-such-option-of-mpirun")});
    QVERIFY(said.code != 0);
    QVERIFY2(!said.error.contains(QLatin1String("folder must be")), qPrintable(said.error));
}

LONGPOLE_TEST(TestRecordedLaunch)
#include "tst_recordedlaunch.moc"
