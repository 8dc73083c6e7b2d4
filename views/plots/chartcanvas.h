// SPDX-License-Identifier: GPL-3.0-or-later
// A widget that shows a chart, and copies and exports it, all with the same function.
#pragma once

#include "core/base/result.h"
#include "views/drawing/basics/theme.h"

#include <QByteArray>
#include <QWidget>

namespace longpole {

class ChartCanvas : public QWidget {
    Q_OBJECT
public:
    explicit ChartCanvas(QWidget* parent = nullptr);

    virtual QByteArray toCsv() const = 0;  // exact values, RFC 4180
    Result<> save(const QString& path);    // .png, .svg or .csv

Q_SIGNALS:
    void exportFailed(const longpole::Error& error);

protected:
    virtual void paintChart(QPainter& painter) = 0;  // over the theme's ground, in the widget's size
    const Theme& theme() const;

    void paintEvent(QPaintEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QByteArray picture(bool isVector);
    void exportTo();
};

}  // namespace longpole
