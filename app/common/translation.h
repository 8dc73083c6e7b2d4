// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of the programs in the user's language, if somebody has translated them.
#pragma once

#include <QLocale>
#include <QString>
#include <QTranslator>

namespace longpole {

// What script/translations and lrelease have made: all texts in one context, whatever class says them.
class Translation : public QTranslator {
public:
    QString translate(const char* context, const char* source, const char* disambiguation, int count) const override;
};

// The folder of longpole_<language>.qm, installed or in a build folder; empty if no language came with the programs.
QString translationsFolder();

// Has tr() answer in the language that the locale asks for, Qt's own texts too. False if that is not in the folder:
// texts stay English then.
bool installTranslation(const QString& folder = translationsFolder(), const QLocale& locale = QLocale::system());

}  // namespace longpole
