// SPDX-License-Identifier: GPL-3.0-or-later
// Opening archives and locations with the OTF2 library.
#include "importers/otf2/reader.h"

#include "core/base/limits.h"
#include "core/base/mayneverend.h"
#include "core/base/translate.h"

#include <QFile>
#include <QFileInfo>
#include <QtEndian>

#include <algorithm>

namespace longpole {
namespace {

Error unknownSubstrate(const Otf2Archive& archive)
{
    return Error{.what = tr("The archive is not stored in plain files (substrate POSIX) but in a SION container."),
                 .where = archive.anchor,
                 .hint = tr("Copy it into plain files with a library that has SIONlib, or record with "
                            "SCOREP_TRACING_USE_SION=false.")};
}

// Where an anchor file names its substrate: after the magic, the version and the chunk sizes.
constexpr int substrateByte = 28;
// What follows the substrate, compression and the numbers of locations and definitions: machine, creator and
// description, each ended by a zero, then the number of properties.
constexpr int textsByte = 46;

QByteArray headOf(const QString& anchor)
{
    QFile file(anchor);
    return !mayNeverEnd(anchor) && file.open(QIODevice::ReadOnly) ? file.read(limits::otf2Anchor.free + 1)
                                                                  : QByteArray();
}

// Libraries without SION refuse to open such archives.
bool isSion(const QByteArray& anchor)
{
    return anchor.mid(2, 4) == "OTF2" && anchor.size() > substrateByte
           && anchor[substrateByte] == char(OTF2_SUBSTRATE_SION);
}

}  // namespace

Error unreadableOtf2Anchor(const Otf2Archive& archive, const QString& reason)
{
    const QString what = tr("This anchor file of an OTF2 archive cannot be read.");
    return Error{.what = reason.isEmpty() ? what : tr("%1 The OTF2 library says: %2.").arg(what, reason),
                 .where = archive.anchor,
                 .hint = tr("It may be cut, damaged, or newer than the library.")};
}

Result<Otf2ReaderHandle> openOtf2(const Otf2Archive& archive, Otf2Messages& messages)
{
    if (mayNeverEnd(archive.anchor))
        return Error{tr("This is no ordinary file."), archive.anchor, tr("Check its name.")};
    Otf2ReaderHandle reader(OTF2_Reader_Open(QFile::encodeName(archive.anchor).constData()));
    if (reader == nullptr) {
        if (isSion(headOf(archive.anchor))) return unknownSubstrate(archive);
        return unreadableOtf2Anchor(archive, messages.take());
    }
    OTF2_FileSubstrate substrate = OTF2_SUBSTRATE_UNDEFINED;
    OTF2_Reader_GetFileSubstrate(reader.get(), &substrate);
    if (substrate == OTF2_SUBSTRATE_SION) return unknownSubstrate(archive);
    OTF2_Reader_SetSerialCollectiveCallbacks(reader.get());
    return reader;
}

bool isPlausibleOtf2Anchor(const QString& path)
{
    const QByteArray anchor = headOf(path);
    if (anchor.mid(2, 4) != "OTF2" || anchor.size() > limits::otf2Anchor.free) return false;
    qsizetype at = textsByte;
    for (int text = 0; text < 3; ++text) at = anchor.indexOf('\0', at) + 1;
    if (at <= textsByte || at + 4 > anchor.size()) return at > textsByte;
    const auto little = qFromLittleEndian<quint32>(anchor.constData() + at);
    const auto big = qFromBigEndian<quint32>(anchor.constData() + at);
    const qint64 properties = anchor[1] == 'B' ? little : anchor[1] == '#' ? big : std::max(little, big);
    return properties <= std::min<qint64>(anchor.size(), limits::otf2Properties.free);
}

Result<Otf2LocationReader> Otf2LocationReader::open(const Otf2Archive& archive, std::uint64_t location)
{
    Otf2Messages messages;
    Otf2LocationReader result;
    if (Result<> opened = result.openFiles(archive, location, messages); !opened) return opened.error();
    return result;
}

Otf2LocationReader::~Otf2LocationReader()
{
    if (m_reader == nullptr || m_events_reader == nullptr) return;
    OTF2_Reader_CloseEvtReader(m_reader.get(), m_events_reader);
    OTF2_Reader_CloseEvtFiles(m_reader.get());
}

Result<> Otf2LocationReader::openFiles(const Otf2Archive& archive, std::uint64_t location, Otf2Messages& messages)
{
    Result<Otf2ReaderHandle> reader = openOtf2(archive, messages);
    if (!reader) return reader.error();
    m_reader = std::move(*reader);
    lookAtEvents(archive.eventsOf(location));
    OTF2_Reader_SelectLocation(m_reader.get(), location);
    readOwnDefinitions(archive, location);
    messages.take();
    if (OTF2_Reader_OpenEvtFiles(m_reader.get()) == OTF2_SUCCESS)
        m_events_reader = OTF2_Reader_GetEvtReader(m_reader.get(), location);
    if (m_events_reader == nullptr)
        return messages.error(tr("The events of a location cannot be read."), archive.eventsOf(location));
    return Unit{};
}

// Its length, which bounds how many events it has, and its end.
void Otf2LocationReader::lookAtEvents(const QString& path)
{
    constexpr std::uint64_t mostInflated = 1032;  // of deflate
    constexpr QByteArrayView end("\x02\x01", 2);  // of the file and of its last chunk
    OTF2_Compression compression = OTF2_COMPRESSION_UNDEFINED;
    OTF2_Reader_GetCompression(m_reader.get(), &compression);
    const bool isPlain = compression == OTF2_COMPRESSION_NONE;
    QFile file(path);
    if (mayNeverEnd(path) || !file.open(QIODevice::ReadOnly)) return;
    m_mostEvents = static_cast<std::uint64_t>(file.size()) * (isPlain ? 1 : mostInflated);
    m_isCut = isPlain && (!file.seek(std::max<qint64>(0, file.size() - end.size())) || file.read(end.size()) != end);
}

void Otf2LocationReader::readOwnDefinitions(const Otf2Archive& archive, std::uint64_t location)
{
    const QString path = archive.definitionsOf(location);
    if (mayNeverEnd(path) || !QFileInfo(path).isFile()) return;
    if (OTF2_Reader_OpenDefFiles(m_reader.get()) != OTF2_SUCCESS) return;
    if (OTF2_DefReader* definitions = OTF2_Reader_GetDefReader(m_reader.get(), location)) {
        std::uint64_t read = 0;
        m_hasDefinitions = OTF2_Reader_ReadAllLocalDefinitions(m_reader.get(), definitions, &read) == OTF2_SUCCESS;
        OTF2_Reader_CloseDefReader(m_reader.get(), definitions);
    }
    OTF2_Reader_CloseDefFiles(m_reader.get());
}

void Otf2LocationReader::setCallbacks(const OTF2_EvtReaderCallbacks& callbacks, void* user)
{
    OTF2_Reader_RegisterEvtCallbacks(m_reader.get(), m_events_reader, &callbacks, user);
}

Otf2LocationReader::End Otf2LocationReader::read(std::uint64_t most)
{
    std::uint64_t read = 0;
    most = std::min(most, m_mostEvents - std::min(m_mostEvents, m_events) + 1);
    const OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(m_reader.get(), m_events_reader, most, &read);
    m_events += read;
    if (code == OTF2_ERROR_INTERRUPTED_BY_CALLBACK) return End::Interrupted;
    if (code != OTF2_SUCCESS || m_events > m_mostEvents) return End::Damaged;
    return read < most ? End::Whole : End::More;
}

}  // namespace longpole
