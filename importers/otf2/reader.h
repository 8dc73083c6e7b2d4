// SPDX-License-Identifier: GPL-3.0-or-later
// One location's events through a library reader of its own, so that several threads read several locations.
#pragma once

#include "core/base/result.h"
#include "importers/otf2/archive.h"
#include "importers/otf2/errors.h"

#include <otf2/otf2.h>

#include <cstdint>
#include <memory>

namespace longpole {

struct Otf2Closer {
    void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
    void operator()(OTF2_EvtReaderCallbacks* callbacks) const { OTF2_EvtReaderCallbacks_Delete(callbacks); }
    void operator()(OTF2_GlobalDefReaderCallbacks* callbacks) const { OTF2_GlobalDefReaderCallbacks_Delete(callbacks); }
};
using Otf2ReaderHandle = std::unique_ptr<OTF2_Reader, Otf2Closer>;
using Otf2EventCallbacks = std::unique_ptr<OTF2_EvtReaderCallbacks, Otf2Closer>;

// Errors: no archive, a substrate that the library cannot read.
Result<Otf2ReaderHandle> openOtf2(const Otf2Archive& archive, Otf2Messages& messages);

// The library believes whatever number of properties an anchor file states, and compares each with all: it is busy for
// minutes with 2^32 of them, and with some thousand for as long again whenever it opens a location.
bool isPlausibleOtf2Anchor(const QString& path);
Error unreadableOtf2Anchor(const Otf2Archive& archive, const QString& reason = {});

class Otf2LocationReader {
public:
    // Opens the location's event file and reads its own definitions (clock offsets and numbers of its own), if it has
    // any. Errors: no such file, not readable, not an event file.
    static Result<Otf2LocationReader> open(const Otf2Archive& archive, std::uint64_t location);
    Otf2LocationReader(Otf2LocationReader&&) noexcept = default;
    ~Otf2LocationReader();

    bool hasDefinitions() const { return m_hasDefinitions; }  // false: there are none, or their file is damaged

    bool isCut() const { return m_isCut; }  // its file does not end as one that was closed

    void setCallbacks(const OTF2_EvtReaderCallbacks& callbacks, void* user);

    enum class End : std::uint8_t { More, Whole, Interrupted, Damaged };
    // Hands up to `most` events to the callbacks. Damaged: the file ends early, cannot be read any further, or has
    // given more events than it has bytes, as the library reads some files for ever that were cut.
    End read(std::uint64_t most);
    std::uint64_t events() const { return m_events; }  // handed over so far

private:
    Otf2LocationReader() = default;
    Result<> openFiles(const Otf2Archive& archive, std::uint64_t location, Otf2Messages& messages);
    void lookAtEvents(const QString& path);
    void readOwnDefinitions(const Otf2Archive& archive, std::uint64_t location);

    Otf2ReaderHandle m_reader;
    OTF2_EvtReader* m_events_reader = nullptr;
    std::uint64_t m_events = 0;
    std::uint64_t m_mostEvents = 0;
    bool m_isCut = false;
    bool m_hasDefinitions = false;
};

}  // namespace longpole
