// SPDX-License-Identifier: GPL-3.0-or-later
// comparepictures BEFORE.png AFTER.png [DIFFERENCE.png]: the share of pixels that differ; the third picture shows them.
#include <QColor>
#include <QImage>

#include <cstdio>

int main(int argc, char** argv)
{
    if (argc < 3) return 2;
    const QImage before = QImage(QString::fromLocal8Bit(argv[1])).convertToFormat(QImage::Format_RGB32);
    const QImage after = QImage(QString::fromLocal8Bit(argv[2])).convertToFormat(QImage::Format_RGB32);
    if (before.isNull() || after.isNull()) return 3;
    const QSize size = before.size().expandedTo(after.size());
    QImage difference(size, QImage::Format_RGB32);
    long differing = 0;
    for (int y = 0; y < size.height(); ++y)
        for (int x = 0; x < size.width(); ++x) {
            const bool both = before.rect().contains(x, y) && after.rect().contains(x, y);
            const bool differs = !both || before.pixel(x, y) != after.pixel(x, y);
            differing += differs;
            const int grey = both ? 200 + qGray(after.pixel(x, y)) / 5 : 255;
            difference.setPixel(x, y, differs ? qRgb(220, 0, 60) : qRgb(grey, grey, grey));
        }
    std::printf("%.6f %dx%d %dx%d\n", double(differing) / double(size.width()) / size.height(), before.width(),
                before.height(), after.width(), after.height());
    if (argc > 3 && differing > 0) difference.save(QString::fromLocal8Bit(argv[3]));
    return 0;
}
