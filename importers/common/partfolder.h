// SPDX-License-Identifier: GPL-3.0-or-later
// The folder that a writer of several files fills before they get their place: hidden inside the target, locked, and
// removed with everything in it unless it is published. What dead processes left behind is removed too, if name and
// content say that it is ours.
#pragma once

#include "core/base/result.h"
#include "importers/common/writtenfile.h"

#include <QString>
#include <QStringList>

#include <memory>

namespace longpole {

class PartFolder {
public:
    // Creates `target`, an absolute path, where it is missing. Errors: it is no folder; it cannot be created or
    // written.
    static Result<PartFolder> create(const QString& target);
    PartFolder(PartFolder&& other) noexcept;
    PartFolder& operator=(PartFolder&&) = delete;
    ~PartFolder();  // unless published: leaves no trace of itself, nor of a target that it created

    // A new file in it.
    Result<std::unique_ptr<WrittenFile>> file(const QString& name, bool isCompressed) const;
    // Syncs the files and moves them into the target, in this order; none is replaced. On an error those that were
    // moved are removed.
    Result<> publish(const QStringList& names);

private:
    PartFolder(QString target, QStringList created);
    Result<> open();
    void removeCreated() const;

    QString m_target;
    QString m_path;
    QStringList m_created;    // folders that were missing, innermost first
    int m_targetFolder = -1;  // where it lies, whatever happens to the names
    int m_folder = -1;        // holds the lock
    bool m_isPublished = false;
};

}  // namespace longpole
