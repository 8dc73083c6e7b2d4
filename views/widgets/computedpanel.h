// SPDX-License-Identifier: GPL-3.0-or-later
// A panel whose content takes long to compute: it begins when it is first shown, has progress and a Cancel button, and
// drops its content when the input of the computation changes.
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

    // Begins, unless it has begun, although the panel is not shown.
    void want();
    bool isComputing() const { return m_state == State::Computing; }
    bool isThere() const { return m_state == State::There; }
    // The text above the content: the summary, or why there is none.
    QString headline() const;
    QPushButton& button() { return *m_button; }  // "Cancel", after it "Compute", after an error "Try again"

Q_SIGNALS:
    void exportFailed(const longpole::Error& error);

protected:
    // Starts the work, at whose end finish() is to be called. False if it cannot start yet: then outdate() is to be
    // called when it can.
    virtual bool begin() = 0;
    virtual void stop() = 0;  // drops the answer at once
    virtual double fraction() const = 0;
    virtual void clear() = 0;  // drops the content and shows none

    void outdate();  // to be called when the input of the computation has changed, and once by the constructor
    void finish(const std::optional<Error>& error, const QString& summary);
    void setSummary(const QString& text);
    void setWrapped(bool wrapped);  // true: a long headline always wraps, an empty one takes no room
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
    void showBesideBar();

    State m_state = State::Outdated;
    QHBoxLayout* m_head;
    QVBoxLayout* m_body;
    QString m_headline;
    QLabel* m_text;  // shows as much of the headline as there is room for
    QProgressBar* m_bar;
    QPushButton* m_button;
    QTimer m_poll;
    bool m_wrapped = false;
};

}  // namespace longpole
