// SPDX-License-Identifier: GPL-3.0-or-later
// The row of choices above the views: which critical path, over which edges, what colours mean, which arrows show, and
// the find field.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "core/trace/vocabulary.h"
#include "views/state/viewstate.h"

#include <QFrame>

#include <vector>

class QButtonGroup;
class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace longpole {

class HitHistogram;

class ToolRow : public QFrame {
    Q_OBJECT
public:
    explicit ToolRow(QWidget* parent = nullptr);

    // The setters show a choice that was made elsewhere, and emit no signal.
    void setPathOptions(PathMode mode, EdgeLevel edges);
    void setColour(ColourMode mode, PaletteKind kind);
    void setArrows(ArrowMode mode);
    void setHistory(bool canGoBack, bool canGoForward);
    void setHits(const QString& text);  // beside the find field
    HitHistogram& histogram() { return *m_histogram; }
    void setFindError(const QString& text);  // instead of hits
    void speak(Vocabulary words);            // those of the trace that is open
    void setTraceThere(bool there);
    // Hides the choices about tasks and messages if there are none, as in a summary.
    void setEventsThere(bool there);

    // Without the words beside its choices, which give way where the window is narrow.
    QSize minimumSizeHint() const override;

    QLineEdit& find() { return *m_find; }

Q_SIGNALS:
    void modeChosen(longpole::PathMode mode);
    void edgesChosen(longpole::EdgeLevel edges);
    void colourChosen(longpole::ColourMode mode, longpole::PaletteKind kind);
    void arrowsChosen(longpole::ArrowMode mode);
    void findChanged(const QString& text);
    void findNext();
    void findPrevious();
    void findLeft();  // Esc in the field
    void backRequested();
    void forwardRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitLabels();
    QLabel* addLabel(const QString& text);
    QComboBox* addCombo(const QString& name, const QStringList& texts);
    QWidget* addSegments();
    QString edgesTip() const;
    QStringList colourTexts() const;
    void addFind();

    Vocabulary m_words;
    PaletteKind m_kind = PaletteKind::Calm;
    QButtonGroup* m_modes;
    QComboBox* m_edges = nullptr;
    QComboBox* m_colour = nullptr;
    QComboBox* m_arrows = nullptr;
    QToolButton* m_back = nullptr;
    QToolButton* m_forward = nullptr;
    QLabel* m_hits = nullptr;
    HitHistogram* m_histogram = nullptr;
    QLineEdit* m_find = nullptr;
    std::vector<QLabel*> m_labels;     // the words beside choices
    std::vector<QWidget*> m_ofEvents;  // that setEventsThere hides
    bool m_hasEvents = true;
};

}  // namespace longpole
