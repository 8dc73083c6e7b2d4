// SPDX-License-Identifier: GPL-3.0-or-later
// The log viewer: every record of the trace in the order of time, filtered by kind, processor and range, searched in
// the background, and linked to the selection both ways.
#pragma once

#include "views/state/watch.h"
#include "views/tables/logview.h"
#include "views/tables/recordquestions.h"

#include <QTimer>
#include <QWidget>

#include <optional>
#include <vector>

class QBoxLayout;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace longpole {

class ViewState;

class LogPanel : public QWidget {
    Q_OBJECT
public:
    explicit LogPanel(ViewState& state, QWidget* parent = nullptr);

    LogView& rows() { return *m_view; }
    QLineEdit& search() { return *m_search; }
    QLineEdit& processors() { return *m_pes; }
    QString message() const;  // what the search found, or an error
    bool isSearching() const { return m_searching.isRunning(); }
    bool isListing() const { return m_listing.isRunning(); }

    // Starts a search for the next record that fits, after the current one or before it. At the end of the list it goes
    // on from the other end.
    void findNext(bool forward);
    void cancelSearch();

Q_SIGNALS:
    void listReplaced();
    void exportFailed(const longpole::Error& error);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void createHead();
    void createSearch(QHBoxLayout& head);
    QPushButton* addSwitch(QHBoxLayout& head, const QString& text, const QString& tip);
    RecordChoice choice() const;
    void outdate();
    void list();
    void accept(const Result<std::shared_ptr<const RecordPlaces>>& places);
    void showColours();
    void showProcessors();
    void readProcessors();
    void choose(const Record& record);
    void followSelection();
    void acceptFound(const Result<std::shared_ptr<const FoundRecord>>& answer);
    void showProgress();
    void say(const QString& text, bool isError = false);

    ViewState& m_state;
    QBoxLayout* m_head = nullptr;  // holds the filters and the search
    LogView* m_view;
    std::vector<std::pair<ChunkKind, QPushButton*>> m_kinds;
    QPushButton* m_marked = nullptr;
    QPushButton* m_found = nullptr;
    QLineEdit* m_pes = nullptr;
    QLabel* m_count = nullptr;
    QLineEdit* m_search = nullptr;
    QLabel* m_message = nullptr;
    QToolButton* m_stop = nullptr;
    bool m_isOutdated = true;
    std::optional<RecordChoice> m_listedChoice;
    QTimer m_poll;
    Watch<RecordPlacesQuestion> m_listing;
    Watch<RecordSearchQuestion> m_searching;
    Watch<RecordRowQuestion> m_following;
};

}  // namespace longpole
