// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/projection/animationpanel.h"

#include "core/base/namedfile.h"
#include "core/trace/format.h"
#include "views/plots/colourbar.h"
#include "views/plots/gridcanvas.h"
#include "views/state/panelspec.h"
#include "views/widgets/filedialog.h"
#include "views/widgets/flowlayout.h"
#include "views/widgets/mayreplace.h"
#include "views/widgets/tableview.h"

#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSignalBlocker>
#include <QSlider>
#include <QSplitter>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <initializer_list>

namespace longpole {

namespace {

constexpr int stagesPerSecond[] = {1, 2, 5, 10, 20, 50};
constexpr int usualSpeed = 3;

}  // namespace

AnimationPanel::AnimationPanel(ViewState& state, QWidget* parent) : ProjectionPanel(state, false, parent)
{
    m_canvas = new GridCanvas(this);
    body().addWidget(m_canvas);
    body().setStretchFactor(body().count() - 1, 1);
    createControls();
    connect(m_canvas, &GridCanvas::hoverChanged, this, &AnimationPanel::showHovered);
    connect(m_canvas, &GridCanvas::activated, this, [this](std::size_t place) {
        if (const ProjectionPtr shown = projection(); shown && place < shown->pes.size())
            showInTimeline(shown->stages.range(stage()), {shown->pes[place]});
    });
    connect(&m_clock, &QTimer::timeout, this, [this] { step(1); });
    connect(&AnimationPanel::state(), &ViewState::pathChanged, this, &AnimationPanel::showPath);
    picker().setChosen({*parseAttribute(QStringLiteral("utilization"), state.store())});
}

void AnimationPanel::createControls()
{
    const auto button = [this](const QString& text, const QString& tip, bool checkable = false) {
        auto* made = new QToolButton(this);
        made->setObjectName(QStringLiteral("flat"));
        made->setText(text);
        made->setToolTip(tip);
        made->setAccessibleName(tip);
        made->setCheckable(checkable);
        return made;
    };
    QToolButton* back = button(QStringLiteral("‹"), tr("Stage before (Left)"));
    m_play = button(tr("Play"), tr("Play or pause (Space)"), true);
    m_play->setMinimumWidth(m_play->fontMetrics().horizontalAdvance(tr("Pause")) + 28);  // the same for both texts
    QToolButton* forward = button(QStringLiteral("›"), tr("Next stage (Right)"));
    m_loop = button(tr("loop"), tr("Start again after the last stage"), true);
    m_path = button(tr("path"), tr("The critical path walks over the PEs or ranks"), true);
    QToolButton* save = button(tr("Export …"), tr("Animated PNG, or a picture of each stage"));
    m_loop->setChecked(true);
    m_path->setChecked(true);
    m_scrub = new QSlider(Qt::Horizontal, this);
    m_scrub->setAccessibleName(tr("Stage"));
    m_scrub->setPageStep(10);
    m_stageText = new QLabel(this);
    m_stageText->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_speed = new QComboBox(this);
    for (const int speed : stagesPerSecond) m_speed->addItem(tr("%1 stages/s").arg(speed), speed);
    m_speed->setCurrentIndex(usualSpeed);
    m_speed->setAccessibleName(tr("Speed"));
    m_scale = new QComboBox(this);
    m_scale->addItems({tr("linear"), tr("log")});
    m_scale->setAccessibleName(tr("Scale of colours"));
    m_shapeField = new QLineEdit(QStringLiteral("square"), this);
    m_shapeField->setToolTip(tr("Arrangement: square, nodes, a number of columns, or columns x rows such as 16x8"));
    m_shapeField->setAccessibleName(tr("Arrangement of the PEs or ranks"));
    m_shapeField->setFixedWidth(90);
    m_colourBar = new ColourBar(this);
    auto* choices = new FlowLayout(6, 4);
    choices->setContentsMargins(12, 0, 12, 2);
    for (QWidget* one :
         std::initializer_list<QWidget*>{m_speed, m_loop, m_path, m_shapeField, m_scale, m_colourBar, save})
        choices->addWidget(one);
    auto* stages = new QHBoxLayout;
    stages->setContentsMargins(12, 0, 12, 2);
    stages->setSpacing(6);
    for (QWidget* one : std::initializer_list<QWidget*>{back, m_play, forward, m_scrub, m_stageText})
        stages->addWidget(one, one == m_scrub ? 1 : 0);
    auto* column = static_cast<QVBoxLayout*>(layout());
    column->insertLayout(1, choices);
    column->insertLayout(2, stages);

    connect(back, &QToolButton::clicked, this, [this] { step(-1); });
    connect(forward, &QToolButton::clicked, this, [this] { step(1); });
    connect(m_play, &QToolButton::toggled, this, &AnimationPanel::setPlaying);
    for (const QToolButton* one : {back, m_play, forward})  // then keys play and step on
        connect(one, &QToolButton::clicked, m_canvas, [this] { m_canvas->setFocus(); });
    connect(m_path, &QToolButton::toggled, this, &AnimationPanel::showPath);
    connect(m_scrub, &QSlider::valueChanged, this, &AnimationPanel::showStage);
    connect(m_speed, &QComboBox::currentIndexChanged, this,
            [this] { m_clock.setInterval(1000 / std::max(1, m_speed->currentData().toInt())); });
    m_clock.setInterval(1000 / stagesPerSecond[usualSpeed]);
    connect(m_scale, &QComboBox::currentIndexChanged, this, &AnimationPanel::showAnswers);
    connect(m_shapeField, &QLineEdit::editingFinished, this, &AnimationPanel::readShape);
    connect(save, &QToolButton::clicked, this, &AnimationPanel::chooseExport);
}

ProjectionPtr AnimationPanel::projection() const
{
    return feed().answers().empty() ? nullptr : feed().answers().front();
}

std::size_t AnimationPanel::stage() const { return static_cast<std::size_t>(std::max(0, m_scrub->value())); }

void AnimationPanel::setStage(std::size_t stage) { m_scrub->setValue(static_cast<int>(stage)); }

void AnimationPanel::setPlaying(bool playing)
{
    if (playing && m_scrub->value() == m_scrub->maximum()) m_scrub->setValue(0);
    const QSignalBlocker blocker(m_play);
    m_play->setChecked(playing);
    m_play->setText(playing ? tr("Pause") : tr("Play"));
    if (playing) m_clock.start();
    else m_clock.stop();
}

void AnimationPanel::step(int stages)
{
    const int next = m_scrub->value() + stages;
    if (next >= 0 && next <= m_scrub->maximum()) {
        m_scrub->setValue(next);
    } else if (m_loop->isChecked()) {
        m_scrub->setValue(next < 0 ? m_scrub->maximum() : 0);
    } else {
        setPlaying(false);
    }
}

void AnimationPanel::ask()
{
    feed().ask({.attributes = picker().chosen(),
                .stages = bar().stages(),
                .pes = bar().pes(),
                .kept = bar().kept(),
                .path = state().path()});
}

void AnimationPanel::showAnswers()
{
    const ProjectionPtr shown = projection();
    if (!shown || shown->stages.count() == 0) {
        m_canvas->setProjection(nullptr, {}, {});
        m_canvas->setNotice(feed().isWorking() ? tr("Counting …") : tr("Nothing to show."));
        m_colourBar->setEmpty();
        return;
    }
    const ColourScale scale = frameScale(*shown, themeOf(*this), ColourScaleKind::Calm, m_scale->currentIndex() == 1);
    m_canvas->setProjection(shown, ProcessorGrid(shown->pes, state().store().processors(), m_shape), scale);
    m_colourBar->setScale(scale, scale.axis(), shown->attribute.unit());
    m_scrub->setRange(0, static_cast<int>(shown->stages.count()) - 1);
    showPath();
    showStage();
}

void AnimationPanel::showPath()
{
    const ProjectionPtr shown = projection();
    const std::shared_ptr<const CriticalPath> path = state().path();
    if (!m_path->isChecked() || !shown || !path) return m_canvas->setPath(nullptr);
    m_canvas->setPath(std::make_shared<const std::vector<std::vector<GridVisit>>>(gridPath(*path, shown->stages,
                                                                                           shown->pes)));
}

void AnimationPanel::showStage()
{
    const ProjectionPtr shown = projection();
    if (!shown) return;
    m_canvas->setStage(stage());
    m_stageText->setText(stageText(shown->stages, stage(), zero()));
    showHovered();
}

void AnimationPanel::showHovered()
{
    const ProjectionPtr shown = projection();
    const std::optional<std::size_t> place = m_canvas->hovered();
    if (!shown || !place || *place >= shown->pes.size() || stage() >= shown->stages.count()) return setReadout({});
    const std::size_t cell = *place * shown->stages.count() + stage();
    const bool isApproximate = shown->isApproximate && shown->approximate[cell] != 0;
    setReadout(state()
                   .store()
                   .words()
                   .say(tr("PE %1 · %2 %3%4"), tr("Rank %1 · %2 %3%4"))
                   .arg(index(shown->pes[*place]))
                   .arg(attributeTitle(shown->attribute, state().store()),
                        isApproximate ? QStringLiteral("≈ ") : QString(),
                        attributeText(shown->values[cell], shown->attribute.unit())));
}

void AnimationPanel::readShape()
{
    const auto shape = parseGridShape(m_shapeField->text(), bar().pes().size());
    setOwnState(shape ? QString() : longpole::toText(shape.error()), !shape);
    if (!shape) return;
    m_shape = *shape;
    showAnswers();
}

void AnimationPanel::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Space: return setPlaying(!isPlaying());
    case Qt::Key_Left: return step(-1);
    case Qt::Key_Right: return step(1);
    default: ProjectionPanel::keyPressEvent(event);
    }
}

void AnimationPanel::hideEvent(QHideEvent* event)
{
    setPlaying(false);
    ProjectionPanel::hideEvent(event);
}

void AnimationPanel::chooseExport()
{
    QString filter;
    const QString frames = tr("One picture a stage (*.png)");
    const QString path = askFileToSave(this, tr("Export animation"), QStringLiteral("animation.png"),
                                       tr("Animated PNG (*.png)") + QStringLiteral(";;") + frames, &filter);
    if (!path.isEmpty()) exportTo(path, filter == frames);
}

void AnimationPanel::exportTo(const QString& path, bool asFrames)
{
    const ProjectionPtr shown = projection();
    if (!shown) return;
    if (asFrames) {
        QStringList files;
        for (std::size_t stage = 0; stage < shown->stages.count(); ++stage) files << frameFile(path, stage);
        if (!mayReplace(*this, files)) return;
    }
    AnimationPicture picture;
    picture.look.chart.theme = themeOf(*this);
    picture.look.chart.scale = devicePixelRatioF();
    picture.look.isLog = m_scale->currentIndex() == 1;
    picture.shape = m_shape;
    picture.delay = m_clock.interval();
    const std::shared_ptr<const CriticalPath> shownPath = m_path->isChecked() ? state().path() : nullptr;
    const auto write = [store = state().sharedStore(), shown, shownPath, picture, path,
                        asFrames](const Progress& progress) -> Result<> {
        AnimationPicture mine = picture;
        mine.path = shownPath.get();
        if (asFrames) return renderFrames(*store, *shown, mine, path, progress);
        return writeNamedFile(path,
                              [&](QIODevice& file) { return renderAnimation(*store, *shown, mine, file, progress); });
    };
    const QString written = asFrames ? tr("The stages' pictures are in %1.").arg(QFileInfo(path).path())
                                     : tr("The animation is in %1.").arg(path);
    Q_EMIT exportRequested({path, write, written});
}

namespace {

QWidget* makeAnimation(PanelHost& host, QWidget* parent)
{
    QWidget* panel = makeProjectionPanel<AnimationPanel>(host, parent);
    QObject::connect(static_cast<AnimationPanel*>(panel), &AnimationPanel::exportRequested, &host,
                     &PanelHost::exportRequested);
    return panel;
}

}  // namespace

namespace panels {

extern const PanelSpec animation;
const PanelSpec animation{
    .id = "panel.animation",
    .title = QT_TRANSLATE_NOOP("Actions", "Animation"),
    .command = QT_TRANSLATE_NOOP("Actions", "&Animation"),
    .question = QT_TRANSLATE_NOOP("Actions", "How did load move?"),
    .tip = QT_TRANSLATE_NOOP("Actions",
                             "PEs or ranks on a grid, coloured by any attribute, stage after stage, with the critical "
                             "path walking over them"),
    .help = QT_TRANSLATE_NOOP(
        "Actions",
        "PEs or ranks on a grid, coloured by an attribute, stage after stage, with the critical path walking "
        "over them. Colour that wanders is work that wanders; the path shows who held up the others at that "
        "time."),
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "load balance, topology, movie, grid, migration"),
    .group = PanelGroup::Timeline,
    .place = PanelPlace::Centre,
    .create = makeAnimation,
};

}  // namespace panels

}  // namespace longpole
