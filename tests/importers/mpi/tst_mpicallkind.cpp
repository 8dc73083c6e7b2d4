// SPDX-License-Identifier: GPL-3.0-or-later
// MPI calls by name: what depends on what, whatever language and library the name comes from.
#include "importers/mpi/callkind.h"

#include "support/testmain.h"

#include <QTest>

using namespace longpole;

Q_DECLARE_METATYPE(longpole::CollectiveKind)

class TestMpiCallKind : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void kinds_data()
    {
        QTest::addColumn<CollectiveKind>("kind");
        QTest::addColumn<bool>("isNonBlocking");
        QTest::addColumn<bool>("completes");
        const auto row = [](const char* name, CollectiveKind kind, bool isNonBlocking = false, bool completes = false) {
            QTest::newRow(name) << kind << isNonBlocking << completes;
        };
        row("MPI_Barrier", CollectiveKind::Barrier);
        row("MPI_Ibarrier", CollectiveKind::Barrier, true);
        row("mpi_allreduce_", CollectiveKind::NToN);
        row("MPI_ALLREDUCE", CollectiveKind::NToN);
        row("PMPI_Iallreduce", CollectiveKind::NToN, true);
        row("MPI_Alltoallw", CollectiveKind::NToN);
        row("MPI_Allgatherv_c", CollectiveKind::NToN);
        row("MPI_Reduce_scatter_block", CollectiveKind::NToN);
        row("MPI_Ineighbor_alltoallv", CollectiveKind::Neighbours, true);
        row("mpi_bcast_f08_", CollectiveKind::OneToN);
        row("mpi_ibcast_f08ts_", CollectiveKind::OneToN, true);
        row("MPI_Scatterv", CollectiveKind::OneToN);
        row("MPI_Reduce", CollectiveKind::NToOne);
        row("MPI_Igatherv", CollectiveKind::NToOne, true);
        row("MPI_Scan", CollectiveKind::Prefix);
        row("MPI_Iexscan", CollectiveKind::Prefix, true);
        row("MPI_Init", CollectiveKind::Lifetime);
        row("mpi_init_thread__", CollectiveKind::Lifetime);
        row("MPI_Finalize", CollectiveKind::Lifetime);
        row("MPI_Comm_split", CollectiveKind::Lifetime);
        row("MPI_Comm_idup", CollectiveKind::Lifetime, true);
        row("MPI_Comm_free", CollectiveKind::Loose);
        row("MPI_File_open", CollectiveKind::Loose);
        row("MPI_Isend", CollectiveKind::None, true);
        row("MPI_Irecv", CollectiveKind::None, true);
        row("MPI_Iprobe", CollectiveKind::None);
        row("MPI_Send", CollectiveKind::None);
        row("MPI_Waitall", CollectiveKind::None, false, true);
        row("mpi_testsome_", CollectiveKind::None, false, true);
        row("MPI_Initialized", CollectiveKind::None);
        row("MPI_Allreduce_init", CollectiveKind::None);  // starts nothing
        row("barrier", CollectiveKind::None);
        row("Allreduce", CollectiveKind::None);
        row("MPI_", CollectiveKind::None);
        row("", CollectiveKind::None);
    }
    void kinds()
    {
        const MpiCallKind kind = mpiCallKind(QTest::currentDataTag());
        QTEST(kind.collective, "kind");
        QTEST(kind.isNonBlocking, "isNonBlocking");
        QTEST(kind.completes, "completes");
    }

    void names()
    {
        for (const char* name : {"MPI_Send", "PMPI_Send", "mpi_send_", "MPI_SEND", "MPI_X"}) QVERIFY(isMpiName(name));
        for (const char* name :
             {"main", "MPI_", "MPI_wrapper", "MPIR_Send", "MPI", "pMPI", "P", "", "MPI__x", "my_MPI_Send"})
            QVERIFY(!isMpiName(name));
    }
};

LONGPOLE_TEST(TestMpiCallKind)
#include "tst_mpicallkind.moc"
