// SPDX-License-Identifier: GPL-3.0-or-later
// Live: the critical path of an MPI program while it runs ('longpole record --online'), as its samples come; it can be
// stopped, started, and told whose gains to follow. When the run has ended, its recording opens from here.
#pragma once

#include "app/gui/live/liveseries.h"
#include "app/record/onlinesamples.h"
#include "app/record/runstate.h"
#include "views/drawing/basics/colourmemory.h"

#include <QElapsedTimer>
#include <QStringList>
#include <QTimer>
#include <QWidget>

#include <optional>
#include <utility>

class QComboBox;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace longpole {

class ElidedLabel;
class Plot;
class TableView;

// Whether a path is to be shown by this page: the file of samples itself, or a run that goes on or has no recording.
bool isLive(const QString& path);

class LivePage : public QWidget {
    Q_OBJECT
public:
    explicit LivePage(QWidget* parent = nullptr);

    // Names that have a colour in traces have it here, too.
    void setKnownColours(ColourNumbers known) { m_known = std::move(known); }
    // Shows a run from its begin on. Errors: it has no samples.
    Result<> watch(const QString& run);
    void leave();  // looks at nothing any more
    bool isWatching() const { return m_samples.has_value(); }
    QString folder() const { return m_folder; }

    const std::optional<OnlineSample>& last() const { return m_last; }
    FollowedRun run() const { return m_run; }
    QString stateText() const;
    QString sentence() const;
    QString doubt() const;
    TableView& procedures() { return *m_procedures; }
    TableView& ranks() { return *m_ranks; }

Q_SIGNALS:
    void openRequested(const QString& folder);  // the recording
    void closeRequested();
    void failed(const longpole::Error& error);
    void asked(const QString& text);  // what the program was asked for

protected:
    void changeEvent(QEvent* event) override;

private:
    void createHead(QVBoxLayout& layout);
    void createParts(QVBoxLayout& layout);
    void read();
    void showAll();
    void showState();
    void showPlots();
    void showProcedures();
    void showRanks();
    LiveBy by() const;
    QColor colourOf(const QString& name) const;
    void stopOrStart();
    QStringList selectedProcedures() const;
    void selectProcedures(const QStringList& names);
    void followSelected();
    void tell(const Result<>& done, const QString& text);

    QString m_folder;
    std::optional<OnlineSamples> m_samples;
    std::optional<OnlineSample> m_last;
    FollowedRun m_run;
    LiveSeries m_series;
    ColourNumbers m_known, m_colours;
    QStringList m_listed;  // the names in the table of procedures, by row of its content
    QTimer m_timer;
    QElapsedTimer m_sinceState, m_sinceSample;
    ElidedLabel* m_name = nullptr;
    QLabel* m_state = nullptr;
    QLabel* m_sentence = nullptr;
    QLabel* m_doubt = nullptr;
    QComboBox* m_by = nullptr;
    Plot* m_lengths = nullptr;
    Plot* m_shares = nullptr;
    TableView* m_procedures = nullptr;
    TableView* m_ranks = nullptr;
    QPushButton* m_open = nullptr;
    QPushButton* m_stop = nullptr;
    QPushButton* m_follow = nullptr;
};

}  // namespace longpole
