// SPDX-License-Identifier: GPL-3.0-or-later
// A thin bar that fills its width by a share.
#pragma once

#include <QWidget>

namespace longpole {

class ShareBar : public QWidget {
public:
    enum class Role : std::uint8_t { Figure, Path };  // Path: in the accent

    ShareBar(double share, Role role, QWidget* parent);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double m_share;
    Role m_role;
};

}  // namespace longpole
