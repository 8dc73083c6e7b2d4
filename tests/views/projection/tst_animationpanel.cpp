// SPDX-License-Identifier: GPL-3.0-or-later
// The animation as a hand meets it: colours of stages, playing, stepping, arrangement, the path's walk, exports.
#include "views/drawnstore.h"
#include "views/plots/gridcanvas.h"
#include "views/projection/animationpanel.h"
#include "views/state/viewstate.h"
#include "views/widgets/tableview.h"

#include "support/testmain.h"
#include "support/units.h"
#include "views/projection/stagefields.h"
#include "views/seen.h"

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QLineEdit>
#include <QMessageBox>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>

#include <vector>

namespace longpole {

using namespace test;

namespace {

// Five stages of 2 us: PE 0 is busy until 8 us, PE 1 with gaps.
const QStringList animatedRows{QStringLiteral("AAAABBBB.."), QStringLiteral("AA..BB..CC")};

struct ShownAnimation {
    DrawnStore store;
    ViewState state;
    AnimationPanel panel;
    int written = 0;
    std::vector<Error> failed{};

    explicit ShownAnimation(const QStringList& lines = animatedRows) : store(lines), state(store.shared()), panel(state)
    {
        // As the window does it, which writes on a thread.
        QObject::connect(&panel, &AnimationPanel::exportRequested, &panel, [this](const FileExport& file) {
            if (const Result<> done = file.write(Progress{}); done) ++written;
            else failed.push_back(done.error());
        });
        panel.resize(900, 600);
        panel.show();
        fill(stagesField(panel), QStringLiteral("stages=5"));
    }
    bool isExact() const { return panel.stateText() == QLatin1String("exact"); }
    QColor cellColour(std::size_t place)
    {
        GridCanvas& canvas = panel.canvas();
        const QRectF cell = canvas.cell(place);
        return canvas.grab().toImage().pixelColor(
            (cell.topLeft() + QPointF(cell.width() / 6, cell.height() / 6)).toPoint());
    }
};

std::shared_ptr<const CriticalPath> walk(const TraceStore& store)
{
    const TimeNs zero = store.info().begin;
    CriticalPath path;
    const auto step = [&](std::uint32_t pe, TimeNs begin, TimeNs end) {
        path.steps.push_back(
            {.task = {ProcessorId{pe}, 0}, .pe = ProcessorId{pe}, .begin = zero + begin, .end = zero + end});
    };
    step(0, 0, 3 * us);
    step(1, 4 * us, 5 * us);
    step(0, 5 * us, 8 * us);
    step(1, 8 * us, 10 * us);
    return std::make_shared<const CriticalPath>(std::move(path));
}

}  // namespace

class TestAnimationPanel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)"))); }
    void coloursFollowTheStage();
    void playsAndLoops();
    void keysStep();
    void spaceGoesOnAfterAClick();
    void arrangement();
    void hoverAndDoubleClick();
    void pathOverStages();
    void pathIsDrawn();
    void exports();
    void framesReplaceNothingUnasked();
    void exportsOfAFolderThatIsNotThere();
};

void TestAnimationPanel::coloursFollowTheStage()
{
    ShownAnimation shown;
    QTRY_VERIFY(shown.isExact());
    const ColourScale scale(themeOf(shown.panel), ColourScaleKind::Calm, valueAxis(0, 1, false, ValueUnit::Share));
    QCOMPARE(shown.panel.stage(), std::size_t(0));
    QCOMPARE(shown.cellColour(0), QColor(scale.colour(1)));
    QCOMPARE(shown.cellColour(1), QColor(scale.colour(1)));
    shown.panel.setStage(1);
    QCOMPARE(shown.cellColour(0), QColor(scale.colour(1)));
    QCOMPARE(shown.cellColour(1), QColor(scale.colour(0)));
    shown.panel.setStage(4);
    QCOMPARE(shown.cellColour(0), QColor(scale.colour(0)));
    QCOMPARE(shown.cellColour(1), QColor(scale.colour(1)));
}

void TestAnimationPanel::playsAndLoops()
{
    ShownAnimation shown;
    QTRY_VERIFY(shown.isExact());
    auto& speed = seen<QComboBox>(shown.panel, "Speed");
    speed.setCurrentIndex(speed.count() - 1);  // 50 stages a second
    seen<QToolButton>(shown.panel, "Start again after the last stage").setChecked(false);
    shown.panel.setPlaying(true);
    QTRY_VERIFY(!shown.panel.isPlaying());  // stops by itself
    QCOMPARE(shown.panel.stage(), std::size_t(4));
    shown.panel.setPlaying(true);  // begins again
    QVERIFY(shown.panel.stage() < 4);
    shown.panel.setPlaying(false);
    shown.panel.setStage(4);
    seen<QToolButton>(shown.panel, "Start again after the last stage").setChecked(true);
    shown.panel.step(1);
    QCOMPARE(shown.panel.stage(), std::size_t(0));
    shown.panel.step(-1);
    QCOMPARE(shown.panel.stage(), std::size_t(4));
    shown.panel.setPlaying(true);
    shown.panel.hide();
    QVERIFY(!shown.panel.isPlaying());
}

void TestAnimationPanel::keysStep()
{
    ShownAnimation shown;
    QTRY_VERIFY(shown.isExact());
    QTest::keyClick(&shown.panel, Qt::Key_Right);
    QTest::keyClick(&shown.panel, Qt::Key_Right);
    QCOMPARE(shown.panel.stage(), std::size_t(2));
    QTest::keyClick(&shown.panel, Qt::Key_Left);
    QCOMPARE(shown.panel.stage(), std::size_t(1));
    QTest::keyClick(&shown.panel, Qt::Key_Space);
    QVERIFY(shown.panel.isPlaying());
    QTest::keyClick(&shown.panel, Qt::Key_Space);
    QVERIFY(!shown.panel.isPlaying());
}

void TestAnimationPanel::spaceGoesOnAfterAClick()
{
    ShownAnimation shown;
    QTRY_VERIFY(shown.isExact());
    QToolButton* play = nullptr;
    for (QToolButton* button : shown.panel.findChildren<QToolButton*>())
        if (button->text() == QLatin1String("Play")) play = button;
    QVERIFY(play);
    QTest::mouseClick(play, Qt::LeftButton);
    QVERIFY(shown.panel.isPlaying());
    for (const bool plays : {false, true, false}) {
        QWidget* focused = shown.panel.window()->focusWidget();
        QVERIFY(focused);
        QTest::keyClick(focused, Qt::Key_Space);
        QCOMPARE(shown.panel.isPlaying(), plays);
    }
}

void TestAnimationPanel::arrangement()
{
    ShownAnimation shown;
    QTRY_VERIFY(shown.isExact());
    const auto write = [&](const char* text) {
        fill(seen<QLineEdit>(shown.panel, "Arrangement of the PEs or ranks"), QLatin1String(text));
    };
    QCOMPARE(shown.panel.canvas().grid().columns(), 2);
    write("1");
    QCOMPARE(shown.panel.canvas().grid().rows(), 2);
    write("1x1");  // too few cells: said, and nothing changes
    QVERIFY2(shown.panel.stateText().contains(QStringLiteral("too few")), qPrintable(shown.panel.stateText()));
    QCOMPARE(shown.panel.canvas().grid().rows(), 2);
    write("nodes");
    QTRY_VERIFY(shown.isExact());
    QCOMPARE(shown.panel.canvas().grid().rows(), 1);
}

void TestAnimationPanel::hoverAndDoubleClick()
{
    ShownAnimation shown;
    QTRY_VERIFY(shown.isExact());
    shown.panel.setStage(2);
    const QPoint second = shown.panel.canvas().cell(1).center().toPoint();
    QMouseEvent move(QEvent::MouseMove, QPointF(second), QPointF(second), Qt::NoButton, Qt::NoButton, {});
    QCoreApplication::sendEvent(&shown.panel.canvas(), &move);
    QVERIFY2(shown.panel.readout().startsWith(QStringLiteral("PE 1 · Utilization 100.0 %")),
             qPrintable(shown.panel.readout()));
    QTest::mouseDClick(&shown.panel.canvas(), Qt::LeftButton, {}, second);
    QCOMPARE(shown.state.processors(), std::vector{ProcessorId{1}});
    const TimeNs zero = shown.store->info().begin;
    QCOMPARE(shown.state.range(), (TimeRange{zero + 4 * us, zero + 6 * us}));
}

void TestAnimationPanel::pathOverStages()
{
    const DrawnStore store(animatedRows);
    const std::shared_ptr<const CriticalPath> path = walk(*store);
    const auto visits = gridPath(*path, equalStages(store->info().range(), 5),
                                 std::vector{ProcessorId{0}, ProcessorId{1}});
    using Visits = std::vector<GridVisit>;
    QCOMPARE(visits.size(), std::size_t(5));
    QCOMPARE(visits[0], (Visits{{0, 2 * us}}));
    QCOMPARE(visits[1], (Visits{{0, 1 * us}}));
    QCOMPARE(visits[2], (Visits{{1, 1 * us}, {0, 1 * us}}));
    QCOMPARE(visits[3], (Visits{{0, 2 * us}}));
    QCOMPARE(visits[4], (Visits{{1, 2 * us}}));
    // Processors that are not shown are not visited.
    const auto some = gridPath(*path, equalStages(store->info().range(), 5), std::vector{ProcessorId{1}});
    QVERIFY(some[0].empty());
    QCOMPARE(some[4], (Visits{{0, 2 * us}}));
}

void TestAnimationPanel::pathIsDrawn()
{
    ShownAnimation shown;
    QTRY_VERIFY(shown.isExact());
    const auto hasAccent = [&](std::size_t place) {
        const QImage picture = shown.panel.canvas().grab().toImage();
        const QRectF cell = shown.panel.canvas().cell(place);
        const QColor accent = themeOf(shown.panel).accent;
        for (int x = static_cast<int>(cell.left()); x < cell.left() + 6; ++x)
            if (picture.pixelColor(x, static_cast<int>(cell.center().y())) == accent) return true;
        return false;
    };
    QVERIFY(!hasAccent(0));
    shown.state.setPath(walk(*shown.store));
    QVERIFY(hasAccent(0));
    QVERIFY(!hasAccent(1));
    shown.panel.setStage(4);
    QVERIFY(hasAccent(1));
    seen<QToolButton>(shown.panel, "The critical path walks over the PEs or ranks").setChecked(false);
    QVERIFY(!hasAccent(1));
}

void TestAnimationPanel::exports()
{
    ShownAnimation shown;
    QTRY_VERIFY(shown.isExact());
    QTemporaryDir folder;
    const QString animation = folder.filePath(QStringLiteral("all.png"));
    shown.panel.exportTo(animation, false);
    QCOMPARE(shown.written, 1);
    QFile file(animation);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray png = file.readAll();
    QCOMPARE(png.count("fcTL"), 5);
    shown.panel.exportTo(folder.filePath(QStringLiteral("one.png")), true);
    QCOMPARE(shown.written, 2);
    for (int i = 0; i < 5; ++i) {
        const QImage frame(folder.filePath(QStringLiteral("one-000%1.png").arg(i)));
        QVERIFY(!frame.isNull());
        QCOMPARE(frame.size(), QImage::fromData(png).size());
    }
    QVERIFY(shown.failed.empty());
}

// The dialog asked about another name than those of the frames.
void TestAnimationPanel::framesReplaceNothingUnasked()
{
    ShownAnimation shown;
    QTRY_VERIFY(shown.isExact());
    QTemporaryDir folder;
    QFile mine(folder.filePath(QStringLiteral("one-0002.png")));
    QVERIFY(mine.open(QIODevice::WriteOnly));
    mine.close();
    const auto answer = [&](QMessageBox::StandardButton button) {
        QString question;
        QTimer::singleShot(0, &shown.panel, [&] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            QVERIFY(box);
            question = box->text();
            box->button(button)->click();
        });
        shown.panel.exportTo(folder.filePath(QStringLiteral("one.png")), true);
        return question;
    };
    QVERIFY(answer(QMessageBox::No).startsWith(mine.fileName()));
    QCOMPARE(shown.written, 0);
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{QStringLiteral("one-0002.png")});
    QVERIFY(answer(QMessageBox::Yes).startsWith(mine.fileName()));
    QCOMPARE(shown.written, 1);
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 5);
    QVERIFY(!QImage(mine.fileName()).isNull());
    // Nor does a Yes say anything about the file that a link leads to.
    const QString other = folder.filePath(QStringLiteral("other"));
    QVERIFY(mine.remove() && QFile::link(other, mine.fileName()));
    QVERIFY(answer(QMessageBox::Yes).contains(QStringLiteral("4 of the other files")));
    QCOMPARE(shown.failed.size(), std::size_t(1));
    QVERIFY(!QFile::exists(other));
}

void TestAnimationPanel::exportsOfAFolderThatIsNotThere()
{
    ShownAnimation shown;
    QTRY_VERIFY(shown.isExact());
    shown.panel.exportTo(QStringLiteral("/nowhere/x.png"), false);
    QCOMPARE(shown.failed.size(), std::size_t(1));
    shown.panel.exportTo(QStringLiteral("/nowhere/x.png"), true);
    QCOMPARE(shown.failed.size(), std::size_t(2));
}

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestAnimationPanel)
#include "tst_animationpanel.moc"
