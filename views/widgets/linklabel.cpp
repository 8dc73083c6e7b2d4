// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/linklabel.h"

#include "views/drawing/basics/theme.h"
#include "views/widgets/tableview.h"

#include <QEvent>

namespace longpole {

QString breakable(QString text)
{
    constexpr QChar zeroWidthSpace(0x200b);
    for (qsizetype at = text.size() - 1; at > 0; --at)
        if (text[at].isLetterOrNumber()
            && (text[at - 1] == QLatin1Char('_') || QStringView(text).first(at).endsWith(QLatin1String("::"))))
            text.insert(at, zeroWidthSpace);
    return text;
}

LinkLabel::LinkLabel(const QString& role, QWidget* parent) : QLabel(parent)
{
    setObjectName(role);
    setWordWrap(true);
    setTextFormat(Qt::PlainText);
    setTextInteractionFlags(Qt::TextSelectableByMouse);
    connect(this, &QLabel::linkActivated, this, [this] { Q_EMIT followed(); });
}

void LinkLabel::setWords(const QString& text) { setCaptioned({}, text); }

void LinkLabel::setCaptioned(const QString& caption, const QString& text)
{
    m_caption = caption;
    setLink({}, text);
}

void LinkLabel::setLink(const QString& link, const QString& rest, const QString& before)
{
    m_before = before;
    m_link = link;
    m_rest = rest;
    m_plain = (m_caption.isEmpty() ? QString() : m_caption % QLatin1Char(' ')) % before % link % rest;
    setAccessibleName(m_plain);
    if (link.isEmpty()) {
        setTextFormat(m_caption.isEmpty() ? Qt::PlainText : Qt::RichText);
        setTextInteractionFlags(Qt::TextSelectableByMouse);
    } else {
        setTextFormat(Qt::RichText);
        setTextInteractionFlags(Qt::TextBrowserInteraction);
        setFocusPolicy(Qt::StrongFocus);
    }
    write();
}

void LinkLabel::write()
{
    if (m_link.isEmpty()) {
        setText(m_caption.isEmpty() ? breakable(m_plain)
                                    : QStringLiteral("<b style=\"color:%1\">%2</b> %3")
                                          .arg(themeOf(*this).text.name(), m_caption.toHtmlEscaped(),
                                               breakable(m_rest).toHtmlEscaped()));
        return;
    }
    setText(QStringLiteral("%1<a href=\"#\" style=\"color:%2\">%3</a>%4")
                .arg(breakable(m_before).toHtmlEscaped(), themeOf(*this).text.name(), breakable(m_link).toHtmlEscaped(),
                     breakable(m_rest).toHtmlEscaped()));
}

void LinkLabel::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !(m_link.isEmpty() && m_caption.isEmpty())) write();
}

}  // namespace longpole
