// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/panelhost.h"

namespace longpole {

PanelHost::PanelHost(ViewState& state, ComparisonSource& comparison, QObject* parent)
    : QObject(parent), m_state(state), m_comparison(comparison)
{
}

void PanelHost::setWorkNotice(const QString& text)
{
    m_workNotice = text;
    Q_EMIT workNoticeChanged(text);
}

// The panel may not be there yet: who makes it asks openedPath().
void PanelHost::openPath(std::uint32_t path)
{
    m_openedPath = path;
    Q_EMIT panelRequested(QStringLiteral("panel.source"));
    Q_EMIT pathOpened();
}

}  // namespace longpole
