// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tables/codepane.h"

#include "analysis/base/cells.h"
#include "views/tables/codeview.h"
#include "views/tables/editor.h"
#include "views/tables/sourcedialog.h"
#include "views/widgets/elidedlabel.h"
#include "views/widgets/filedialog.h"
#include "views/widgets/linklabel.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <utility>

namespace longpole {

CodePane::CodePane(SourceSettings& settings, std::int64_t recorded, QWidget* parent)
    : QWidget(parent), m_settings(settings), m_recorded(recorded), m_path(new ElidedLabel(this)),
      m_open(new QPushButton(tr("Open in the editor"), this)), m_pages(new QStackedWidget(this)),
      m_code(new CodeView(this)), m_message(new LinkLabel(QStringLiteral("muted"), this)),
      m_read(new QPushButton(tr("Read it"), this)), m_choose(new QPushButton(tr("Choose the folder …"), this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    createHead();
    m_code->setAccessibleName(tr("Source"));
    m_pages->addWidget(m_code);
    createMessage();
    layout->addWidget(m_pages, 1);
    connect(m_open, &QPushButton::clicked, this, [this] { openAt(m_frame.line); });
    connect(m_code, &CodeView::lineActivated, this, &CodePane::openAt);
    connect(m_read, &QPushButton::clicked, this, &CodePane::allow);
    connect(m_choose, &QPushButton::clicked, this, &CodePane::chooseFolder);
    connect(&m_settings, &SourceSettings::changed, this, [this] {
        if (!m_frame.file.isEmpty()) find();
    });
}

void CodePane::createHead()
{
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 4, 8, 4);
    head->setSpacing(6);
    m_path->setObjectName(QStringLiteral("muted"));
    auto* settings = new QPushButton(tr("Sources and editor …"), this);
    settings->setToolTip(tr("In which folders sources lie, and which editor opens them"));
    m_open->setToolTip(tr("Open this line in the editor (Enter, or a double-click on a row)"));
    head->addWidget(m_path, 1);
    for (QPushButton* button : {m_open, settings}) {
        button->setObjectName(QStringLiteral("flat"));
        head->addWidget(button);
    }
    connect(settings, &QPushButton::clicked, this, &CodePane::ask);
    static_cast<QVBoxLayout*>(layout())->addLayout(head);
}

void CodePane::createMessage()
{
    constexpr int margin = 14, widest = 620;
    auto* page = new QScrollArea(this);  // a low panel has no room for all of it
    page->setWidgetResizable(true);
    page->setFrameShape(QFrame::NoFrame);
    page->setFocusPolicy(Qt::NoFocus);
    auto* content = new QWidget(page);
    page->setWidget(content);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(margin, margin, margin, margin);
    layout->setSpacing(10);
    m_message->setMaximumWidth(widest);
    layout->addWidget(m_message);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_read);
    buttons->addWidget(m_choose);
    buttons->addStretch(1);
    layout->addLayout(buttons);
    layout->addStretch(1);
    m_read->setToolTip(tr("Read this file, and others in its folder until the trace is closed"));
    m_choose->setToolTip(tr("The folder in which the program's sources lie on this machine; it is remembered"));
    m_pages->addWidget(page);
}

QString CodePane::message() const { return m_pages->currentIndex() == 0 ? QString() : m_message->plainText(); }

void CodePane::show(const CodeFrame& frame)
{
    m_opens = false;
    if (frame == m_frame && m_found.state == SourceState::There && message().isEmpty()) {
        m_code->mark(frame.line, frame.last);
        return;
    }
    m_frame = frame;
    find();
}

void CodePane::open(const CodeFrame& frame)
{
    m_frame = frame;
    m_opens = true;
    find();
}

void CodePane::say(const QString& text)
{
    m_finding.cancel();
    m_frame = {};
    m_found = {};
    m_opens = false;
    m_path->setText({});
    showMessage(text, false, false);
}

void CodePane::find()
{
    if (m_frame.line <= 0) {
        const CodeFrame frame = m_frame;
        const QString where = frame.module.isEmpty() ? tr("its program or library") : frame.module;
        say(tr("No line is known of %1: %2 has no debug information. Compile it with -g and record again.")
                .arg(frame.function, where));
        return;
    }
    m_finding.start([wish = SourceWish{.recorded = m_frame.file,
                                       .line = m_frame.line,
                                       .folders = m_settings.folders(),
                                       .allowed = m_allowed}](const Progress&) { return findSource(wish); },
                    [this](const SourceFound& found) { accept(found); });
}

void CodePane::accept(const SourceFound& found)
{
    m_found = found;
    const bool opens = std::exchange(m_opens, false);
    const QString name = QFileInfo(m_frame.file).fileName();
    m_path->setText(onOneLine(found.path.isEmpty() ? m_frame.file : found.path));
    switch (found.state) {
    case SourceState::There:
        showText(found.text);
        if (opens) openAt(m_frame.line);
        return;
    case SourceState::Unasked:
        showMessage(
            tr("The recording says that %1 is %2. It is read only if you say so: a trace may come from anybody.")
                .arg(name, onOneLine(found.path)),
            true, true);
        return;
    case SourceState::Missing:
        showMessage(found.path.isEmpty() || m_settings.folders().isEmpty()
                        ? tr("%1 was not found. Choose the folder in which the program's sources lie.")
                              .arg(onOneLine(m_frame.file))
                        : tr("%1 was not found, and neither in the folders of sources. Choose the folder in which it "
                             "lies, or one around it.")
                              .arg(onOneLine(m_frame.file)),
                    false, true);
        return;
    case SourceState::Refused:
        showMessage(tr("%1 is not shown. %2 %3").arg(onOneLine(found.path), found.error.what, found.error.hint), false,
                    true);
        return;
    }
}

void CodePane::showText(const SourceText& text)
{
    if (m_frame.line > text.lines)
        return showMessage(tr("%1 has %2 lines, and the call was in line %3: it is not the file that was compiled.")
                               .arg(onOneLine(text.path), QString::number(text.lines), QString::number(m_frame.line)),
                           false, true);
    const bool isNewer = m_recorded > 0 && text.modified > m_recorded;
    const QString path = onOneLine(text.path);
    m_path->setText(isNewer ? tr("%1: changed since the run, lines may have moved").arg(path) : path);
    m_code->setCode(text.text, text.first);
    m_pages->setCurrentIndex(0);
    m_code->mark(m_frame.line, m_frame.last);
    m_open->setEnabled(true);
}

void CodePane::showMessage(const QString& text, bool canRead, bool canChoose)
{
    m_message->setWords(text);
    m_read->setVisible(canRead);
    m_choose->setVisible(canChoose);
    m_code->setCode({}, 1);
    m_pages->setCurrentIndex(1);
    m_open->setEnabled(false);
}

// Allows to read the folder in which the file lies. Folders below it stay forbidden: the user has not seen their names.
void CodePane::allow()
{
    m_allowed.append(QFileInfo(m_found.path).path());
    find();
}

void CodePane::chooseFolder()
{
    const QString folder = askFolder(this, tr("Folder of the sources"), m_settings.folders().value(0));
    if (!folder.isEmpty()) useFolder(folder);
}

void CodePane::useFolder(const QString& folder)
{
    const QStringList before = m_settings.folders();
    m_settings.addFolder(folder);
    if (m_settings.folders() == before) find();
}

void CodePane::openAt(int line)
{
    if (m_found.state != SourceState::There) return;
    if (const Result<> opened = openInEditor(m_settings.editor(), m_found.path, line); !opened)
        Q_EMIT failed(opened.error());
}

void CodePane::ask()
{
    auto* dialog = new SourceDialog(m_settings, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

}  // namespace longpole
