// SPDX-License-Identifier: GPL-3.0-or-later
// Words that wrap and can be copied, part of which may be a link, to be followed by a click or with Tab and Enter.
#pragma once

#include <QLabel>
#include <QString>

namespace longpole {

// The text with places where a long name may break, after "::" and "_": else one such word widens all that stands above
// it.
QString breakable(QString text);

class LinkLabel : public QLabel {
    Q_OBJECT
public:
    // `role`: the object name by which style sheets find it, "muted" for instance.
    explicit LinkLabel(const QString& role, QWidget* parent = nullptr);

    // Words without a link; none of them is read as markup.
    void setWords(const QString& text);
    // A word or two in bold that say what the words are of; none of them is read as markup.
    void setCaptioned(const QString& caption, const QString& text);
    // Words before the link, the link, and words after it; none of them is read as markup.
    void setLink(const QString& link, const QString& rest = {}, const QString& before = {});
    // All words, without markup.
    QString plainText() const { return m_plain; }
    void follow() { Q_EMIT followed(); }

Q_SIGNALS:
    void followed();

protected:
    void changeEvent(QEvent* event) override;

private:
    void write();

    QString m_caption;
    QString m_before;
    QString m_link;
    QString m_rest;
    QString m_plain;
};

}  // namespace longpole
