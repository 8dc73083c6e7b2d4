// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/banner.h"

#include "views/drawing/graphs/experttext.h"

#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QProgressBar>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

#include <cmath>
#include <utility>

namespace longpole {

namespace {

// Names of files and keys may have megabytes, which take a label minutes to measure: of a long text both its ends.
QString bothEnds(const QString& text)
{
    constexpr qsizetype most = 600, kept = 280;
    return text.size() <= most ? text : text.left(kept) % QStringLiteral(" \u2026 ") % text.right(kept);
}

}  // namespace

Banner::Banner(QWidget* parent)
    : QFrame(parent), m_text(new QLabel(this)), m_detail(new QLabel(this)), m_bar(new QProgressBar(this)),
      m_accept(new QPushButton(this)), m_button(new QPushButton(this))
{
    setObjectName(QStringLiteral("banner"));
    m_detail->setObjectName(QStringLiteral("muted"));
    for (QLabel* label : {m_text, m_detail}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    m_bar->setTextVisible(false);
    m_bar->setFixedWidth(220);
    m_bar->setRange(0, 1000);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 7, 10, 7);
    layout->setSpacing(12);
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(m_text);
    words->addWidget(m_detail);
    layout->addLayout(words, 1);
    layout->addWidget(m_bar);
    layout->addWidget(m_accept);
    layout->addWidget(m_button);
    connect(m_accept, &QPushButton::clicked, this, [this] {
        const std::function<void()> accepted = std::exchange(m_accepted, {});
        clear();
        if (accepted) accepted();
    });
    m_going.setSingleShot(true);
    connect(&m_going, &QTimer::timeout, this, &Banner::goIfUnread);
    parent->installEventFilter(this);
    connect(m_button, &QPushButton::clicked, this, [this] {
        const bool progressing = m_progressing;
        clear();
        if (progressing) Q_EMIT cancelled();
    });
    hide();
}

void Banner::showProgress(const QString& text, double fraction, double secondsLeft)
{
    m_progressing = true;
    m_accept->hide();
    m_text->setObjectName(QString());
    m_text->setText(bothEnds(text));
    m_bar->show();
    m_bar->setRange(0, fraction < 0 ? 0 : 1000);
    m_bar->setValue(static_cast<int>(std::lround(fraction * 1000)));
    const QString percent = fraction < 0 ? QString() : tr("%1 %").arg(static_cast<int>(fraction * 100));
    const QString left = timeLeftText(secondsLeft);
    m_detail->setText(left.isEmpty() ? percent : percent % QStringLiteral(" · ") % left);
    m_button->setText(tr("Cancel"));
    present();
}

void Banner::showError(const Error& error)
{
    m_progressing = false;
    m_accept->hide();
    m_bar->hide();
    m_text->setObjectName(QStringLiteral("errorText"));
    m_text->style()->unpolish(m_text);
    m_text->style()->polish(m_text);
    m_text->setText(unbroken(bothEnds(error.what)));
    QStringList details{unbroken(bothEnds(error.where)), unbroken(bothEnds(error.hint))};
    details.removeAll(QString());
    m_detail->setText(details.join(QLatin1Char('\n')));
    m_button->setText(tr("Dismiss"));
    present();
}

void Banner::showNote(const QString& text)
{
    m_progressing = false;
    m_accept->hide();
    m_bar->hide();
    m_text->setObjectName(QString());
    m_text->style()->unpolish(m_text);
    m_text->style()->polish(m_text);
    m_text->setText(unbroken(bothEnds(text)));
    m_detail->clear();
    m_button->setText(tr("Dismiss"));
    present();
    m_going.start(m_noteTime);
}

void Banner::showOffer(const QString& text, const QString& action, std::function<void()> accepted)
{
    showNote(text);
    m_accepted = std::move(accepted);
    m_accept->setText(action);
    m_accept->show();
    present();
    m_offered.start();
    qApp->installEventFilter(this);
}

void Banner::present()
{
    m_going.stop();
    m_detail->setVisible(!m_detail->text().isEmpty());
    place();
    show();
    raise();
}

// In the middle of the parent's foot, over the status bar rather than over rows; as wide as the words need and as there
// is room.
void Banner::place()
{
    constexpr int margin = 14;
    constexpr int foot = 3;
    const int least = m_progressing ? 560 : 360;  // progress changes its words, and its width must not follow
    const QRect room = parentWidget()->rect().marginsRemoved({margin, margin, margin, foot});
    const int words = std::max(fontMetrics().horizontalAdvance(m_text->text()),
                               fontMetrics().horizontalAdvance(m_detail->text()));
    const int controls = m_button->sizeHint().width() + (m_accept->isHidden() ? 0 : m_accept->sizeHint().width() + 12)
                         + (m_bar->isHidden() ? 0 : m_bar->width() + 12) + 48;
    const int width = std::min({room.width(), std::max(least, words + controls), 900});
    layout()->invalidate();
    layout()->activate();  // else the inner layout still reckons with the rows that showed before
    const int height = std::min(room.height(), layout()->totalHeightForWidth(width));
    setGeometry(room.left() + (room.width() - width) / 2, room.bottom() + 1 - height, width, height);
}

void Banner::goIfUnread()
{
    if (underMouse()) m_going.start(m_noteTime);
    else if (!m_progressing) clear();
}

bool Banner::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == parentWidget() && event->type() == QEvent::Resize && !isHidden()) place();
    // A click or a key elsewhere declines an offer, once there was time to read it.
    const bool isPress = event->type() == QEvent::MouseButtonPress && watched->isWidgetType();
    const bool isKey = event->type() == QEvent::KeyPress && watched->isWidgetType();
    const bool isElsewhere = (isPress
                              && !rect().contains(
                                  mapFromGlobal(static_cast<QMouseEvent*>(event)->globalPosition()).toPoint()))
                             || (isKey && watched != m_button && watched != m_accept);
    if (isElsewhere && m_accept->isVisible() && m_offered.hasExpired(m_noteTime / 2)) clear();
    return QFrame::eventFilter(watched, event);
}

void Banner::clear()
{
    m_going.stop();
    m_progressing = false;
    qApp->removeEventFilter(this);
    m_text->clear();
    m_detail->clear();
    hide();
}

QString Banner::text() const
{
    QString text = m_text->text() % QStringLiteral("\n") % m_detail->text();
    return text.replace(QChar(QChar::Nbsp), QLatin1Char(' '));
}

QString timeLeftText(double seconds)
{
    if (seconds < 0) return {};
    if (seconds < 90) return Banner::tr("about %1 s left").arg(std::max(1, static_cast<int>(std::lround(seconds))));
    return Banner::tr("about %1 min left").arg(static_cast<int>(std::lround(seconds / 60)));
}

}  // namespace longpole
