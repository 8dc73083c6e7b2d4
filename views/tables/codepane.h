// SPDX-License-Identifier: GPL-3.0-or-later
// The source around a line that a trace names, or a sentence that says why it is not there and what to do. A file is
// read without asking only from the user's folders; one at the trace's own path when the user has said so.
#pragma once

#include "core/base/result.h"
#include "views/state/latestjob.h"
#include "views/state/sourcesettings.h"
#include "views/tables/codequestions.h"
#include "views/tables/sourcefile.h"

#include <QWidget>

#include <cstdint>

class QPushButton;
class QStackedWidget;

namespace longpole {

class CodeView;
class ElidedLabel;
class LinkLabel;

class CodePane : public QWidget {
    Q_OBJECT
public:
    // `recorded`: when the run was, in seconds since 1970; 0: not known. `settings` outlives the pane.
    CodePane(SourceSettings& settings, std::int64_t recorded, QWidget* parent = nullptr);

    void show(const CodeFrame& frame);
    void open(const CodeFrame& frame);  // shows it, and opens the line in the editor as soon as it is found
    void say(const QString& text);      // instead of a source
    bool isSearching() const { return m_finding.isRunning(); }

    CodeView& code() { return *m_code; }
    QString message() const;  // the sentence; empty: a source shows
    QPushButton& reading() { return *m_read; }
    QPushButton& opening() { return *m_open; }
    void useFolder(const QString& folder);  // as chosen by `choosing`

Q_SIGNALS:
    void failed(const longpole::Error& error);

private:
    void createHead();
    void createMessage();
    void find();
    void accept(const SourceFound& found);
    void showText(const SourceText& text);
    void showMessage(const QString& text, bool canRead, bool canChoose);
    void allow();
    void chooseFolder();
    void openAt(int line);
    void ask();

    SourceSettings& m_settings;
    std::int64_t m_recorded;
    CodeFrame m_frame;
    SourceFound m_found;
    QStringList m_allowed;  // folders of paths of this trace that were read on demand
    bool m_opens = false;   // in the editor, when it is found
    ElidedLabel* m_path;
    QPushButton* m_open;
    QStackedWidget* m_pages;
    CodeView* m_code;
    LinkLabel* m_message;
    QPushButton* m_read;
    QPushButton* m_choose;
    LatestJob<SourceFound> m_finding;
};

}  // namespace longpole
