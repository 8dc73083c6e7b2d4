// SPDX-License-Identifier: GPL-3.0-or-later
// The documents that come with the program, in a window of their own.
#pragma once

#include <QTextBrowser>

namespace longpole {

// Reads them from the program's own resources; links outside open in the desktop's browser. Pictures are made narrow
// enough to fit, and links to headings lead there.
class DocumentView : public QTextBrowser {
    Q_OBJECT
public:
    explicit DocumentView(QWidget* parent = nullptr);

    void open(const QString& page);  // "docs/README.md"
    QString page() const;            // that shows

    QVariant loadResource(int type, const QUrl& name) override;

protected:
    void doSetSource(const QUrl& name, QTextDocument::ResourceType type) override;

private:
    void goToHeading(const QString& wanted);
};

class Documents : public QWidget {
    Q_OBJECT
public:
    explicit Documents(QWidget* window);

    void open(const QString& page);
    DocumentView& view() { return *m_view; }

private:
    DocumentView* m_view;
};

QString headingAnchor(const QString& heading);  // "What it costs" is #what-it-costs

}  // namespace longpole
