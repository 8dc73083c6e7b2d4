// SPDX-License-Identifier: GPL-3.0-or-later
// The expert in the window: advice beside the timeline as soon as the tasks are loaded, where its links lead, and what
// is remembered of the thresholds.
#include "app/gui/frame/banner.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/sidebar.h"
#include "views/expert/advicepanel.h"
#include "views/expert/prioritypanel.h"
#include "views/expert/treepanel.h"
#include "views/plots/treecanvas.h"
#include "views/tables/sqlpanel.h"
#include "views/widgets/evidencelist.h"
#include "views/widgets/linklabel.h"
#include "views/widgets/tableview.h"

#include "support/testmain.h"

#include <QFile>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

class GuiExpertTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_trace = QStringLiteral(LONGPOLE_TEST_DATA "/chain_and_bulk_p6/prio.sts");
        qputenv("XDG_CACHE_HOME", m_folder.path().toLocal8Bit());  // imported once
    }
    void init()
    {
        QTest::failOnWarning(
            QRegularExpression(QStringLiteral("^(?!This plugin does not support (propagateSizeHints|raise))")));
        QFile::remove(m_folder.filePath(QStringLiteral("settings.ini")));
        m_settings = std::make_unique<Settings>(m_folder.filePath(QStringLiteral("settings.ini")));
        applyTheme(darkTheme());
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1440, 900);
        m_window->show();
    }
    void cleanup()
    {
        m_window.reset();
        m_settings.reset();
    }

    void adviceComesBesideTheTimeline()
    {
        open();
        QTRY_VERIFY_WITH_TIMEOUT(advice().isThere(), 20'000);
        QVERIFY(advice().isVisible());
        QVERIFY(!advice().cards().empty());
        QVERIFY(advice().cards().front()->advice().title.contains(QStringLiteral("chain_hop")));
        QCOMPARE(sideCount(), advice().countText());
        // One answer is for all.
        m_window->showTab(QLatin1String(panels::tree));
        QTRY_VERIFY(panel<TreePanel>(panels::tree).isThere());
        m_window->showTab(QLatin1String(panels::priorities));
        QTRY_VERIFY(panel<PriorityPanel>(panels::priorities).isThere());
        QVERIFY(panel<PriorityPanel>(panels::priorities).table().table().rowCount() > 0);
    }

    void evidenceBringsTheTimeline()
    {
        open();
        QTRY_VERIFY_WITH_TIMEOUT(advice().isThere(), 20'000);
        m_window->showTab(QLatin1String(panels::tree));
        QTRY_VERIFY(isOnScreen(panels::tree));
        AdviceCard& first = *advice().cards().front();
        first.setOpen(true);
        QVERIFY(first.evidence());
        first.evidence()->links().front()->follow();
        QTRY_VERIFY(isOnScreen(panels::timelines));
        QCOMPARE(m_window->workspace()->state().marked(), first.advice().evidence.front().range);
    }

    void sqlOfAnAdvice()
    {
        open();
        QTRY_VERIFY_WITH_TIMEOUT(advice().isThere(), 20'000);
        AdviceCard& first = *advice().cards().front();
        QVERIFY(!first.advice().sql.isEmpty());
        first.button(QStringLiteral("sql"))->click();
        QTRY_VERIFY(isOnScreen(panels::sql));
        auto& sql = panel<SqlPanel>(panels::sql);
        QCOMPARE(sql.editor().toPlainText(), first.advice().sql);
        QTRY_VERIFY_WITH_TIMEOUT(!sql.isRunning(), 20'000);
        QVERIFY2(sql.table().table().rowCount() > 0, qPrintable(sql.message()));
    }

    void columnShowsAdviceOrHealthOrNothing()
    {
        open();
        Workspace& workspace = *m_window->workspace();
        QVERIFY(workspace.isRightShown(RightPage::Advice));
        workspace.toggleRight(RightPage::Health);
        QVERIFY(workspace.isRightShown(RightPage::Health) && !workspace.isRightShown(RightPage::Advice));
        workspace.toggleRight(RightPage::Health);
        QVERIFY(!workspace.isPanelShown(Panel::Right));
        workspace.toggleRight(RightPage::Advice);
        QVERIFY(workspace.isRightShown(RightPage::Advice));
    }

    void thresholdsAreRemembered()
    {
        const QString file = m_folder.filePath(QStringLiteral("mine.toml"));
        write(file, "[when]\nutilization = 0.5\n");
        open();
        ExpertSource& source = m_window->workspace()->expert();
        QVERIFY(source.setThresholdsFile(file).ok());
        m_window->closeTrace();
        open();
        QCOMPARE(m_window->workspace()->expert().thresholdsFile(), file);
        QCOMPARE(m_window->workspace()->expert().thresholds().when.utilization, 0.5);
        // Broken since: said, the defaults hold, and the file is still the one that is meant.
        m_window->closeTrace();
        write(file, "[when]\nutilisation = 0.5\n");
        open();
        QTRY_VERIFY(m_window->banner().isVisible());
        QCOMPARE(m_window->workspace()->expert().thresholds().when.utilization, Thresholds{}.when.utilization);
        QCOMPARE(m_settings->text(QStringLiteral("thresholds")), file);
    }

    void closingWhileTheExpertThinks()
    {
        open();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->workspace()->expert().isComputing() || advice().isThere(), 20'000);
        m_window->closeTrace();
        QVERIFY(!m_window->workspace());
    }

private:
    void open()
    {
        m_window->open(m_trace);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->workspace(), 30'000);
    }
    static void write(const QString& path, const QByteArray& text)
    {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    }
    AdvicePanel& advice() { return *m_window->workspace()->advicePanel(); }
    template <typename PanelType>
    PanelType& panel(const char* id)
    {
        return m_window->workspace()->panel<PanelType>(id);
    }
    bool isOnScreen(const char* id) { return m_window->workspace()->area().find(QLatin1String(id))->isOnScreen(); }
    QString sideCount()
    {
        for (const QPushButton* button : m_window->workspace()->sidebar().findChildren<QPushButton*>())
            if (button->property("entry").toString() == QLatin1String("advice"))
                return button->findChild<QLabel*>(QStringLiteral("sideCount"))->text();
        return {};
    }

    QTemporaryDir m_folder;
    QString m_trace;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

LONGPOLE_GUI_TEST(GuiExpertTest)
#include "tst_gui_expert.moc"
