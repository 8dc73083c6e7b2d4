// SPDX-License-Identifier: GPL-3.0-or-later
// A wire over MPI: the library's functions, and the bytes that are under way.
#include "distributed/transport/mpiwire.h"

#include "core/base/translate.h"
#include "distributed/transport/transportlibrary.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <new>
#include <thread>
#include <unordered_map>
#include <utility>

#include <dlfcn.h>

namespace longpole {

namespace {

const lp_transport* startedMpi = nullptr;  // by this process: MPI starts once

int numberFromEnvironment(const char* name, int otherwise)
{
    bool isNumber = false;
    const int number = qEnvironmentVariable(name).toInt(&isNumber);
    return isNumber ? number : otherwise;
}

[[noreturn]] void endAfter(const char* what, int code)
{
    std::fprintf(stderr, "longpole-mpi: MPI failed in %s (%d)\n", what, code);
    if (startedMpi) startedMpi->stop(EXIT_FAILURE);
    std::_Exit(EXIT_FAILURE);
}

class MpiWire : public Wire {
public:
    MpiWire(const lp_transport& mpi, int process, int processes)
        : m_mpi(mpi), m_process(process), m_processes(processes)
    {
    }
    // What is under way still lies here: waits a little for it, as after a failure nobody may take it any more.
    ~MpiWire() override
    {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
        while (!m_underWay.empty() && std::chrono::steady_clock::now() < until) collect();
        for (auto& [ticket, piece] : m_underWay)
            (void)new (std::nothrow) Payload(std::move(piece.bytes));  // MPI may read it until it ends
    }
    int process() const override { return m_process; }
    int processes() const override { return m_processes; }

    void post(int to, std::uint16_t tag, Payload bytes, bool tracked) override
    {
        const unsigned long long ticket = m_nextTicket++;
        UnderWay& piece = m_underWay[ticket];
        piece = {{to, tag}, std::move(bytes), tracked};
        const auto length = static_cast<int>(piece.bytes.size());  // pieces are short: TransportLimits
        if (const int error = m_mpi.post(to, tag, piece.bytes.data(), length, tracked ? 1 : 0, ticket))
            endAfter("send", error);
    }

    std::optional<Piece> take(std::uint16_t tag) override
    {
        int come = 0, from = 0, length = 0;
        if (const int error = m_mpi.probe(tag, &come, &from, &length)) endAfter("probe", error);
        if (come == 0) return {};
        Piece piece{from, tag, Payload(static_cast<std::size_t>(length))};
        if (const int error = m_mpi.take(piece.bytes.data(), length)) endAfter("receive", error);
        return piece;
    }

    std::vector<Landed> landed() override
    {
        if (!m_underWay.empty()) collect();
        return std::exchange(m_landed, {});
    }

    // The processes may share processors.
    void rest(std::chrono::microseconds longest, WakeOn /*wakeOn*/) override
    {
        if (longest.count() == 0) std::this_thread::yield();
        else std::this_thread::sleep_for(longest);
    }

private:
    struct UnderWay {
        Landed end;
        Payload bytes;
        bool tracked = false;
    };

    void collect()
    {
        std::array<unsigned long long, 64> tickets{};
        int count = 0;
        if (const int error = m_mpi.finished(tickets.data(), static_cast<int>(tickets.size()), &count))
            endAfter("test", error);
        for (int i = 0; i < count; ++i) {
            const auto found = m_underWay.find(tickets[static_cast<std::size_t>(i)]);
            if (found->second.tracked) m_landed.push_back(found->second.end);
            m_underWay.erase(found);
        }
    }

    const lp_transport& m_mpi;
    int m_process;
    int m_processes;
    unsigned long long m_nextTicket = 0;
    std::unordered_map<unsigned long long, UnderWay> m_underWay;
    std::vector<Landed> m_landed;
};

// The libraries that are built with Longpole name no MPI: theirs is loaded before them, if it can be found.
void loadMpiOf(const QString& path)
{
    const QString mpi = QFileInfo(path).completeBaseName().section(QStringLiteral("longpole-transport-"), 1);
    const auto load = [](std::initializer_list<const char*> names) {
        return std::any_of(names.begin(), names.end(),
                           [](const char* name) { return dlopen(name, RTLD_NOW | RTLD_GLOBAL) != nullptr; });
    };
    if (mpi == QLatin1String("openmpi")) load({"libmpi.so.40", "libmpi.so"});
    else if (mpi == QLatin1String("mpich")) load({"libmpich.so.12", "libmpi.so.12", "libmpich.so", "libmpi.so"});
}

QString hintToBuild()
{
    return tr(
        "Make one for the MPI that starts the program: longpole-mpi --transport-source > transport.c && mpicc "
        "-shared -fPIC -O2 -o transport.so transport.c, then give --transport transport.so.");
}

}  // namespace

MpiEnvironment mpiEnvironment()
{
    // PMIX_RANK alone may be anybody's; Open MPI's own variables say more.
    if (qEnvironmentVariableIsSet("OMPI_COMM_WORLD_SIZE"))
        return {QStringLiteral("openmpi"), numberFromEnvironment("OMPI_COMM_WORLD_SIZE", 0),
                numberFromEnvironment("OMPI_COMM_WORLD_RANK", -1)};
    if (qEnvironmentVariableIsSet("PMI_SIZE"))
        return {QStringLiteral("mpich"), numberFromEnvironment("PMI_SIZE", 0), numberFromEnvironment("PMI_RANK", -1)};
    if (qEnvironmentVariableIsSet("PMIX_RANK"))
        return {QStringLiteral("openmpi"), numberFromEnvironment("SLURM_NTASKS", 0),
                numberFromEnvironment("PMIX_RANK", -1)};
    return {{}, numberFromEnvironment("SLURM_NTASKS", 0), numberFromEnvironment("SLURM_PROCID", -1)};
}

QString transportLibrary(const QString& mpi)
{
    const QString here = QCoreApplication::applicationDirPath();
    const QString name = QStringLiteral("/liblongpole-transport-%1.so").arg(mpi);
    for (const QString& place : {QString(here + QStringLiteral("/../distributed/transport")),
                                 QString(here + QStringLiteral("/../lib/longpole")), here})
        if (QFileInfo::exists(place + name)) return QFileInfo(place + name).canonicalFilePath();
    return {};
}

QByteArray transportSource()
{
    QFile file(QStringLiteral(":/transport/transport.c"));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

Result<std::unique_ptr<Wire>> startMpi(const QString& path, const MpiEnvironment& launch)
{
    loadMpiOf(path);
    // Open MPI loads parts of itself, which look for its names among those of the program.
    void* const library = dlopen(path.toLocal8Bit().constData(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
        const char* const why = dlerror();  // NOLINT(concurrency-mt-unsafe): no other thread has begun
        return Error{.what = tr("The transport library cannot be loaded: %1.").arg(QString::fromLocal8Bit(why)),
                     .where = path,
                     .hint = hintToBuild()};
    }
    using Functions = const lp_transport* (*)();
    const auto functions = reinterpret_cast<Functions>(dlsym(library, "longpole_transport"));
    const lp_transport* const mpi = functions ? functions() : nullptr;
    if (mpi == nullptr || mpi->version != LP_TRANSPORT_VERSION)
        return Error{.what = tr("This is no transport library, or one for another version of Longpole."),
                     .where = path,
                     .hint = hintToBuild()};
    int process = 0;
    int processes = 1;
    startedMpi = mpi;
    if (const int error = mpi->start(nullptr, nullptr, &process, &processes); error != 0)
        return Error{.what = tr("MPI could not be started (%1).").arg(error), .where = path, .hint = {}};
    if (processes == 1 && launch.processes > 1)
        return Error{.what = tr("%1 processes were started, and each believes to be alone: the transport library "
                                "belongs to another MPI (%2).")
                                 .arg(QString::number(launch.processes), QLatin1String(mpi->mpi)),
                     .where = path,
                     .hint = hintToBuild()};
    return std::unique_ptr<Wire>(std::make_unique<MpiWire>(*mpi, process, processes));
}

QString mpiDescription() { return startedMpi ? QString::fromLocal8Bit(startedMpi->description()) : QString(); }

void finishMpi()
{
    if (startedMpi != nullptr) startedMpi->finish();
}

void stopMpi(int exitCode)
{
    if (startedMpi != nullptr) startedMpi->stop(exitCode);
    std::_Exit(exitCode);
}

}  // namespace longpole
