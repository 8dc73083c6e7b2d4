// SPDX-License-Identifier: GPL-3.0-or-later
// Opens every location once, and reads each file only as far as its first enter may still be the run's first.
#include "importers/otf2/survey.h"

#include "core/base/limits.h"
#include "core/base/mayneverend.h"
#include "core/base/parallel.h"
#include "core/base/translate.h"
#include "importers/otf2/reader.h"

#include <QFileInfo>

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>

namespace longpole {
namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

struct Finding {
    std::optional<IssueKind> issue;  // of the events' file
    bool lacksDefinitions = false;
    bool hasDamagedDefinitions = false;
    std::uint64_t firstRecord = never;
    std::uint64_t firstEnter = never;
    OTF2_StringRef program = OTF2_UNDEFINED_STRING;
    std::vector<OTF2_StringRef> arguments;
};

struct Look {
    Finding finding;
    std::atomic<std::uint64_t>* earliest = nullptr;  // enter that any location found so far

    OTF2_CallbackCode see(std::uint64_t time, bool isEnter)
    {
        finding.firstRecord = std::min(finding.firstRecord, time);
        if (isEnter) finding.firstEnter = time;
        return isEnter || time >= earliest->load(std::memory_order_relaxed) ? OTF2_CALLBACK_INTERRUPT
                                                                            : OTF2_CALLBACK_SUCCESS;
    }
};

template <bool isEnter, typename... Content>
void onAny(OTF2_EvtReaderCallbacks* callbacks,
           OTF2_ErrorCode (*set)(OTF2_EvtReaderCallbacks*,
                                 OTF2_CallbackCode (*)(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void*,
                                                       OTF2_AttributeList*, Content...)))
{
    set(callbacks, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList*,
                      Content...) { return static_cast<Look*>(user)->see(time, isEnter); });
}

OTF2_CallbackCode onProgramBegin(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList*,
                                 OTF2_StringRef name, std::uint32_t count, const OTF2_StringRef* arguments)
{
    auto& look = *static_cast<Look*>(user);
    look.finding.program = name;
    look.finding.arguments.assign(arguments, arguments + count);
    return look.see(time, false);
}

// Kinds of records that may come before the first enter; any other ends the search.
Otf2EventCallbacks surveyCallbacks()
{
    Otf2EventCallbacks callbacks(OTF2_EvtReaderCallbacks_New());
    OTF2_EvtReaderCallbacks* to = callbacks.get();
    onAny<true>(to, OTF2_EvtReaderCallbacks_SetEnterCallback);
    onAny<true>(to, OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback);
    onAny<true>(to, OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback);
    onAny<false>(to, OTF2_EvtReaderCallbacks_SetLeaveCallback);
    onAny<false>(to, OTF2_EvtReaderCallbacks_SetMetricCallback);
    onAny<false>(to, OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback);
    onAny<false>(to, OTF2_EvtReaderCallbacks_SetBufferFlushCallback);
    onAny<false>(to, OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback);
    onAny<false>(to, OTF2_EvtReaderCallbacks_SetThreadBeginCallback);
    onAny<false>(to, OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback);
    onAny<false>(to, OTF2_EvtReaderCallbacks_SetRmaPutCallback);
    onAny<false>(to, OTF2_EvtReaderCallbacks_SetRmaGetCallback);
    onAny<false>(to, OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback);
    onAny<false>(to, OTF2_EvtReaderCallbacks_SetMpiSendCallback);
    onAny<false>(to, OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback);
    OTF2_EvtReaderCallbacks_SetProgramBeginCallback(to, onProgramBegin);
    return callbacks;
}

Finding lookAt(const Otf2Archive& archive, const Otf2Location& location, std::atomic<std::uint64_t>& earliest,
               const Progress& progress)
{
    constexpr std::uint64_t eventsAtOnce = 1 << 16;  // events between two looks at whether to stop
    Look look;
    look.earliest = &earliest;
    const QFileInfo file(archive.eventsOf(location.id));
    look.finding.lacksDefinitions = !QFileInfo(archive.definitionsOf(location.id)).isFile();
    if (!file.isFile() || mayNeverEnd(file.filePath())) {
        look.finding.issue = file.exists() ? IssueKind::UnreadableLog : IssueKind::MissingLog;
        return look.finding;
    }
    Result<Otf2LocationReader> reader = Otf2LocationReader::open(archive, location.id);
    if (!reader) {
        look.finding.issue = file.size() == 0 ? IssueKind::EmptyLog : IssueKind::UnreadableLog;
        return look.finding;
    }
    look.finding.hasDamagedDefinitions = !look.finding.lacksDefinitions && !reader->hasDefinitions();
    reader->setCallbacks(*surveyCallbacks(), &look);
    while (!progress.isCancelled() && reader->read(eventsAtOnce) == Otf2LocationReader::End::More) {}
    std::uint64_t known = earliest.load();
    while (look.finding.firstEnter < known && !earliest.compare_exchange_weak(known, look.finding.firstEnter)) {}
    return look.finding;
}

class Survey {
public:
    Survey(const Otf2Archive& archive, Otf2Run& run, ImportLog& log) : m_archive(archive), m_run(run), m_log(log) {}
    Result<> run(unsigned threads, const Progress& progress);
    void nameProgram(const Otf2Definitions& definitions);

private:
    void reportFiles();
    void setBegin();

    const Otf2Archive& m_archive;
    Otf2Run& m_run;
    ImportLog& m_log;
    std::vector<Finding> m_findings;
};

Result<> Survey::run(unsigned threads, const Progress& progress)
{
    const std::size_t count = m_run.locations.size();
    m_findings.resize(count);
    std::atomic<std::uint64_t> earliest{never};
    parallelFor(
        count,
        [&](std::size_t i) {
            if (progress.isCancelled()) return;
            if (m_run.locations[i].isDefined) m_findings[i] = lookAt(m_archive, m_run.locations[i], earliest, progress);
            else m_findings[i].issue = IssueKind::MissingLog;
        },
        threads);
    if (progress.isCancelled()) return cancelledError();
    reportFiles();
    const auto& locations = m_run.names.locations;
    const auto readable = std::count_if(locations.begin(), locations.end(), [](const auto& l) { return l.hasEvents; });
    if (readable == 0) {
        return Error{.what = tr("None of the files of events (<location>.evt) of this OTF2 archive's %1 locations can "
                                "be read.")
                                 .arg(count),
                     .where = m_archive.folder,
                     .hint = tr("Copy the whole archive: the anchor, the .def beside it, and the folder.")};
    }
    setBegin();
    return Unit{};
}

// Some writers make no file for a location without events; that is no error.
void Survey::reportFiles()
{
    const bool hasDefinitions = std::any_of(m_findings.begin(), m_findings.end(),
                                            [](const Finding& finding) { return !finding.lacksDefinitions; });
    for (std::size_t i = 0; i < m_findings.size(); ++i) {
        const Otf2Location& location = m_run.locations[i];
        const Finding& finding = m_findings[i];
        m_run.names.locations[i].hasEvents = !finding.issue;
        const QString row = m_run.names.locations[i].name;
        if (finding.issue && (location.events > 0 || finding.issue != IssueKind::MissingLog))
            m_log.addAt(*finding.issue, QStringLiteral("%1 (%2)").arg(m_archive.eventsOf(location.id), row));
        if (!finding.issue && (finding.hasDamagedDefinitions || (finding.lacksDefinitions && hasDefinitions)))
            m_log.addAt(IssueKind::MissingDefinitions, m_archive.definitionsOf(location.id));
    }
}

void Survey::setBegin()
{
    std::uint64_t enter = never;
    std::uint64_t record = never;
    for (const Finding& finding : m_findings) {
        enter = std::min(enter, finding.firstEnter);
        record = std::min(record, std::min(finding.firstRecord, finding.firstEnter));
    }
    const std::uint64_t begin = enter != never ? enter : record;
    m_run.names.info.begin = begin == never ? 0 : m_run.clock.toNs(begin);
}

void Survey::nameProgram(const Otf2Definitions& definitions)
{
    const auto named = std::find_if(m_findings.begin(), m_findings.end(), [&](const Finding& finding) {
        return !definitions.text(finding.program).isEmpty();
    });
    if (named == m_findings.end()) return;
    const QString program = definitions.text(named->program);
    QStringList line(program);
    qsizetype length = program.size();
    for (const OTF2_StringRef argument : named->arguments) {
        line += definitions.text(argument);
        length += 1 + line.back().size();
        if (length > limits::commandLine.free) break;  // each may name the same long text
    }
    m_run.names.info.program = QFileInfo(program).fileName();
    m_run.names.info.commandline = line.join(u' ').left(limits::commandLine.free);
}

}  // namespace

Result<> surveyOtf2(const Otf2Archive& archive, const Otf2Definitions& definitions, Otf2Run& run, ImportLog& log,
                    unsigned threads, const Progress& progress)
{
    Survey survey(archive, run, log);
    if (Result<> surveyed = survey.run(threads, progress); !surveyed) return surveyed.error();
    survey.nameProgram(definitions);
    return Unit{};
}

}  // namespace longpole
