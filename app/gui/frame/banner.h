// SPDX-License-Identifier: GPL-3.0-or-later
// The strip below the tool row that says what is going on: progress with Cancel, an error with what, where and hint, or
// a note.
#pragma once

#include "core/base/result.h"

#include <QFrame>
#include <QString>

class QLabel;
class QProgressBar;
class QPushButton;

namespace longpole {

class Banner : public QFrame {
    Q_OBJECT
public:
    explicit Banner(QWidget* parent = nullptr);

    // Each of these shows the strip. `fraction` 0..1 and `secondsLeft`: below 0 they are not known.
    void showProgress(const QString& text, double fraction, double secondsLeft);
    void showError(const Error& error);
    void showNote(const QString& text);
    void clear();

    bool isProgress() const { return m_progressing; }
    QString text() const;

Q_SIGNALS:
    void cancelled();

private:
    QLabel* m_text;
    QLabel* m_detail;
    QProgressBar* m_bar;
    QPushButton* m_button;
    bool m_progressing = false;
};

// "about 12 s left"; empty if unknown.
QString timeLeftText(double seconds);

}  // namespace longpole
