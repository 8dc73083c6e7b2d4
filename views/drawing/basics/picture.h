// SPDX-License-Identifier: GPL-3.0-or-later
// Anything that can paint itself as an image, or as the bytes of a PNG or SVG file.
#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QImage>
#include <QPainter>
#include <QSize>
#include <QString>

#include <functional>

namespace longpole {

struct Sheet {
    QSize size;
    QString title = {};     // of the SVG
    double scale = 1;       // device pixels per pixel (PNG)
    bool isVector = false;  // SVG instead of PNG
    QString hint = {};      // what to do where the picture is too large; empty: the usual advice
};

// Both need a QGuiApplication for fonts. Errors: the picture is too large for memory, or cannot be encoded.
Result<QImage> pictureImage(const Sheet& sheet, const std::function<void(QPainter&)>& paint);
Result<QByteArray> pictureBytes(const Sheet& sheet, const std::function<void(QPainter&)>& paint);

// The bytes of an SVG without the characters that XML forbids even escaped: names have them, and Qt writes them as they
// are.
QByteArray allowedInXml(QByteArray xml);

}  // namespace longpole
