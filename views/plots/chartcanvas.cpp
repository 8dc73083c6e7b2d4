// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plots/chartcanvas.h"

#include "analysis/base/cells.h"
#include "core/base/namedfile.h"
#include "views/drawing/basics/picture.h"
#include "views/widgets/filedialog.h"
#include "views/widgets/notice.h"
#include "views/widgets/spoken.h"
#include "views/widgets/tableview.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>

namespace longpole {

ChartCanvas::ChartCanvas(QWidget* parent) : QWidget(parent)
{
    speakAs(*this, QAccessible::Chart);
    setMouseTracking(true);
    setFocusPolicy(Qt::ClickFocus);
    setMinimumSize(120, 40);
}

const Theme& ChartCanvas::theme() const { return themeOf(*this); }

void ChartCanvas::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
    paintChart(painter);
}

void ChartCanvas::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) update();
}

void ChartCanvas::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    menu.addAction(tr("Copy picture"), this, [this] {
        QApplication::clipboard()->setPixmap(grab());
        tell(*this, tr("Copied: the picture."));
    });
    menu.addAction(tr("Copy values"), this,
                   [this] { copyText(*this, QString::fromUtf8(safeCsv(toCsv())), tr("the values, as CSV")); });
    menu.addAction(tr("Export …"), this, &ChartCanvas::exportTo);
    menu.exec(event->globalPos());
}

QByteArray ChartCanvas::picture(bool isVector)
{
    const Sheet sheet{.size = size(), .title = accessibleName(), .scale = 2, .isVector = isVector};
    const Result<QByteArray> bytes = pictureBytes(sheet, [this](QPainter& painter) {
        painter.fillRect(rect(), theme().window);
        paintChart(painter);
    });
    return bytes ? *bytes : QByteArray();
}

Result<> ChartCanvas::save(const QString& path)
{
    const auto isA = [&path](const char* ending) { return path.endsWith(QLatin1String(ending), Qt::CaseInsensitive); };
    const QByteArray bytes = isA(".csv") ? safeCsv(toCsv()) : picture(isA(".svg"));
    if (bytes.isEmpty()) return Error{tr("The chart cannot be drawn."), path, {}};
    return writeNamedFile(path, bytes);
}

void ChartCanvas::exportTo()
{
    const QString path = askFileToSave(this, tr("Export chart"), QStringLiteral("chart.png"),
                                       tr("PNG picture (*.png);;SVG picture (*.svg);;Values (*.csv)"));
    if (path.isEmpty()) return;
    if (const Result<> saved = save(path); !saved) Q_EMIT exportFailed(saved.error());
    else tell(*this, tr("The chart is in %1.").arg(path), path);
}

}  // namespace longpole
