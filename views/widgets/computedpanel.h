// SPDX-License-Identifier: GPL-3.0-or-later
// A panel whose content takes long to compute: begun when the panel is first shown, with progress and Cancel; dropped
// when what it rests on changes.
#pragma once

#include "core/base/result.h"

#include <QTimer>
#include <QWidget>

#include <optional>

class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace longpole {

class ComputedPanel : public QWidget {
    Q_OBJECT
public:
    explicit ComputedPanel(QWidget* parent = nullptr);

    // Begins although nobody looks, where it has not begun.
    void want();
    bool isComputing() const { return m_state == State::Computing; }
    bool isThere() const { return m_state == State::There; }
    // What stands above the content: the summary, or why there is none.
    QString headline() const;
    QPushButton& button() { return *m_button; }  // Cancel, or Compute after it

Q_SIGNALS:
    void exportFailed(const longpole::Error& error);

protected:
    // Starts the work; finish() says that it is over. `false`: it cannot start yet (`why` says so); outdate() when it
    // can.
    virtual bool begin() = 0;
    virtual void stop() = 0;  // drops the answer at once
    virtual double fraction() const = 0;
    virtual void clear() = 0;  // shows nothing

    void outdate();  // to be called when what the content rests on has changed, and once at the start
    void finish(const std::optional<Error>& error, const QString& summary);
    void setSummary(const QString& text);
    void setWrapped(bool wrapped);  // the headline in as many lines as it needs, none if it is empty
    QHBoxLayout& head() { return *m_head; }
    QVBoxLayout& body() { return *m_body; }

    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    enum class State : std::uint8_t { Outdated, Computing, There, Stopped };
    void compute();
    void press();
    void showProgress();
    void enter(State state, const QString& text);
    void elide();

    State m_state = State::Outdated;
    QHBoxLayout* m_head;
    QVBoxLayout* m_body;
    QString m_headline;
    QLabel* m_text;  // as much of the headline as there is room for
    QProgressBar* m_bar;
    QPushButton* m_button;
    QTimer m_poll;
    bool m_wrapped = false;
};

}  // namespace longpole
