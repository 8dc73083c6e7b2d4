// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/argumentbytes.h"

#include <QStringBuilder>
#include <QUtf8StringView>

#include <cstring>

#include <fcntl.h>

namespace longpole {

namespace {

bool isUtf8(const QByteArray& bytes) { return QUtf8StringView(bytes).isValidUtf8(); }

QByteArray descriptorOf(const QByteArray& path)
{
    const int descriptor = ::open(path.constData(), O_PATH | O_CLOEXEC);
    return descriptor < 0 ? QByteArray() : QByteArray("/proc/self/fd/" + QByteArray::number(descriptor));
}

// A file keeps its name, which says what it is, if that is UTF-8 and only its folder's is none.
QByteArray byDescriptor(const QByteArray& path)
{
    const qsizetype slash = path.lastIndexOf('/');
    const QByteArray name = path.mid(slash + 1);
    if (slash <= 0 || name.isEmpty() || !isUtf8(name)) return descriptorOf(path);
    const QByteArray folder = descriptorOf(path.left(slash));
    return folder.isEmpty() ? QByteArray() : QByteArray(folder + '/' + name);
}

}  // namespace

std::vector<ReplacedArgument> replaceByDescriptors(int argc, char** argv)
{
    std::vector<ReplacedArgument> replaced;
    for (int i = 1; i < argc; ++i) {
        const QByteArray argument(argv[i]);
        if (isUtf8(argument)) continue;
        const qsizetype value = argument.startsWith("--") ? argument.indexOf('=') + 1 : 0;
        const QByteArray typed = argument.mid(value);
        const QByteArray path = byDescriptor(typed);
        if (path.isEmpty()) continue;
        replaced.push_back({typed, path});
        argv[i] = ::strdup(QByteArray(argument.left(value) + path).constData());  // for as long as the program runs
    }
    return replaced;
}

}  // namespace longpole
