// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/paneldock.h"

#include "views/widgets/elidedlabel.h"

#include <QCloseEvent>
#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

namespace longpole {

DockTitle::DockTitle(QDockWidget& dock) : QWidget(&dock), m_dock(dock), m_name(new QLabel(dock.windowTitle(), this))
{
    setObjectName(QStringLiteral("dockTitle"));
    setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 1, 4, 1);
    row->setSpacing(2);
    row->setSizeConstraint(QLayout::SetNoConstraint);
    m_name->setObjectName(QStringLiteral("dockName"));
    row->addWidget(m_name, 1);
    m_help = addButton(QStringLiteral("?"));
    m_help->setAccessibleName(tr("What this view shows"));
    m_help->hide();
    m_most = addButton({});
    m_window = addButton({});
    m_close = addButton(QStringLiteral("×"));
    m_close->setToolTip(tr("Close this view"));
    m_close->setAccessibleName(tr("Close"));
    connect(m_window, &QToolButton::clicked, this, [this] { m_dock.setFloating(!m_dock.isFloating()); });
    connect(m_most, &QToolButton::clicked, this, [this] {
        if (auto* panel = qobject_cast<PanelDock*>(&m_dock)) Q_EMIT panel->maximizeRequested();
    });
    connect(m_close, &QToolButton::clicked, &m_dock, &QDockWidget::close);
    connect(m_help, &QToolButton::clicked, this, [this] {
        if (auto* panel = qobject_cast<PanelDock*>(&m_dock)) Q_EMIT panel->helpRequested();
    });
    follow();
}

QToolButton* DockTitle::addButton(const QString& text)
{
    auto* button = new QToolButton(this);
    button->setObjectName(QStringLiteral("flat"));
    button->setText(text);
    button->setFocusPolicy(Qt::TabFocus);
    layout()->addWidget(button);
    return button;
}

void DockTitle::setText(const QString& text) { m_name->setText(text); }

void DockTitle::setHelp(const QString& text)
{
    m_help->setToolTip(text);
    m_help->setVisible(!m_folded);
}

void DockTitle::addControls(QWidget* controls)
{
    m_controls = controls;
    static_cast<QHBoxLayout*>(layout())->insertWidget(1, controls);
    m_controls->setVisible(!m_folded);
}

void DockTitle::follow()
{
    const bool isWindow = m_dock.isFloating();
    m_close->setVisible(!isWindow && !m_folded);  // a window's frame has a close button
    m_most->setVisible(!isWindow && !m_folded);   // and one that maximizes
    m_most->setText(m_maximized ? QStringLiteral("❐") : QStringLiteral("□"));
    m_most->setToolTip(m_maximized ? tr("Back among the other views (double-click)")
                                   : tr("Give this view the room of all others (double-click)"));
    m_most->setAccessibleName(m_maximized ? tr("Restore") : tr("Maximize"));
    m_window->setText(isWindow ? QStringLiteral("⇲") : QStringLiteral("⇱"));
    m_window->setToolTip(isWindow ? tr("Put this view back") : tr("Make this view a window of its own"));
    m_window->setAccessibleName(isWindow ? tr("Put back") : tr("Own window"));
}

void DockTitle::setMaximized(bool maximized)
{
    m_maximized = maximized;
    follow();
}

void DockTitle::setFolded(bool folded)
{
    if (folded == m_folded) return;
    m_folded = folded;
    m_name->setVisible(!folded);
    if (m_controls) m_controls->setVisible(!folded);
    m_help->setVisible(!folded && !m_help->toolTip().isEmpty());
    m_window->setVisible(!folded);
    follow();
    updateGeometry();
}

QSize DockTitle::sizeHint() const { return m_folded ? QSize(0, 0) : layout()->sizeHint(); }
QSize DockTitle::minimumSizeHint() const { return m_folded ? QSize(0, 0) : QSize(60, layout()->sizeHint().height()); }

void DockTitle::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    fillDockMenu(menu, m_dock);
    menu.exec(event->globalPos());
}

// Instead of QDockWidget's own, which makes the dock a window.
void DockTitle::mouseDoubleClickEvent(QMouseEvent* event)
{
    auto* panel = qobject_cast<PanelDock*>(&m_dock);
    if (event->button() != Qt::LeftButton || !panel || m_dock.isFloating()) QWidget::mouseDoubleClickEvent(event);
    else Q_EMIT panel->maximizeRequested();
}

PanelDock::PanelDock(const QString& id, const QString& title, Create create, QWidget* parent)
    : QDockWidget(title, parent), m_create(std::move(create)), m_holder(new QWidget(this)),
      m_line(new QWidget(m_holder)), m_title(new DockTitle(*this))
{
    setObjectName(id);
    setTitleBarWidget(m_title);
    // No content insists on a least size: the user decides what stands beside what.
    auto* layout = new QVBoxLayout(m_holder);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSizeConstraint(QLayout::SetNoConstraint);
    layout->setSpacing(0);
    m_line->setObjectName(QStringLiteral("hairline"));
    m_line->setAttribute(Qt::WA_StyledBackground);
    m_line->setFixedHeight(1);
    m_line->hide();
    layout->addWidget(m_line);
    m_holder->setMinimumSize(200, 84);
    setWidget(m_holder);
    connect(this, &QDockWidget::visibilityChanged, this, &PanelDock::follow);
    connect(this, &QDockWidget::topLevelChanged, m_title, &DockTitle::follow);
}

// Without this Qt makes a frameless tool window of a dock.
void PanelDock::frameWindow()
{
    if (!isFloating() || isHidden() || windowType() == Qt::Window) return;
    constexpr QSize least(480, 320);
    const QRect place(geometry().topLeft(), size().expandedTo(least));
    // A new window: of one that only changes its flags, a window manager may take the hiding for the new one's.
    hide();
    destroy();
    setWindowFlags(Qt::Window | Qt::WindowTitleHint | Qt::WindowSystemMenuHint | Qt::WindowMinMaxButtonsHint
                   | Qt::WindowCloseButtonHint);
    setGeometry(place);
    show();
    content().setFocus();
}

void PanelDock::closeEvent(QCloseEvent* event)
{
    QDockWidget::closeEvent(event);
    Q_EMIT closedByHand();
}

void PanelDock::setHelp(const QString& text)
{
    m_hasHelp = true;
    m_title->setHelp(text);
}

void PanelDock::setHeader(const QString& question, const QString& tip)
{
    auto* header = new QWidget(m_holder);
    header->setObjectName(QStringLiteral("viewHeader"));
    header->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(12, 3, 6, 1);
    row->setSpacing(8);
    auto* asked = new QLabel(question, header);
    asked->setObjectName(QStringLiteral("viewQuestion"));
    asked->setTextFormat(Qt::PlainText);
    auto* shown = new ElidedLabel(header);
    shown->setObjectName(QStringLiteral("muted"));
    shown->setText(tip);
    m_ask = new QToolButton(header);
    m_ask->setObjectName(QStringLiteral("flat"));
    m_ask->setText(QStringLiteral("?"));
    m_ask->setToolTip(tr("What this view shows, and how to read it (F1)"));
    m_ask->setAccessibleName(tr("What this view shows"));
    m_ask->setFocusPolicy(Qt::TabFocus);
    connect(m_ask, &QToolButton::clicked, this, &PanelDock::helpRequested);
    row->addWidget(asked);
    row->addWidget(shown, 1);
    row->addWidget(m_ask);
    setHeader(header);
    followTitle();
}

void PanelDock::setHeader(QWidget* header)
{
    m_header = header;
    static_cast<QVBoxLayout*>(m_holder->layout())->insertWidget(1, header);
}

void PanelDock::followTitle()
{
    if (m_ask) m_ask->setVisible(m_title->isFolded());
}

void PanelDock::hold(bool held)
{
    m_held = held;
    if (!held) follow(m_latest);
}

void PanelDock::setTab(bool isTab) { m_line->setVisible(isTab); }

QWidget& PanelDock::content()
{
    if (!m_content) {
        m_content = m_create(m_holder);
        m_holder->layout()->addWidget(m_content);
        static_cast<QVBoxLayout*>(m_holder->layout())->setStretchFactor(m_content, 1);
        m_content->setVisible(m_onScreen);
        // No focus proxy: Tab would be led to the content again whenever it comes to the dock.
    }
    return *m_content;
}

// To Qt a panel behind another tab is visible: its content is hidden here, so that it neither computes nor paints.
void PanelDock::follow(bool onScreen)
{
    m_latest = onScreen;
    if (m_held || onScreen == m_onScreen) return;
    m_onScreen = onScreen;
    if (onScreen) content().show();
    else if (m_content) m_content->hide();
    Q_EMIT onScreenChanged();
}

void fillDockMenu(QMenu& menu, QDockWidget& dock)
{
    if (auto* panel = qobject_cast<PanelDock*>(&dock); panel && panel->hasHelp())
        menu.addAction(DockTitle::tr("What this view shows"), panel, &PanelDock::helpRequested);
    if (auto* panel = qobject_cast<PanelDock*>(&dock); panel && !dock.isFloating())
        menu.addAction(DockTitle::tr("Maximize, or back"), panel, &PanelDock::maximizeRequested);
    menu.addAction(dock.isFloating() ? DockTitle::tr("Put back") : DockTitle::tr("Own window"), &dock,
                   [&dock] { dock.setFloating(!dock.isFloating()); });
    menu.addAction(DockTitle::tr("Close"), &dock, &QDockWidget::close);
}

}  // namespace longpole
