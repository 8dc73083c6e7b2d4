// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/documents.h"

#include "app/gui/frame/screenfit.h"

#include <QHBoxLayout>
#include <QImage>
#include <QPushButton>
#include <QTextBlock>
#include <QVBoxLayout>

// Else the linker leaves out what nothing names.
static void initDocuments() { Q_INIT_RESOURCE(documents); }

namespace longpole {

namespace {

constexpr int pageWidth = 760;  // of lines and pictures, pixels
const QString documentsRoot = QStringLiteral("qrc:/documents/");

}  // namespace

QString headingAnchor(const QString& heading)
{
    QString anchor;
    for (const QChar c : heading.toLower()) {
        if (c.isLetterOrNumber() || c == QLatin1Char('-') || c == QLatin1Char('_')) anchor += c;
        else if (c == QLatin1Char(' ')) anchor += QLatin1Char('-');
    }
    return anchor;
}

DocumentView::DocumentView(QWidget* parent) : QTextBrowser(parent)
{
    initDocuments();
    setOpenExternalLinks(true);
    setFrameShape(QFrame::NoFrame);
    setLineWrapMode(QTextEdit::FixedPixelWidth);
    setLineWrapColumnOrWidth(pageWidth);
    document()->setDocumentMargin(24);
}

void DocumentView::open(const QString& page) { setSource(QUrl(documentsRoot + page), QTextDocument::MarkdownResource); }

QString DocumentView::page() const { return source().toString(QUrl::RemoveFragment).mid(documentsRoot.size()); }

// Pictures of the window are there in both themes.
QVariant DocumentView::loadResource(int type, const QUrl& name)
{
    QUrl themed = name;
    if (type == QTextDocument::ImageResource && palette().color(QPalette::Base).lightness() > 127)
        themed = QUrl(name.toString().replace(QLatin1String("-dark.png"), QLatin1String("-light.png")));
    const QVariant loaded = QTextBrowser::loadResource(type, themed);
    if (type != QTextDocument::ImageResource) return loaded;
    QImage image = loaded.metaType().id() == QMetaType::QImage ? loaded.value<QImage>()
                                                               : QImage::fromData(loaded.toByteArray());
    const int most = pageWidth - 48;
    if (image.width() > most) image = image.scaledToWidth(most, Qt::SmoothTransformation);
    return image;
}

// While a document is read each cell of its tables would be laid out anew: four seconds for the longest one.
void DocumentView::doSetSource(const QUrl& name, QTextDocument::ResourceType type)
{
    document()->setLayoutEnabled(false);
    QTextBrowser::doSetSource(name, type);
    document()->setLayoutEnabled(true);
    document()->markContentsDirty(0, document()->characterCount());
    if (name.hasFragment()) goToHeading(name.fragment());
}

// Markdown's headings are no anchors to Qt.
void DocumentView::goToHeading(const QString& wanted)
{
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next())
        if (block.blockFormat().headingLevel() > 0 && headingAnchor(block.text()) == wanted) {
            moveCursor(QTextCursor::End);  // so that the heading comes to the top
            setTextCursor(QTextCursor(block));
            return;
        }
}

Documents::Documents(QWidget* window) : QWidget(window, Qt::Window), m_view(new DocumentView(this))
{
    setWindowTitle(tr("Longpole documents"));
    resize(sizeOnScreen(*this, {pageWidth + 80, 820}));
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 6, 12, 6);
    const auto add = [&](const QString& text, auto&& act) {
        auto* button = new QPushButton(text, this);
        button->setObjectName(QStringLiteral("link"));
        connect(button, &QPushButton::clicked, m_view, act);
        bar->addWidget(button);
        return button;
    };
    add(tr("Contents"), [this] { m_view->open(QStringLiteral("docs/README.md")); });
    QPushButton* back = add(tr("Back"), &QTextBrowser::backward);
    back->setEnabled(false);
    connect(m_view, &QTextBrowser::backwardAvailable, back, &QPushButton::setEnabled);
    bar->addStretch();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(m_view);
}

void Documents::open(const QString& page)
{
    m_view->open(page);
    show();
    raise();
    activateWindow();
}

}  // namespace longpole
