// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/mayreplace.h"

#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/widgets/filedialog.h"

#include <QFileInfo>
#include <QMessageBox>

#include <algorithm>
#include <iterator>

namespace longpole {

bool mayReplace(QWidget& parent, const QStringList& files)
{
    QStringList there;
    std::copy_if(files.begin(), files.end(), std::back_inserter(there), [](const QString& file) {
        const QFileInfo info(file);
        return info.exists() || info.isSymLink();
    });
    if (there.isEmpty()) return true;
    // A name may have got its ending since the dialog asked.
    if (std::any_of(there.begin(), there.end(), [&parent](const QString& file) { return mustStay(&parent, file); }))
        return false;
    const QString several = tr("%1 is there already, and %2 of the other files to write. Replace them?");
    const QString question = there.size() == 1 ? tr("%1 is there already. Replace it?").arg(there.front())
                                               : several.arg(there.front(), formatCount(there.size() - 1));
    return QMessageBox::question(&parent, tr("Replace files"), question, QMessageBox::Yes | QMessageBox::No,
                                 QMessageBox::No)
           == QMessageBox::Yes;
}

}  // namespace longpole
