// SPDX-License-Identifier: GPL-3.0-or-later
// Menus and actions out of the table.
#include "app/gui/window/actions.h"

#include "app/gui/window/mainwindow.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/places.h"
#include "core/store/tracestore.h"

#include <QAction>
#include <QCoreApplication>
#include <QHash>
#include <QMenu>
#include <QMenuBar>

namespace longpole {

QString translatedAction(const char* text) { return QCoreApplication::translate("Actions", text); }

QList<QKeySequence> shortcutsOf(const ActionSpec& spec)
{
    QList<QKeySequence> keys;
    for (const QString& text : QString::fromLatin1(spec.shortcuts).split(QLatin1Char(' '), Qt::SkipEmptyParts))
        keys.append(QKeySequence::fromString(text, QKeySequence::PortableText));
    return keys;
}

Actions::Actions(MainWindow& window) : m_window(window)
{
    for (const ActionSpec& spec : actionSpecs()) {
        if (spec.isSeparator()) continue;
        auto* action = new QAction(&window);
        action->setObjectName(QLatin1String(spec.id));
        action->setShortcuts(shortcutsOf(spec));
        action->setShortcutContext(Qt::ApplicationShortcut);  // also in views that are windows of their own
        action->setStatusTip(QString());
        action->setCheckable(spec.isOn != nullptr);
        QObject::connect(action, &QAction::triggered, &window, [this, run = spec.run] {
            run(m_window);
            m_window.refreshActions();
        });
        window.addAction(action);
        m_actions.push_back(action);
        m_specs.push_back(&spec);
    }
    speak(nullptr);
}

void Actions::speak(const TraceStore* trace)
{
    const Vocabulary words = trace ? trace->words() : Vocabulary();
    for (std::size_t i = 0; i < m_actions.size(); ++i) {
        const ActionSpec& spec = *m_specs[i];
        QString text = spec.panel ? panelQuestion(words, *spec.panel) : translatedAction(words.say(spec.text));
        const QString lack = trace ? lackOf(spec.allNeeds(), *trace) : QString();
        if (!lack.isEmpty()) text = QCoreApplication::translate("Actions", "%1 (%2)").arg(text, lack);
        const char* tip = words.say(spec.tip);
        m_actions[i]->setText(text);
        m_actions[i]->setToolTip(tip[0] ? translatedAction(tip) : text);
        m_actions[i]->setWhatsThis(spec.panel ? panelText(words, spec.panel->help) : QString());
        m_actions[i]->setProperty(alsoCalledProperty,
                                  spec.panel ? translatedAction(spec.panel->alsoCalled) : QString());
    }
}

namespace {

// The menu of that path below `parent`, made if it is not there.
QMenu* submenu(QHash<QString, QMenu*>& menus, QMenuBar& bar, const QString& path)
{
    QMenu*& menu = menus[path];
    if (menu) return menu;
    const qsizetype last = path.lastIndexOf(QLatin1Char('/'));
    const QString title = translatedAction(path.mid(last + 1).toUtf8().constData());
    QMenu* made = last < 0 ? bar.addMenu(title) : submenu(menus, bar, path.left(last))->addMenu(title);
    made->setToolTipsVisible(true);
    return menus[path] = made;
}

}  // namespace

void Actions::addMenus(QMenuBar& bar)
{
    QHash<QString, QMenu*> menus;
    for (const ActionSpec& spec : actionSpecs()) {
        if (!spec.menu[0]) continue;
        QMenu* menu = submenu(menus, bar, QLatin1String(spec.menu));
        if (spec.isSeparator()) menu->addSeparator();
        else menu->addAction(find(QLatin1String(spec.id)));
    }
    for (QMenu* menu : std::as_const(menus))
        QObject::connect(menu, &QMenu::aboutToShow, &m_window, [this] { m_window.refreshActions(); });
}

void Actions::refresh(const TraceStore* trace)
{
    for (std::size_t i = 0; i < m_actions.size(); ++i) {
        const ActionSpec& spec = *m_specs[i];
        const bool isLacking = trace && !requireNeeds(spec.allNeeds(), *trace);
        m_actions[i]->setEnabled((trace || !spec.needsTrace) && !isLacking);
        if (spec.isOn) m_actions[i]->setChecked(spec.isOn(m_window));
    }
}

QAction* Actions::find(const QString& id) const
{
    for (QAction* action : m_actions)
        if (action->objectName() == id) return action;
    return nullptr;
}

}  // namespace longpole
