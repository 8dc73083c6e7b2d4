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

namespace longpole {
namespace {

constexpr std::uint64_t batch = 1 << 16;  // events between two looks at whether to stop

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

class Otf2Source final : public MpiSource {
public:
    Otf2Source(Otf2Archive archive, Otf2Run run, ImportLog log)
        : m_archive(std::move(archive)), m_run(std::move(run)), m_log(std::move(log))
    {
    }
    const MpiRunNames& names() const override { return m_run.names; }
    const ImportLog& log() const override { return m_log; }
    Result<> read(std::size_t location, MpiEvents& events, ImportLog& log, const Progress& progress) override;

private:
    std::vector<Otf2Completion> completionsOf(std::uint64_t location, const Progress& progress) const;

    Otf2Archive m_archive;
    Otf2Run m_run;
    ImportLog m_log;
};

Result<> Otf2Source::read(std::size_t location, MpiEvents& events, ImportLog& log, const Progress& progress)
{
    if (!m_run.names.locations[location].hasEvents) return Unit{};
    const std::uint64_t id = m_run.locations[location].id;
    const QString file = QDir(QFileInfo(m_archive.anchor).absolutePath()).relativeFilePath(m_archive.eventsOf(id));
    Otf2Events handler(m_run, location, events, file, [&] { return completionsOf(id, progress); });
    Result<Otf2LocationReader> reader = Otf2LocationReader::open(m_archive, id);
    if (!reader) {
        log.addAt(IssueKind::UnreadableLog, file);
        return Unit{};
    }
    Otf2EventCallbacks callbacks(OTF2_EvtReaderCallbacks_New());
    setOtf2Callbacks(callbacks.get());
    reader->setCallbacks(*callbacks, &handler);
    const std::uint64_t expected = m_run.locations[location].events;
    auto end = Otf2LocationReader::End::More;
    while (end == Otf2LocationReader::End::More) {
        if (progress.isCancelled()) return cancelledError();
        end = reader->read(batch);
        progress.report(static_cast<double>(reader->events())
                        / static_cast<double>(std::max<std::uint64_t>(expected, 1)));
    }
    const bool isShort = end == Otf2LocationReader::End::Whole && reader->events() < expected;
    if (end == Otf2LocationReader::End::Damaged || isShort) handler.damaged();
    handler.finish(log);
    return Unit{};
}

std::vector<Otf2Completion> Otf2Source::completionsOf(std::uint64_t location, const Progress& progress) const
{
    std::vector<Otf2Completion> completions;
    Result<Otf2LocationReader> reader = Otf2LocationReader::open(m_archive, location);
    if (!reader) return completions;
    Otf2EventCallbacks callbacks(OTF2_EvtReaderCallbacks_New());
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(callbacks.get(), onCompletion);
    reader->setCallbacks(*callbacks, &completions);
    while (!progress.isCancelled() && reader->read(batch) == Otf2LocationReader::End::More) {}
    return completions;
}

}  // namespace

Result<std::unique_ptr<MpiSource>> openOtf2Source(const QString& path, unsigned threads, const Progress& progress)
{
    Result<Otf2Archive> archive = findOtf2Archive(path);
    if (!archive) return archive.error();
    const Result<QString> fingerprint = fingerprintOtf2(path, progress);
    if (!fingerprint) return fingerprint.error();
    const Result<Otf2Definitions> definitions = readOtf2Definitions(*archive);
    if (!definitions) return definitions.error();
    ImportLog log(QFileInfo(archive->anchor).fileName());
    if (!definitions->isWhole) log.addAt(IssueKind::MissingDefinitions, archive->definitions);
    Result<Otf2Run> run = resolveOtf2(*definitions, *archive);
    if (!run) return run.error();
    if (Result<> surveyed = surveyOtf2(*archive, *definitions, *run, log, threads, progress); !surveyed)
        return surveyed.error();
    run->names.info.fingerprint = *fingerprint;
    return std::unique_ptr<MpiSource>(std::make_unique<Otf2Source>(std::move(*archive), std::move(*run),
                                                                   std::move(log)));
}

}  // namespace longpole
