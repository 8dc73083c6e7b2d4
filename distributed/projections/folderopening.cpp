// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/projections/folderopening.h"

#include "core/base/translate.h"
#include "distributed/exchange/pack.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace longpole {
namespace {

// What each process makes the same names and numbers of. The folder is listed once: ten thousand processes that list it
// would bring a file system down.
struct FoundFolder {
    ProjectionsFiles files;
    QByteArray symbols;  // what is in the .sts
};

void put(Packer& packer, const FoundFolder& found)
{
    packer.put(found.files.folder);
    packer.put(found.files.base);
    packer.put(found.files.symbols);
    packer.put(found.files.merges);
    packer.put(static_cast<std::uint64_t>(found.files.logs.size()));
    for (const ProjectionsFiles::Log& log : found.files.logs) {
        packer.put(log.pe);
        packer.put(log.path);
        packer.put(log.bytes);
    }
    packer.put(found.symbols);
}

FoundFolder foundFrom(Unpacker& unpacker)
{
    FoundFolder found;
    found.files.folder = unpacker.text();
    found.files.base = unpacker.text();
    found.files.symbols = unpacker.text();
    found.files.merges = unpacker.text();
    for (std::size_t left = unpacker.count(1); left > 0 && unpacker.isWhole(); --left) {
        ProjectionsFiles::Log& log = found.files.logs.emplace_back();
        log.pe = unpacker.value<std::uint64_t>();
        log.path = unpacker.text();
        log.bytes = unpacker.value<std::int64_t>();
    }
    found.symbols = unpacker.bytes();
    const auto isNotAfter = [](const ProjectionsFiles::Log& a, const ProjectionsFiles::Log& b) { return a.pe >= b.pe; };
    const std::vector<ProjectionsFiles::Log>& logs = found.files.logs;
    if (std::adjacent_find(logs.begin(), logs.end(), isNotAfter) != logs.end()) unpacker.refuse();
    return found;
}

// At process 0: the run as the importer opens it, and in `packer` what the others need.
Result<OpenedProjections> openAtRoot(const QString& path, Packer& packer, const Progress& progress)
{
    Result<ProjectionsFiles> files = findProjectionsRun(path);
    if (!files) return files.error();
    const Result<QByteArray> symbols = symbolsTextOf(*files);
    if (!symbols) return symbols.error();
    put(packer, FoundFolder{*files, *symbols});
    return openProjections(std::move(*files), *symbols, QString(), progress);
}

Hosting hostingOf(const OpenedProjections& opened, int processes)
{
    std::vector<std::uint64_t> bytes(static_cast<std::size_t>(opened.run.processors), 0);
    for (std::size_t log = 0; log < opened.pes.size(); ++log)
        bytes[opened.pes[log]] = static_cast<std::uint64_t>(std::max<std::int64_t>(opened.files.logs[log].bytes, 0));
    return Hosting::balanced(bytes, processes);
}

}  // namespace

Result<HostedFolder> openFolder(Transport& transport, const QString& path, const Progress& progress)
{
    Packer packer;
    std::optional<OpenedProjections> opened;
    if (transport.isRoot()) {
        Result<OpenedProjections> own = openAtRoot(path, packer, progress);
        if (own) opened = std::move(*own);
        else transport.fail(own.error());
    }
    const Payload told = transport.broadcast(packer.take());
    if (transport.failed()) return transport.failure();
    if (!transport.isRoot()) {
        Unpacker unpacker(told);
        FoundFolder found = foundFrom(unpacker);
        const QString merges = std::exchange(found.files.merges, QString());  // process 0 reads them
        Result<OpenedProjections> same = openProjections(std::move(found.files), found.symbols, QString());
        if (same) opened = std::move(*same);
        if (opened) opened->files.merges = merges;
        if (!unpacker.isWhole() || !same) {
            transport.fail(Error{tr("The list of the run's logs did not arrive whole."), path, QString()});
            return transport.failure();
        }
    }
    HostedFolder folder{.hosting = hostingOf(*opened, transport.processes()), .opened = std::move(*opened)};
    const std::vector<std::uint32_t>& pes = folder.opened.pes;
    const auto logFrom = [&pes](std::uint32_t pe) {
        return static_cast<std::size_t>(std::lower_bound(pes.begin(), pes.end(), pe) - pes.begin());
    };
    folder.firstLog = logFrom(folder.hosting.first(transport.process()));
    folder.lastLog = logFrom(folder.hosting.last(transport.process()));
    return folder;
}

}  // namespace longpole
