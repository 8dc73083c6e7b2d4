// SPDX-License-Identifier: GPL-3.0-or-later
// A thin bar of which a share, 0..1, is filled.
#pragma once

#include <QWidget>

namespace longpole {

class ShareBar : public QWidget {
public:
    enum class Role : std::uint8_t { Figure, Path };  // chooses the colour: Path has the theme's accent

    ShareBar(double share, Role role, QWidget* parent);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double m_share;
    Role m_role;
};

}  // namespace longpole
