// SPDX-License-Identifier: GPL-3.0-or-later
// What the window offers to the panels that it shows: the shared state, and signals by which they ask for something.
#pragma once

#include "core/base/result.h"
#include "core/trace/trace.h"
#include "views/state/fileexport.h"
#include "views/state/sourcesettings.h"

#include <QObject>
#include <QString>

#include <cstdint>

namespace longpole {

class ComparisonSource;
class ViewState;

class PanelHost : public QObject {
    Q_OBJECT
public:
    PanelHost(ViewState& state, ComparisonSource& comparison, QObject* parent);

    ViewState& state() { return m_state; }
    ComparisonSource& comparison() { return m_comparison; }
    SourceSettings& sources() { return m_sources; }  // of the user, not of the trace

    // Why there is no critical path yet; empty if there is nothing to say.
    QString workNotice() const { return m_workNotice; }
    void setWorkNotice(const QString& text);

    // The call path whose line was to be opened last; noCallPath: none.
    std::uint32_t openedPath() const { return m_openedPath; }
    // Shows a call path where sources show, and opens its line in the editor.
    void openPath(std::uint32_t path);

Q_SIGNALS:
    void workNoticeChanged(const QString& text);

    // These are emitted by panels.
    void failed(const longpole::Error& error);
    void exportRequested(const longpole::FileExport& file);
    void timelineRequested();
    void panelRequested(const QString& id);
    void pathOpened();
    void adviceRequested();
    void secondRequested();                 // to choose another run and compare
    void sqlRequested(const QString& sql);  // to run it and show the result
    void foldRequested();                   // to fold the iterations of the chosen phase

private:
    ViewState& m_state;
    ComparisonSource& m_comparison;
    SourceSettings m_sources;
    QString m_workNotice;
    std::uint32_t m_openedPath = noCallPath;
};

}  // namespace longpole
