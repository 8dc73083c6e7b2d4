// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/translation.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLibraryInfo>

#include <memory>

namespace longpole {

QString Translation::translate(const char* /*context*/, const char* source, const char* disambiguation, int count) const
{
    return QTranslator::translate("longpole", source, disambiguation, count);
}

QString translationsFolder()
{
    const QString here = QCoreApplication::applicationDirPath();
    // Installed; or in a build folder, where the desktop program lies deeper.
    const QString places[] = {here + QStringLiteral("/../share/longpole/translations"),
                              here + QStringLiteral("/translations"), here + QStringLiteral("/../translations")};
    for (const QString& place : places)
        if (QFileInfo(place).isDir()) return place;
    return {};
}

bool installTranslation(const QString& folder, const QLocale& locale)
{
    if (folder.isEmpty()) return false;
    QCoreApplication* const application = QCoreApplication::instance();
    auto texts = std::make_unique<Translation>();
    const QString prefix = QStringLiteral("_");
    if (!texts->load(locale, QStringLiteral("longpole"), prefix, folder)) return false;
    auto qt = std::make_unique<QTranslator>();
    if (qt->load(locale, QStringLiteral("qtbase"), prefix, QLibraryInfo::path(QLibraryInfo::TranslationsPath))) {
        qt->setParent(application);
        QCoreApplication::installTranslator(qt.release());
    }
    texts->setParent(application);
    QCoreApplication::installTranslator(texts.release());  // asked first
    return true;
}

}  // namespace longpole
