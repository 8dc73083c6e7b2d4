// SPDX-License-Identifier: GPL-3.0-or-later
// Resolves the regions of an OTF2 archive: their kinds, by paradigm, role and name.
#include "core/base/demangle.h"
#include "core/base/limits.h"
#include "importers/mpi/callkind.h"
#include "importers/otf2/resolve.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

namespace longpole {
namespace {

struct ParadigmSpec {
    OTF2_Paradigm paradigm;
    const char* name;
    MpiRegionKind kind;
};

constexpr std::array paradigms = {
    ParadigmSpec{OTF2_PARADIGM_USER, "User", MpiRegionKind::User},
    ParadigmSpec{OTF2_PARADIGM_COMPILER, "Functions", MpiRegionKind::User},
    ParadigmSpec{OTF2_PARADIGM_OPENMP, "OpenMP", MpiRegionKind::Runtime},
    ParadigmSpec{OTF2_PARADIGM_MPI, "MPI", MpiRegionKind::Mpi},
    ParadigmSpec{OTF2_PARADIGM_CUDA, "CUDA", MpiRegionKind::Runtime},
    ParadigmSpec{OTF2_PARADIGM_MEASUREMENT_SYSTEM, "Measurement", MpiRegionKind::Measurement},
    ParadigmSpec{OTF2_PARADIGM_PTHREAD, "POSIX threads", MpiRegionKind::Runtime},
    ParadigmSpec{OTF2_PARADIGM_HMPP, "HMPP", MpiRegionKind::Runtime},
    ParadigmSpec{OTF2_PARADIGM_OMPSS, "OmpSs", MpiRegionKind::Runtime},
    ParadigmSpec{OTF2_PARADIGM_HARDWARE, "Hardware", MpiRegionKind::Runtime},
    ParadigmSpec{OTF2_PARADIGM_GASPI, "GASPI", MpiRegionKind::Runtime},
    ParadigmSpec{OTF2_PARADIGM_UPC, "UPC", MpiRegionKind::Runtime},
    ParadigmSpec{OTF2_PARADIGM_SHMEM, "SHMEM", MpiRegionKind::Runtime},
    ParadigmSpec{OTF2_PARADIGM_WINTHREAD, "Windows threads", MpiRegionKind::Runtime},
    ParadigmSpec{OTF2_PARADIGM_QTTHREAD, "Qt threads", MpiRegionKind::Runtime},
    ParadigmSpec{OTF2_PARADIGM_ACETHREAD, "ACE threads", MpiRegionKind::Runtime},
    ParadigmSpec{OTF2_PARADIGM_TBBTHREAD, "TBB", MpiRegionKind::Runtime},
    ParadigmSpec{OTF2_PARADIGM_OPENACC, "OpenACC", MpiRegionKind::Runtime},
    ParadigmSpec{OTF2_PARADIGM_OPENCL, "OpenCL", MpiRegionKind::Runtime},
    ParadigmSpec{OTF2_PARADIGM_MTAPI, "MTAPI", MpiRegionKind::Runtime},
    ParadigmSpec{OTF2_PARADIGM_SAMPLING, "Samples", MpiRegionKind::User},
    ParadigmSpec{OTF2_PARADIGM_HIP, "HIP", MpiRegionKind::Runtime},
    ParadigmSpec{OTF2_PARADIGM_KOKKOS, "Kokkos", MpiRegionKind::User},
};

const ParadigmSpec* specOf(OTF2_Paradigm paradigm)
{
    for (const ParadigmSpec& spec : paradigms) {
        if (spec.paradigm == paradigm) return &spec;
    }
    return nullptr;
}

// Whether a construct of OpenMP runs the program's own code, unlike its barriers, locks and calls.
bool isBodyOfOpenMp(OTF2_RegionRole role)
{
    switch (role) {
    case OTF2_REGION_ROLE_PARALLEL:
    case OTF2_REGION_ROLE_LOOP:
    case OTF2_REGION_ROLE_CODE:
    case OTF2_REGION_ROLE_SECTIONS:
    case OTF2_REGION_ROLE_SECTION:
    case OTF2_REGION_ROLE_WORKSHARE:
    case OTF2_REGION_ROLE_SINGLE_SBLOCK:
    case OTF2_REGION_ROLE_MASTER:
    case OTF2_REGION_ROLE_CRITICAL_SBLOCK:
    case OTF2_REGION_ROLE_ORDERED_SBLOCK:
    case OTF2_REGION_ROLE_TASK:
    case OTF2_REGION_ROLE_TASK_UNTIED: return true;
    default: return false;
    }
}

bool isOmp(const Otf2Definitions::Region& region, const QString& name)
{
    return region.paradigm == OTF2_PARADIGM_OPENMP || name.startsWith(QLatin1String("!$omp "));
}

// The calls of device libraries that return when what was started before is done.
constexpr std::array deviceSyncs = {"cuCtxSynchronize",
                                    "cuStreamSynchronize",
                                    "cuEventSynchronize",
                                    "cudaDeviceSynchronize",
                                    "cudaStreamSynchronize",
                                    "cudaEventSynchronize",
                                    "cudaThreadSynchronize",
                                    "hipDeviceSynchronize",
                                    "hipStreamSynchronize",
                                    "hipEventSynchronize",
                                    "clFinish",
                                    "clWaitForEvents"};

MpiSyncKind syncOf(const Otf2Definitions::Region& region, const QString& name)
{
    const bool isBarrier = region.role == OTF2_REGION_ROLE_BARRIER || region.role == OTF2_REGION_ROLE_IMPLICIT_BARRIER;
    if (isBarrier && isOmp(region, name) && name.contains(QLatin1String("barrier"), Qt::CaseInsensitive))
        return MpiSyncKind::Barrier;
    const auto isNamed = [&name](const char* call) { return name == QLatin1String(call); };
    if (std::any_of(deviceSyncs.begin(), deviceSyncs.end(), isNamed)) return MpiSyncKind::Device;
    const bool isWait = region.role == OTF2_REGION_ROLE_TASK_WAIT && region.paradigm == OTF2_PARADIGM_OPENACC;
    return isWait ? MpiSyncKind::Device : MpiSyncKind::None;
}

// Some writers know no paradigm; then the name decides.
MpiRegionKind kindOf(const Otf2Definitions::Region& region, const QString& name)
{
    const ParadigmSpec* spec = specOf(region.paradigm);
    const MpiRegionKind kind = spec == nullptr ? MpiRegionKind::User : spec->kind;
    if (kind == MpiRegionKind::Mpi) return kind;
    if (syncOf(region, name) == MpiSyncKind::Barrier) return MpiRegionKind::Runtime;
    if (region.role == OTF2_REGION_ROLE_ARTIFICIAL) return MpiRegionKind::Measurement;
    if (kind == MpiRegionKind::User && isMpiName(name.toUtf8())) return MpiRegionKind::Mpi;
    if (region.paradigm == OTF2_PARADIGM_OPENMP && isBodyOfOpenMp(region.role)) return MpiRegionKind::User;
    return kind;
}

// What regions are called. Each text is worked on once: many regions may name one, which may be long.
class RegionTexts {
public:
    explicit RegionTexts(const Otf2Definitions& definitions) : m_definitions(definitions) { beginDemangling(); }

    // The name, demangled if the recorder left a C++ function's name mangled, as far as anybody tells names apart.
    QString readable(OTF2_StringRef name)
    {
        constexpr qsizetype longest = 16 * limits::nameLength.free;
        return once(m_readable, name, [&] {
            const QString text = m_definitions.text(name);
            if (!text.startsWith(QLatin1String("_Z"))) return text.left(longest);
            return QString::fromUtf8(demangled(text.toUtf8())).left(longest);
        });
    }

    // Of an MPI call, which TAU writes as "MPI_Send()".
    QString call(OTF2_StringRef name)
    {
        return once(m_calls, name, [&] {
            const QString text = readable(name);
            return otf2Name(text.endsWith(QLatin1String("()")) ? text.chopped(2) : text);
        });
    }

    // "solver.c" of "/home/me/solver.c".
    QString file(OTF2_StringRef path)
    {
        return once(m_files, path, [&] {
            return otf2Name(m_definitions.text(path).section(u'/', -1, -1, QString::SectionSkipEmpty));
        });
    }

private:
    using Texts = std::map<OTF2_StringRef, QString>;

    template <typename Make>
    static QString once(Texts& known, OTF2_StringRef string, const Make& make)
    {
        const auto [place, isNew] = known.try_emplace(string);
        if (isNew) place->second = make();
        return place->second;
    }

    const Otf2Definitions& m_definitions;
    Texts m_readable;
    Texts m_calls;
    Texts m_files;
};

// The name of the source file, else the paradigm.
QString groupOf(const Otf2Definitions::Region& region, const QString& path, RegionTexts& texts)
{
    const bool isKnown = !path.isEmpty() && !path.startsWith(u'<');  // "<unknown source file>"
    if (isKnown) return texts.file(region.file);
    const ParadigmSpec* spec = specOf(region.paradigm);
    return QString::fromLatin1(spec == nullptr ? "Other" : spec->name);
}

// As much of a name as tells what it is: that of a function may be long, and of many regions.
QString beginning(const QString& name) { return name.left(limits::nameLength.free); }

Otf2Region traitsOf(const MpiRegion& region)
{
    QString plain = beginning(region.name).toLower();
    while (plain.endsWith(u'_')) plain.chop(1);  // Fortran's
    const auto isNamed = [&plain](QLatin1String call) { return plain.contains(QString(QLatin1String("mpi_") + call)); };
    Otf2Region traits;
    traits.isMpi = region.kind == MpiRegionKind::Mpi;
    traits.isSynchronous = traits.isMpi && (isNamed(QLatin1String("ssend")) || isNamed(QLatin1String("issend")));
    traits.isLifetime = traits.isMpi
                        && (plain == QLatin1String("mpi_init") || plain == QLatin1String("mpi_finalize")
                            || plain == QLatin1String("mpi_init_thread"));
    traits.isImplicitTask = plain == QLatin1String("!$omp implicit_task")
                            || plain == QLatin1String("!$omp implicit task");
    return traits;
}

std::uint32_t addRegion(Otf2Run& run, MpiRegion region)
{
    const auto place = static_cast<std::uint32_t>(run.names.regions.size());
    run.regions.push_back(traitsOf(region));
    run.names.regions.push_back(std::move(region));
    return place;
}

std::uint32_t findOrAdd(Otf2Run& run, const QString& name, const QString& group, MpiRegionKind kind)
{
    for (std::uint32_t i = 0; i < run.names.regions.size(); ++i) {
        if (run.names.regions[i].name == name) return i;
    }
    return addRegion(run, {name, group, kind});
}

struct LoneCallName {
    int record;  // OTF2_CollectiveOp or Otf2LoneCall
    const char* name;
};

constexpr std::array loneCalls = {
    LoneCallName{int(Otf2LoneCall::Send), "MPI_Send"},
    LoneCallName{int(Otf2LoneCall::Receive), "MPI_Recv"},
    LoneCallName{int(Otf2LoneCall::Isend), "MPI_Isend"},
    LoneCallName{int(Otf2LoneCall::Irecv), "MPI_Irecv"},
    LoneCallName{int(Otf2LoneCall::Wait), "MPI_Wait"},
    LoneCallName{int(Otf2LoneCall::Nonblocking), "MPI_Icollective"},
    LoneCallName{OTF2_COLLECTIVE_OP_BARRIER, "MPI_Barrier"},
    LoneCallName{OTF2_COLLECTIVE_OP_BCAST, "MPI_Bcast"},
    LoneCallName{OTF2_COLLECTIVE_OP_GATHER, "MPI_Gather"},
    LoneCallName{OTF2_COLLECTIVE_OP_GATHERV, "MPI_Gatherv"},
    LoneCallName{OTF2_COLLECTIVE_OP_SCATTER, "MPI_Scatter"},
    LoneCallName{OTF2_COLLECTIVE_OP_SCATTERV, "MPI_Scatterv"},
    LoneCallName{OTF2_COLLECTIVE_OP_ALLGATHER, "MPI_Allgather"},
    LoneCallName{OTF2_COLLECTIVE_OP_ALLGATHERV, "MPI_Allgatherv"},
    LoneCallName{OTF2_COLLECTIVE_OP_ALLTOALL, "MPI_Alltoall"},
    LoneCallName{OTF2_COLLECTIVE_OP_ALLTOALLV, "MPI_Alltoallv"},
    LoneCallName{OTF2_COLLECTIVE_OP_ALLTOALLW, "MPI_Alltoallw"},
    LoneCallName{OTF2_COLLECTIVE_OP_ALLREDUCE, "MPI_Allreduce"},
    LoneCallName{OTF2_COLLECTIVE_OP_REDUCE, "MPI_Reduce"},
    LoneCallName{OTF2_COLLECTIVE_OP_REDUCE_SCATTER, "MPI_Reduce_scatter"},
    LoneCallName{OTF2_COLLECTIVE_OP_SCAN, "MPI_Scan"},
    LoneCallName{OTF2_COLLECTIVE_OP_EXSCAN, "MPI_Exscan"},
    LoneCallName{OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, "MPI_Reduce_scatter_block"},
};

void resolveContexts(const Otf2Definitions& definitions, Otf2Run& run)
{
    for (const Otf2Definitions::CallingContext& definition : definitions.contexts) {
        Otf2Context context;
        context.region = run.regionIndex[definition.region];
        context.parent = run.contextIndex[definition.parent];
        if (context.parent != otf2None) context.depth = run.contexts[context.parent].depth + 1;
        run.contextIndex.add(definition.id, static_cast<std::uint32_t>(run.contexts.size()));
        run.contexts.push_back(context);
    }
}

}  // namespace

void resolveOtf2Regions(const Otf2Definitions& definitions, Otf2Run& run)
{
    RegionTexts texts(definitions);
    for (const Otf2Definitions::Region& definition : definitions.regions) {
        const QString name = texts.readable(definition.name);
        QString shown = name.isEmpty() ? QStringLiteral("Region %1").arg(definition.id) : name;
        const QString group = groupOf(definition, definitions.text(definition.file), texts);
        const MpiRegionKind kind = kindOf(definition, beginning(shown));
        if (kind == MpiRegionKind::Mpi && !name.isEmpty()) shown = texts.call(definition.name);
        run.regionIndex.add(definition.id, addRegion(run, {shown, group, kind, syncOf(definition, beginning(name))}));
    }
    const QString recorder = QStringLiteral("Measurement");
    run.flushRegion = findOrAdd(run, QStringLiteral("TRACE BUFFER FLUSH"), recorder, MpiRegionKind::Measurement);
    run.names.regions[run.flushRegion].isOwnWork = true;
    run.offRegion = findOrAdd(run, QStringLiteral("MEASUREMENT OFF"), recorder, MpiRegionKind::Measurement);
    if (!run.names.communicators.empty()) {
        for (const LoneCallName& call : loneCalls) {
            const QString name = QString::fromLatin1(call.name);
            run.callRegions[call.record] = findOrAdd(run, name, QStringLiteral("MPI"), MpiRegionKind::Mpi);
        }
    }
    resolveContexts(definitions, run);
}

}  // namespace longpole
