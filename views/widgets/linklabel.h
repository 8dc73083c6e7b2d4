// SPDX-License-Identifier: GPL-3.0-or-later
// Words that wrap and can be copied, some of which are links: followed by a click, or by Tab and Enter.
#pragma once

#include <QLabel>
#include <QString>

namespace longpole {

class LinkLabel : public QLabel {
    Q_OBJECT
public:
    // `role`: the name that styles it, "muted" for instance.
    explicit LinkLabel(const QString& role, QWidget* parent = nullptr);

    // Plain words; none of them is read as markup.
    void setWords(const QString& text);
    // The link, then more words.
    void setLink(const QString& link, const QString& rest = {}, const QString& before = {});
    // What is read.
    QString plainText() const { return m_plain; }
    void follow() { Q_EMIT followed(); }

Q_SIGNALS:
    void followed();

protected:
    void changeEvent(QEvent* event) override;

private:
    void write();

    QString m_before;
    QString m_link;
    QString m_rest;
    QString m_plain;
};

}  // namespace longpole
