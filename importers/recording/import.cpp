// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/recording/import.h"

#include "importers/common/fingerprint.h"
#include "importers/mpirows/inparts.h"
#include "importers/recording/growing.h"

namespace longpole {

bool probeRecording(const QString& path) { return looksLikeRecording(path); }

Result<QString> fingerprintRecording(const QString& path, FingerprintOf of)
{
    const Result<RecordingFiles> files = findRecording(path);
    if (!files) return files.error();
    return fingerprintOfFiles(files->folder, files->all(), of);
}

Result<ImportReport> importRecording(const QString& path, const QString& target, const ImportOptions& options,
                                     const Progress& progress)
{
    if (options.memory) {
        const std::unique_lock lock(options.memory->mutex, std::try_to_lock);
        if (lock.owns_lock()) {
            auto* kept = dynamic_cast<GrowingRecording*>(options.memory->kept.get());
            if (!kept) {
                auto made = std::make_unique<GrowingRecording>();
                kept = made.get();
                options.memory->kept = std::move(made);
            }
            return kept->import(path, target, options, progress);
        }
    }
    Result<std::unique_ptr<RecordingSource>> source = RecordingSource::open(path, options.threads, progress);
    if (!source) return source.error();
    return importMpiRunOfAnyLength(**source, target, options, progress);
}

extern const Importer recordingImporter;  // registry.cpp lists it
const Importer recordingImporter{
    .id = "recording",
    .title = QT_TRANSLATE_NOOP("longpole", "Recordings of MPI programs"),
    .patterns = "*.lprank *.lpindex",
    .reads = QT_TRANSLATE_NOOP(
        "longpole", "MPI calls, regions and what ranks waited for, of MPI programs that ran under longpole record"),
    .document = "docs/formats/recording.md",
    .version = 1,
    .probe = probeRecording,
    .fingerprint = fingerprintRecording,
    .import = importRecording,
};

}  // namespace longpole
