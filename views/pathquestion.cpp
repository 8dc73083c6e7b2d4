// Names of what can be asked.
#include "views/pathquestion.h"

#include <QCoreApplication>

namespace longpole {

QString edgesName(EdgeLevel level)
{
    switch (level) {
    case EdgeLevel::Messages: return QCoreApplication::translate("EdgeLevel", "messages");
    case EdgeLevel::Merges: return QCoreApplication::translate("EdgeLevel", "merges");
    case EdgeLevel::Order: return QCoreApplication::translate("EdgeLevel", "order");
    }
    return {};
}

}  // namespace longpole
