// SPDX-License-Identifier: GPL-3.0-or-later
// The folder that --answers names: its list says which files an analysis wrote there, so that nothing else is written
// over or removed.
#pragma once

#include "app/common/openfolder.h"
#include "core/base/result.h"

#include <QString>

#include <span>
#include <utility>

namespace longpole {

// Of an answer folder, the file with the hash of each file that was written there.
constexpr const char* listOfAnswers = "answers.json";

// Whether files of these names may be written there, beside the run that is read: each is as an analysis wrote it, or
// is not there. Errors: the folder is a link; as -o; a file of these names is somebody else's, or was changed.
Result<> checkAnswerFolder(const QString& folder, const QString& run, std::span<const char* const> names);
// Answers are written into a folder of their own below it, and come to where they belong together: whoever ends in
// between leaves some answers of one run there, never of two, and the next one may write all of them.
class AnswersPart {
public:
    // Errors: another analysis writes there; something else is in the way; it cannot be made.
    static Result<AnswersPart> begin(const QString& folder, std::span<const char* const> all);
    AnswersPart(AnswersPart&&) noexcept = default;
    AnswersPart& operator=(AnswersPart&&) = delete;
    ~AnswersPart();  // removes the folder below with what was written there

    QString fileOf(const char* name) const;
    // Removes the earlier ones of `all`, puts those that were `written` in their place, with the rights of those that
    // they replace, and lists them. Errors: cannot be read, written, or removed.
    Result<> publish(std::span<const char* const> written);

private:
    AnswersPart(OpenFolder lock, QString folder, std::span<const char* const> all)
        : m_lock(std::move(lock)), m_folder(std::move(folder)), m_all(all)
    {
    }
    OpenFolder m_lock;  // the folder, which is locked while it is written
    OpenFolder m_part;  // the one below
    QString m_folder;
    std::span<const char* const> m_all;
};

}  // namespace longpole
