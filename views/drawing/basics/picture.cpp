// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/basics/picture.h"

#include "core/base/translate.h"

#include <QBuffer>
#include <QSvgGenerator>

#include <algorithm>

namespace longpole {

namespace {

Result<QByteArray> svgBytes(const Sheet& sheet, const std::function<void(QPainter&)>& paint)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(sheet.size);
    generator.setViewBox(QRect(QPoint(0, 0), sheet.size));
    generator.setTitle(sheet.title.toHtmlEscaped());  // it writes what it is given
    generator.setResolution(96);
    QPainter painter;
    if (!painter.begin(&generator)) return Error{tr("The picture cannot be encoded."), {}, {}};
    paint(painter);
    painter.end();
    return allowedInXml(buffer.data());
}

}  // namespace

QByteArray allowedInXml(QByteArray xml)
{
    for (char& c : xml)
        if (c >= 0 && c < ' ' && c != '\n' && c != '\t' && c != '\r') c = ' ';
    return xml.replace("\xef\xbf\xbe", "   ").replace("\xef\xbf\xbf", "   ");
}

Result<QImage> pictureImage(const Sheet& sheet, const std::function<void(QPainter&)>& paint)
{
    const double scale = std::max(0.1, sheet.scale);
    QImage image((QSizeF(sheet.size) * scale).toSize(), QImage::Format_RGB32);
    if (image.isNull())
        return Error{tr("The picture is too large for memory."),
                     QStringLiteral("%1 x %2").arg(sheet.size.width()).arg(sheet.size.height()),
                     sheet.hint.isEmpty() ? tr("Ask for a smaller one, or an SVG.") : sheet.hint};
    image.setDevicePixelRatio(scale);
    image.fill(Qt::black);
    QPainter painter(&image);
    paint(painter);
    painter.end();
    return image;
}

Result<QByteArray> pictureBytes(const Sheet& sheet, const std::function<void(QPainter&)>& paint)
{
    if (sheet.isVector) return svgBytes(sheet, paint);
    const Result<QImage> image = pictureImage(sheet, paint);
    if (!image) return image.error();
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    if (!image->save(&buffer, "PNG"))
        return Error{tr("The picture cannot be encoded."), {}, tr("Ask for a smaller one.")};
    return buffer.data();
}

}  // namespace longpole
