// SPDX-License-Identifier: GPL-3.0-or-later
// Files of older versions: the offer to upgrade one that was to be opened.
#include "app/gui/window/mainwindow.h"

#include "app/commandline/outputfile.h"
#include "app/common/sidefiles.h"
#include "app/gui/frame/banner.h"
#include "core/store/upgrade.h"

#include <QFileInfo>

namespace longpole {

void MainWindow::showOpeningError(const Error& error)
{
    const QString path = m_session.openingPath();
    const Result<Upgrade> upgrade = findUpgrade(path);
    if (!upgrade || !upgrade->isNeeded()) return m_banner->showError(error);
    m_banner->showOffer(tr("%1 was made by an older Longpole. Upgrade writes it anew for this one, in its place.")
                            .arg(QFileInfo(path).fileName()),
                        tr("Upgrade"), [this, path] {
                            startExport(
                                path,
                                [path](const Progress& progress) -> Result<> {
                                    if (const Result<> writable = checkWritable(path, {}); !writable) return writable;
                                    const Result<Upgrade> done = upgradeTrace(path, path, progress, carrySideFile);
                                    if (!done) return done.error();
                                    return Unit{};
                                },
                                [this, path] { open(path); });
                        });
}

}  // namespace longpole
