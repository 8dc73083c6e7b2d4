// SPDX-License-Identifier: GPL-3.0-or-later
// Which calls may wait without a trace saying for whom.
#include "analysis/mpi/unjudgedcalls.h"
#include "support/testmain.h"

#include <QTest>

using namespace longpole;

class TestUnjudgedCalls : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void names()
    {
        for (const char* name : {"MPI_Put", "mpi_rget_accumulate_", "PMPI_Win_lock_all", "MPI_Win_complete"})
            QCOMPARE(unjudgedCall(QString::fromLatin1(name)), UnjudgedCall::OneSided);
        for (const char* name : {"MPI_File_open", "mpi_file_write_at_all_"})
            QCOMPARE(unjudgedCall(QString::fromLatin1(name)), UnjudgedCall::File);
        for (const char* name : {"MPI_Win_fence", "MPI_Win_create", "MPI_Win_free", "MPI_Get_count", "MPI_Send", "put"})
            QCOMPARE(unjudgedCall(QString::fromLatin1(name)), UnjudgedCall::None);
    }
    void sentences()
    {
        QVERIFY(unjudgedSentences({}, 100).empty());
        const std::vector<QString> said = unjudgedSentences({.oneSided = 2'000'000, .files = 1'000'000}, 100'000'000);
        QCOMPARE(said.size(), std::size_t(2));
        QCOMPARE(said[0], QStringLiteral("Cannot be judged: 2 ms in one-sided calls, 2.0 % of the time. "
                                         "What they wait for is not known."));
        QVERIFY(said[1].contains(QLatin1String("1 ms in calls for files, 1.0 %")));
    }
};

LONGPOLE_TEST(TestUnjudgedCalls)
#include "tst_unjudgedcalls.moc"
