// SPDX-License-Identifier: GPL-3.0-or-later
// The colours of names in the window: remembered over traces and windows, chosen by the user, learned of many names.
#include "app/gui/window/windowfixture.h"
#include "views/timeline/canvas.h"
#include "views/timeline/view.h"

#include "views/drawnstore.h"

#include <QColor>
#include <QTest>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

using namespace longpole;
using namespace longpole::test;

class WindowColoursTest : public QObject, private WindowFixture {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        shareCache();
        writeTrace();
    }
    void init()
    {
        prepare();
        m_window = std::make_unique<MainWindow>(*m_settings);
    }
    void cleanup() { end(); }

    void coloursAreRememberedAndChosen()
    {
        show({1280, 720});
        open(m_small);
        const auto colour = [this] {
            return m_window->workspace()->timeline().canvas().colours().entry(EntryId{0}) | 0xff000000u;
        };
        const QRgb first = colour();
        QCOMPARE(m_settings->colours().remembered(PaletteKind::Calm).empty(), false);
        ViewState& state = m_window->workspace()->state();
        const QString name = colourName(*state.store().entry(EntryId{0}), ColourBy::EntryMethod);
        state.askColour(name, QColor(0x12, 0x34, 0x56));
        QCOMPARE(colour(), qRgb(0x12, 0x34, 0x56));
        // Another trace, another window: it is kept by the name.
        m_window->closeTrace();
        open(m_small);
        QCOMPARE(colour(), qRgb(0x12, 0x34, 0x56));
        m_window->workspace()->state().askColour(name, {});
        QCOMPARE(colour(), first);
    }

    // The names of a stranger's large file are learned while the window goes on, and take no choice of the user's back.
    void coloursOfManyNamesAreLearnedMeanwhile()
    {
        const DrawnStore many({QStringLiteral("AAAA..BBBB")}, {.profile = true, .moreNames = 100'000});
        const QString chosen = colourName(*many->entry(DrawnStore::entryOf('A')), ColourBy::EntryMethod);
        const QString learned = colourName(*many->entry(DrawnStore::entryOf('B')), ColourBy::EntryMethod);
        show({1280, 720});
        open(many.path());
        m_settings->setColours({});  // whatever was learned since it was opened
        m_window->workspace()->state().askColour(chosen, QColor(0x12, 0x34, 0x56));
        QVERIFY(!m_settings->colours().remembered(PaletteKind::Calm).contains(learned));  // the window did not wait
        QTRY_VERIFY_WITH_TIMEOUT(m_settings->colours().remembered(PaletteKind::Calm).contains(learned), 60'000);
        QCOMPARE(m_settings->colours().own(chosen), std::optional<QRgb>(qRgb(0x12, 0x34, 0x56)));
        const auto colour = [this] {
            return m_window->workspace()->timeline().canvas().colours().entry(DrawnStore::entryOf('A')) | 0xff000000u;
        };
        QTRY_COMPARE_WITH_TIMEOUT(colour(), qRgb(0x12, 0x34, 0x56), 60'000);
    }

    // Whatever names a stranger's trace has: the user's own colours stay.
    void ownColoursOutliveStrangeNames()
    {
        ColourMemory memory = m_settings->colours();
        memory.setOwn(QStringLiteral("Jacobi::compute"), 0xff0000);
        std::vector<Entry> entries;
        std::vector<ProfileRow> profile;
        for (std::uint32_t id = 0; id < 200; ++id) {
            entries.push_back({.id = EntryId{id},
                               .name = QString::number(id) + QStringLiteral("\":").repeated(120),
                               .chare = QString()});
            profile.push_back({.pe = ProcessorId{0}, .entry = EntryId{id}, .count = 1, .exclusive = 10});
        }
        memory.learn(entries, profile);
        m_settings->setColours(memory);
        for (int turn = 0; turn < 2; ++turn) {
            const ColourMemory kept = m_settings->colours();
            QVERIFY(kept.own(QStringLiteral("Jacobi::compute")).has_value());
            QCOMPARE(kept.remembered(PaletteKind::Calm).size(), std::size_t(200));
            m_settings->setColours(kept);
        }
    }
};

LONGPOLE_GUI_TEST(WindowColoursTest)
#include "tst_gui_colours.moc"
