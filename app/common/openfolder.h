// SPDX-License-Identifier: GPL-3.0-or-later
// Names for what lies in a folder that is open, which hold whoever may have given the folder's own name to another one.
#pragma once

#include <QByteArray>
#include <QDir>
#include <QString>

#include <utility>

namespace longpole {

constexpr QDir::Filters everything = QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot;

// Leads to the folder that this descriptor has open, where /proc is there.
QString pathOfOpen(int folder);
// Whether that path leads to it.
bool isOpenAt(const QString& path, int folder);

// A folder as long as it is open.
class OpenFolder {
public:
    OpenFolder() = default;
    explicit OpenFolder(int descriptor) : m_descriptor(descriptor) {}
    OpenFolder(OpenFolder&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
    OpenFolder& operator=(OpenFolder&& other) noexcept
    {
        std::swap(m_descriptor, other.m_descriptor);
        return *this;
    }
    ~OpenFolder();
    // The folder of that name, which may lead there over a link.
    static OpenFolder named(const QString& path);
    // That of that name in another one, if it is the user's own and the name leads there itself.
    static OpenFolder ownIn(int above, const QByteArray& name);

    bool isValid() const { return m_descriptor >= 0; }
    int descriptor() const { return m_descriptor; }
    QString path() const { return pathOfOpen(m_descriptor); }

private:
    int m_descriptor = -1;
};

}  // namespace longpole
