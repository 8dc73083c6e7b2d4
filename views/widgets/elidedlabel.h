// SPDX-License-Identifier: GPL-3.0-or-later
// A label of one line that never sets the width of what it stands in: a text that is too long loses its middle, or its
// last words, and the tooltip has the whole.
#pragma once

#include <QFontMetrics>
#include <QLabel>
#include <QString>

namespace longpole {

// The words of the text from its beginning on that fit, and an ellipsis; of a first word that does not, its letters.
QString wordsThatFit(const QString& text, const QFontMetrics& metrics, int width);

class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    // `least`: as many characters of it always show.
    explicit ElidedLabel(QWidget* parent = nullptr, int least = 18);

    // What is told first matters most: the text loses its last words instead of its middle.
    void setKeepsBeginning(bool keeps) { m_keepsBeginning = keeps; }
    bool isElided() const;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    int m_least;
    bool m_keepsBeginning = false;
};

}  // namespace longpole
