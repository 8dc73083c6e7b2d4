// SPDX-License-Identifier: GPL-3.0-or-later
// Anything that can paint itself as the bytes of a PNG or SVG file.
#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QPainter>
#include <QSize>
#include <QString>

#include <functional>

namespace longpole {

struct Sheet {
    QSize size;
    QString title;          // of the SVG
    double scale = 1;       // device pixels per pixel (PNG)
    bool isVector = false;  // SVG instead of PNG
};

// Errors: the picture is too large for memory, or cannot be encoded. Needs a QGuiApplication for fonts.
Result<QByteArray> pictureBytes(const Sheet& sheet, const std::function<void(QPainter&)>& paint);

}  // namespace longpole
