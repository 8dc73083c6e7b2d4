// SPDX-License-Identifier: GPL-3.0-or-later
// What is going on: progress with Cancel, an error with what, where and hint, or a note. It lies over the foot of its
// parent and takes no room of what is there: nothing moves as it comes and goes. Notes go by themselves.
#pragma once

#include "core/base/result.h"

#include <QElapsedTimer>
#include <QFrame>
#include <QString>
#include <QTimer>

#include <functional>

class QLabel;
class QProgressBar;
class QPushButton;

namespace longpole {

class Banner : public QFrame {
    Q_OBJECT
public:
    explicit Banner(QWidget* parent);

    // Each of these shows the strip. `fraction` 0..1 and `secondsLeft`: below 0 they are not known.
    void showProgress(const QString& text, double fraction, double secondsLeft);
    void showError(const Error& error);
    void showNote(const QString& text);
    // A note with a button that does something about it; it stays until one of its buttons is clicked.
    void showOffer(const QString& text, const QString& action, std::function<void()> accepted);
    void clear();

    bool isProgress() const { return m_progressing; }
    QPushButton* offer() const { return m_accept; }
    QString text() const;
    // How long a note stays; while the mouse is on it, it stays.
    void setNoteTime(int milliseconds) { m_noteTime = milliseconds; }

Q_SIGNALS:
    void cancelled();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void present();
    void place();
    void goIfUnread();

    QLabel* m_text;
    QLabel* m_detail;
    QProgressBar* m_bar;
    QPushButton* m_accept;
    QPushButton* m_button;
    bool m_progressing = false;
    std::function<void()> m_accepted;
    int m_noteTime = 12'000;
    QTimer m_going;  // the time after which a note goes
    QElapsedTimer m_offered;
};

// "about 12 s left"; empty if unknown.
QString timeLeftText(double seconds);

}  // namespace longpole
