// SPDX-License-Identifier: GPL-3.0-or-later
// The profile of the path by what the hand chooses: rows, shares, where a row leads, and what happens meanwhile.
#include "views/drawnstore.h"
#include "views/path/sharetable.h"
#include "views/state/viewstate.h"

#include "support/testmain.h"
#include "support/units.h"

#include <QComboBox>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTest>

namespace longpole {

namespace {

// At order, the path is all that PE 0 does: 30 us. 20 us lie beside it.
const QStringList shareRows{QStringLiteral("AAAAABBBBBBBBBBAAAAAAAAAAAAAAA"),
                            QStringLiteral("BBBBBBBBBBBBBBBBBBBB..........")};

struct PathShareWindow {
    DrawnStore store;
    ViewState state;
    PathShareTable table;

    PathShareWindow() : store(shareRows), state(store.shared()), table(state)
    {
        const auto graph = loadActivityGraph(state.store(), Progress{});
        state.setGraph(*graph);
        ask({});
        table.resize(500, 300);
        table.show();
    }
    void ask(const PathQuestion& question)
    {
        state.setQuestion(question);
        const auto path = state.results()->ask(question, Progress{});
        state.setPath(*path);
    }
    QVariant raw(int row, int column) { return table.table().index(row, column).data(TableModel::RawRole); }
    QString text(int row, int column) { return table.table().index(row, column).data().toString(); }
    QString title() { return table.table().headerData(0, Qt::Horizontal).toString(); }
};

}  // namespace

class TestPathShareTable : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void byEntryMethodAtOnce()
    {
        PathShareWindow window;
        QVERIFY(!window.table.isComputing());
        QCOMPARE(window.title(), QStringLiteral("Entry method"));
        QCOMPARE(window.table.table().rowCount(), 2);
        QCOMPARE(window.text(0, 0), QStringLiteral("Drawn::A"));
        QCOMPARE(window.raw(0, 1).toLongLong(), 2);
        QCOMPARE(window.raw(0, 2).toLongLong(), 20 * us);
        QCOMPARE(window.raw(0, 3).toDouble(), 20.0 / 30);
    }

    void byOthers_data()
    {
        QTest::addColumn<int>("by");
        QTest::addColumn<QString>("title");
        QTest::addColumn<QString>("first");
        QTest::addColumn<double>("busyShare");
        QTest::newRow("chare") << int(ProfileBy::Chare) << QStringLiteral("Chare") << QStringLiteral("Drawn") << 1.0;
        QTest::newRow("PE") << int(ProfileBy::Pe) << QStringLiteral("PE") << QStringLiteral("PE 0") << 30.0 / 50;
    }
    void byOthers()
    {
        QFETCH(int, by);
        PathShareWindow window;
        QSignalSpy measured(&window.table, &TableView::measured);
        window.table.setBy(static_cast<ProfileBy>(by));
        QTRY_VERIFY(!window.table.isComputing());
        QTEST(window.title(), "title");
        QCOMPARE(window.table.table().rowCount(), 1);
        QTEST(window.text(0, 0), "first");
        QCOMPARE(window.raw(0, 2).toLongLong(), 30 * us);
        QCOMPARE(window.raw(0, 3).toDouble(), 1.0);
        QVERIFY(measured.size() >= 2);
    }

    // Of a range's path, beside the work in the range.
    void followsThePath()
    {
        PathShareWindow window;
        window.table.setBy(ProfileBy::Pe);
        QTRY_VERIFY(!window.table.isComputing());
        window.ask({.range = {20 * us, 30 * us}});
        QTRY_COMPARE(window.raw(0, 2).toLongLong(), 10 * us);
        window.ask({.range = {5 * us, 15 * us}});
        QTRY_COMPARE(window.raw(0, 2).toLongLong(), 10 * us);
        QTRY_COMPARE(window.raw(0, 4).toDouble(), 0.5);
        window.state.setPath(nullptr);
        QCOMPARE(window.table.table().rowCount(), 0);
    }

    void aRowLeadsToItsLongestPart()
    {
        PathShareWindow window;
        for (const ProfileBy by : {ProfileBy::Entry, ProfileBy::Pe, ProfileBy::Chare, ProfileBy::Object}) {
            window.table.setBy(by);
            QTRY_VERIFY(!window.table.isComputing());
            window.state.select({});
            Q_EMIT window.table.rowChosen(0, 0);
            QCOMPARE(window.state.selection().task, (TaskId{ProcessorId{0}, 2}));
        }
    }

    void theSelectorAndTheTableAgree()
    {
        PathShareWindow window;
        QCOMPARE(window.table.selector().currentText(), QStringLiteral("by entry method"));
        Q_EMIT window.table.selector().activated(3);
        QCOMPARE(window.table.by(), ProfileBy::Pe);
        QCOMPARE(window.table.selector().currentText(), QStringLiteral("by PE"));
        window.table.setBy(ProfileBy::Object);
        QCOMPARE(window.table.selector().currentText(), QStringLiteral("by object"));
    }

    void closingWhileComputing()
    {
        auto window = std::make_unique<PathShareWindow>();
        window->table.setBy(ProfileBy::Object);
        QVERIFY(window->table.isComputing());
        window.reset();
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestPathShareTable)
#include "tst_pathsharetable.moc"
