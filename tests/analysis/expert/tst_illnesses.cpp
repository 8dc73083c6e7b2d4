// SPDX-License-Identifier: GPL-3.0-or-later
// Traces of which it is known what ails them, from their programs' sources, from runs with another order, or from what
// was recorded beside them: the first thing that is said must be that, and no other. Counts what is said without cause
// and where nothing is said. (Not wave2d_killed_p3: what is left of it says too little of what ails it.)
#include "analysis/expert/expertquestions.h"
#include "analysis/expert/expertwords.h"
#include "analysis/realtraces.h"
#include "analysis/replay/replayquestions.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

using namespace longpole;

namespace {

struct Illness {
    const char* trace;
    const char* first;    // the node of the tree that comes first; empty: nothing is to be advised
    const char* says;     // what title and verdict name, in this order
    const char* mayAlso;  // other nodes that are true as well, by blanks
    const char* because;  // of what it is known
};

constexpr Illness illnesses[] = {
    // The same program with priority on chain_hop took 111.0 instead of 176.9 ms.
    {"chain_and_bulk_p6", "scheduling", "Worker::chain_hop.*priority", "", "run with the priority"},
    // With priority on stage_item 185.6 instead of 256.8 ms.
    {"pipeline_p6", "scheduling", "Stage::stage_item.*priority", "", "run with the priority"},
    // Priority on token_hop changed nothing (-0.4 %): a running task is not interrupted. Splitting is what helps.
    {"blocker_p6", "scheduling", "Split Node::big_block", "", "run with the priority, which changed nothing"},
    // Sinha and Kale, section 6: from 126 ms on one system is left, whose residuals one chare gathers.
    {"gauss_seidel_p8", "bottleneck", "contribute_residual.*PE 5", "", "its source"},
    // All keys of its table that are found often lie on PE 0.
    {"shared_variables_p6", "bottleneck", "PE 0.*Node::find", "shared_variables", "its source"},
    // Six and four PEs on two cores; each step waits for a reduction's broadcast.
    {"wave2d_p6", "synchronization", "Wave::begin_iteration", "", "its source, and the machine"},
    {"wave2d_net_p6", "synchronization", "Wave::", "", "its source, and the machine"},
    {"jacobi2d_sdag_p4", "synchronization", "recvConvergeResult", "", "its source, and the machine"},
    {"stencil3d_lb_p4", "synchronization", "doStep", "", "its source, and the machine"},
    {"cpath_p4", "synchronization", "W::start", "", "its source, and the machine"},
    // It waits for quiescence after each step, on too few cores.
    {"features_p4", "synchronization", "quiescence in Main::driver", "", "its source, and the machine"},
    {"features_notes_p4", "", "fewer cores than PEs", "", "the machine"},
    {"pingpong_net_p2", "", "fewer cores than PEs", "", "the machine; two processes take turns"},
    // Tasks of half a microsecond with as much overhead.
    {"fib_binary_p2", "grainsize", "too small", "", "its source"},
    // Four PEs on two cores without CPU times: what it waits for cannot be told from a slow network.
    {"fib_subdirs_nogz_p4", "latency", "Fib::response", "load_balance grainsize", "its source"},
    // The work ends after 0.2 of 7.9 ms; then it waits for quiescence. Tasks take a microsecond.
    {"nqueen_p4", "parallelism", "Main::Quiescence1", "grainsize", "its source"},
    // Rank 0 is in foo while the others wait to receive, then at the barrier.
    {"otf2/casita_4_mpi_ls_barr", "bottleneck", "rank 0.*foo", "", "the archive's documents"},
    // Rank 0 receives from rank 1, which sleeps, before rank 4's message that is there.
    {"otf2/casita_10_scorep_mpi_tags", "late_messages", "sent late", "", "its source"},
    // One process, whose nested teams of threads wait for late ones.
    {"otf2/casita_1_scorep-ompt-host-nested", "synchronization", "own threads.*barrier", "", "its source"},
    // Both ranks work side by side; what there is beside is MPI_Init.
    {"otf2/casita_2_jacobi_blame_cpu_050", "", "nothing to look for", "", "its efficiency"},
    // A ninth of its time is in calls of CUDA, of which the archive does not say whether they waited.
    {"otf2/casita_2_cuda_simple", "", "may be waiting take 11.6 %", "", "its efficiency"},
    {"otf2/pipit_ping-pong", "", "Start-up", "", "20 messages in 200 ms of MPI_Init"},
    {"otf2/sst_emberotf2", "", "Start-up", "", "one broadcast"},
};

}  // namespace

class TestIllnesses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void firstIsTheKnownIllness()
    {
        int there = 0, without = 0, silent = 0;
        QStringList wrong;
        for (const Illness& ill : illnesses) {
            const QString name = QString::fromLatin1(ill.trace);
            if (!RealTraces::has(name) || importerFor(RealTraces::folder(name)) == nullptr) continue;
            const auto store = m_traces.open(name);
            QVERIFY2(store.ok(), ill.trace);
            Results results(*store);
            const auto asked = results.ask(ExpertQuestion{}, Progress{});
            QVERIFY2(asked.ok(), ill.trace);
            const Expert& expert = **asked;
            ++there;
            const QString node = QString::fromLatin1(ill.first);
            const std::size_t worth = countWorthIt(expert.advice);
            QString said = leadText(expert, **store);
            if (worth > 0) said += QLatin1Char(' ') % expert.advice.front().verdict;
            const bool isSilent = worth == 0 && !node.isEmpty();
            const bool isOther = worth > 0 && expert.advice.front().node != node;
            const QRegularExpression says(QString::fromLatin1(ill.says));
            if (isSilent) ++silent;
            if (isOther || !said.contains(says)) ++without;
            if (isSilent || isOther || !said.contains(says)) wrong << name % QStringLiteral(": ") % said;
            const QStringList mayAlso = QString::fromLatin1(ill.mayAlso).split(QLatin1Char(' '));
            for (std::size_t i = 1; i < worth; ++i)
                if (const Advice& more = expert.advice[i]; more.node != node && !mayAlso.contains(more.node)) {
                    ++without;
                    wrong << name % QStringLiteral(" also: ") % more.verdict;
                }
        }
        QVERIFY(there >= 12);
        // Both ways, none: a trace on which it errs is to be understood, not to be counted.
        QVERIFY2(silent == 0 && without == 0, qPrintable(wrong.join(QLatin1Char('\n'))));
    }

private:
    RealTraces m_traces;
};

LONGPOLE_TEST(TestIllnesses)
#include "tst_illnesses.moc"
