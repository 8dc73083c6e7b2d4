// SPDX-License-Identifier: GPL-3.0-or-later
// A label of one line that never sets the width of what it stands in: a text that is too long loses its middle, and the
// tooltip has the whole.
#pragma once

#include <QLabel>

namespace longpole {

class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    // `least`: as many characters of it always show.
    explicit ElidedLabel(QWidget* parent = nullptr, int least = 18);

    bool isElided() const;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    int m_least;
};

}  // namespace longpole
