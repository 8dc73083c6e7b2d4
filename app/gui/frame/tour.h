// SPDX-License-Identifier: GPL-3.0-or-later
// A few notes, one after the other, each beside the widget that it is about. Nothing is kept from the mouse
// or the keys meanwhile.
#pragma once

#include <QFrame>
#include <QPointer>
#include <QString>

#include <vector>

class QLabel;
class QPushButton;

namespace longpole {

struct TourStop {
    QWidget* at = nullptr;
    QString text{};
};

class Tour : public QFrame {
    Q_OBJECT
public:
    explicit Tour(QWidget* window);

    // Stops at widgets that do not show, or are gone by then, are left out.
    void start(std::vector<TourStop> stops);
    void next();
    void end();

Q_SIGNALS:
    void ended();  // also of a tour that was left

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Stop {
        QPointer<QWidget> at{};
        QString text{};
    };
    void show(std::size_t stop);
    void place();

    std::vector<Stop> m_stops;
    std::size_t m_now = 0;
    QFrame* m_mark;  // around the widget
    QLabel* m_text;
    QLabel* m_count;
    QPushButton* m_next;
};

}  // namespace longpole
