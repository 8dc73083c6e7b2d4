// SPDX-License-Identifier: GPL-3.0-or-later
// An OTF2 archive as a source of MPI events, one location at a time with a library reader of its own.
#include "importers/otf2/source.h"

#include "importers/otf2/archive.h"
#include "importers/otf2/events.h"
#include "importers/otf2/reader.h"
#include "importers/otf2/survey.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace longpole {
namespace {

constexpr std::uint64_t batch = 1 << 16;  // events between two looks at whether to stop
constexpr std::size_t mostOpen = 256;     // files that are open while they are read in parts

OTF2_CallbackCode onCompletion(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, OTF2_AttributeList*,
                               OTF2_CollectiveOp operation, OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent,
                               std::uint64_t received, std::uint64_t request)
{
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max() / 2;
    const MpiMoved counted{static_cast<std::int64_t>(std::min(sent, most)),
                           static_cast<std::int64_t>(std::min(received, most))};
    static_cast<std::vector<Otf2Completion>*>(user)->push_back({request, operation, comm, root, counted});
    return OTF2_CALLBACK_SUCCESS;
}

// In time order; for handlers, when the first non-blocking collective starts.
std::vector<Otf2Completion> completionsOf(const Otf2Archive& archive, std::uint64_t location, const Progress& progress)
{
    std::vector<Otf2Completion> completions;
    Result<Otf2LocationReader> reader = Otf2LocationReader::open(archive, location);
    if (!reader) return completions;
    Otf2EventCallbacks callbacks(OTF2_EvtReaderCallbacks_New());
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(callbacks.get(), onCompletion);
    reader->setCallbacks(*callbacks, &completions);
    while (!progress.isCancelled() && reader->read(batch) == Otf2LocationReader::End::More) {}
    return completions;
}

class Otf2Reading final : public MpiReading {
public:
    Otf2Reading(const Otf2Archive& archive, const Otf2Run& run, std::size_t location, MpiEvents& events, ImportLog& log)
        : m_archive(archive), m_location(run.locations[location]),
          m_file(QDir(QFileInfo(archive.anchor).absolutePath()).relativeFilePath(archive.eventsOf(m_location.id))),
          m_log(log), m_handler(run, location, events, m_file,
                                [this] { return completionsOf(m_archive, m_location.id, *m_progress); })
    {
    }

    Result<bool> readOn(const Progress& progress) override
    {
        m_progress = &progress;
        if (!m_reader && !open()) return false;
        auto end = Otf2LocationReader::End::More;
        while (end == Otf2LocationReader::End::More) {
            if (progress.isCancelled()) return cancelledError();
            end = m_reader->read(batch);
            progress.report(static_cast<double>(m_reader->events())
                            / static_cast<double>(std::max<std::uint64_t>(m_location.events, 1)));
        }
        if (end == Otf2LocationReader::End::Interrupted && !m_handler.isRepeating()) return true;
        const bool isShort = end == Otf2LocationReader::End::Whole && m_reader->events() < m_location.events;
        if (end == Otf2LocationReader::End::Damaged || isShort || m_handler.isRepeating()) m_handler.damaged();
        m_handler.finish(m_log);
        return false;
    }

private:
    bool open()
    {
        Result<Otf2LocationReader> reader = Otf2LocationReader::open(m_archive, m_location.id);
        if (!reader) {
            m_log.addAt(IssueKind::UnreadableLog, m_file);
            return false;
        }
        m_reader.emplace(std::move(*reader));
        const Otf2EventCallbacks callbacks(OTF2_EvtReaderCallbacks_New());
        setOtf2Callbacks(callbacks.get());
        m_reader->setCallbacks(*callbacks, &m_handler);
        if (m_reader->isCut()) m_handler.setCut();
        return true;
    }

    const Otf2Archive& m_archive;
    const Otf2Location& m_location;
    const QString m_file;
    ImportLog& m_log;
    const Progress* m_progress = nullptr;
    Otf2Events m_handler;
    std::optional<Otf2LocationReader> m_reader;
};

class Otf2Source final : public MpiSource {
public:
    Otf2Source(Otf2Archive archive, Otf2Run run, ImportLog log)
        : m_archive(std::move(archive)), m_run(std::move(run)), m_log(std::move(log))
    {
    }
    const MpiRunNames& names() const override { return m_run.names; }
    const ImportLog& log() const override { return m_log; }
    Result<> read(std::size_t location, MpiEvents& events, ImportLog& log, const Progress& progress) override
    {
        if (!m_run.names.locations[location].hasEvents) return Unit{};
        Otf2Reading reading(m_archive, m_run, location, events, log);
        Result<bool> hasMore = true;
        while (hasMore && *hasMore) hasMore = reading.readOn(progress);
        return hasMore ? Result<>(Unit{}) : hasMore.error();
    }
    std::unique_ptr<MpiReading> begin(std::size_t location, MpiEvents& events, ImportLog& log) override
    {
        return std::make_unique<Otf2Reading>(m_archive, m_run, location, events, log);
    }
    std::int64_t expectedCalls() const override
    {
        if (m_run.locations.size() > mostOpen) return 0;
        constexpr std::uint64_t eventsOfCall = 3;  // its region's, and what is between
        constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max() / mostOpen;
        std::uint64_t calls = 0;
        for (const Otf2Location& location : m_run.locations) calls += std::min(location.events / eventsOfCall, most);
        return static_cast<std::int64_t>(calls);
    }

private:
    Otf2Archive m_archive;
    Otf2Run m_run;
    ImportLog m_log;
};

}  // namespace

Result<std::unique_ptr<MpiSource>> openOtf2Source(const QString& path, unsigned threads, const Progress& progress)
{
    Result<Otf2Archive> archive = findOtf2Archive(path);
    if (!archive) return archive.error();
    const Result<QString> fingerprint = fingerprintOtf2(path, FingerprintOf::Content, progress);
    if (!fingerprint) return fingerprint.error();
    const Result<Otf2Definitions> definitions = readOtf2Definitions(*archive, progress);
    if (!definitions) return definitions.error();
    ImportLog log(QFileInfo(archive->anchor).fileName());
    if (!definitions->isWhole) log.addAt(IssueKind::MissingDefinitions, archive->definitions);
    Result<Otf2Run> run = resolveOtf2(*definitions, *archive, progress);
    if (!run) return run.error();
    if (Result<> surveyed = surveyOtf2(*archive, *definitions, *run, log, threads, progress); !surveyed)
        return surveyed.error();
    run->names.info.fingerprint = *fingerprint;
    return std::unique_ptr<MpiSource>(std::make_unique<Otf2Source>(std::move(*archive), std::move(*run),
                                                                   std::move(log)));
}

}  // namespace longpole
