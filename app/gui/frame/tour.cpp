// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/tour.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

Tour::Tour(QWidget* window)
    : QFrame(window), m_mark(new QFrame(window)), m_text(new QLabel(this)), m_count(new QLabel(this)),
      m_next(new QPushButton(this))
{
    setObjectName(QStringLiteral("tour"));
    m_mark->setObjectName(QStringLiteral("tourMark"));
    m_mark->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_mark->hide();
    m_text->setTextFormat(Qt::PlainText);
    m_next->setAutoDefault(true);  // Enter goes on, too
    m_text->setWordWrap(true);
    m_count->setObjectName(QStringLiteral("muted"));
    auto* leave = new QPushButton(tr("Leave the tour"), this);
    leave->setObjectName(QStringLiteral("link"));
    connect(leave, &QPushButton::clicked, this, &Tour::end);
    connect(m_next, &QPushButton::clicked, this, &Tour::next);
    auto* foot = new QHBoxLayout;
    foot->addWidget(m_count);
    foot->addStretch();
    foot->addWidget(leave);
    foot->addWidget(m_next);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 12, 12, 10);
    layout->setSpacing(10);
    layout->addWidget(m_text);
    layout->addLayout(foot);
    window->installEventFilter(this);
    hide();
}

void Tour::start(std::vector<TourStop> stops)
{
    m_stops.clear();
    for (TourStop& stop : stops) {
        m_stops.push_back({stop.at, std::move(stop.text)});
        if (stop.at) stop.at->installEventFilter(this);
    }
    show(0);
}

void Tour::next() { show(m_now + 1); }

void Tour::end()
{
    m_stops.clear();
    m_mark->hide();
    if (isHidden()) return;
    hide();
    Q_EMIT ended();
}

void Tour::show(std::size_t stop)
{
    while (stop < m_stops.size() && (!m_stops[stop].at || !m_stops[stop].at->isVisible())) ++stop;
    if (stop >= m_stops.size()) return end();
    m_now = stop;
    m_text->setText(m_stops[stop].text);
    m_count->setText(tr("%1 of %2").arg(stop + 1).arg(m_stops.size()));
    m_next->setText(stop + 1 == m_stops.size() ? tr("Done") : tr("Next"));
    setVisible(true);
    place();
}

// Below the widget, else above it, else in it; within the window.
void Tour::place()
{
    if (isHidden() || m_now >= m_stops.size()) return;
    const Stop& stop = m_stops[m_now];
    if (!stop.at || !stop.at->isVisible()) return next();
    constexpr int margin = 10;
    const QWidget& window = *parentWidget();
    const QRect marked(stop.at->mapTo(&window, QPoint()), stop.at->size());
    m_mark->setGeometry(marked);
    m_mark->show();
    m_mark->raise();
    const int width = std::min(360, window.width() - 2 * margin);
    const int height = layout()->totalHeightForWidth(width);
    int top = marked.bottom() + margin;
    if (top + height > window.height() - margin) top = marked.top() - margin - height;
    if (top < margin) top = std::max(margin, marked.center().y() - height / 2);
    const int left = std::clamp(marked.center().x() - width / 2, margin,
                                std::max(margin, window.width() - margin - width));
    setGeometry(left, top, width, height);
    raise();
}

bool Tour::eventFilter(QObject* watched, QEvent* event)
{
    const bool isMoved = event->type() == QEvent::Resize || event->type() == QEvent::Move;
    const bool isAbout = m_now < m_stops.size() && watched == m_stops[m_now].at;
    if (isMoved && (watched == parentWidget() || isAbout)) place();
    return QFrame::eventFilter(watched, event);
}

}  // namespace longpole
