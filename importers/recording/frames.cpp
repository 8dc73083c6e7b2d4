// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the frames of a recording's file, and reads the small ones.
#include "core/base/limits.h"
#include "core/base/mayneverend.h"
#include "core/base/translate.h"
#include "core/file/filedata.h"
#include "importers/common/bytereader.h"
#include "importers/recording/file.h"

#include <QFile>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longpole {

struct RecordingBytes::OpenFile {
    explicit OpenFile(int number) : descriptor(number) {}
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile() { ::close(descriptor); }
    int descriptor;
};

RecordingBytes::RecordingBytes() = default;
RecordingBytes::RecordingBytes(QByteArray bytes)
    : m_bytes(std::move(bytes)), m_size(static_cast<std::uint64_t>(m_bytes.size())), m_explained(m_size)
{
}
RecordingBytes::RecordingBytes(RecordingBytes&&) noexcept = default;
RecordingBytes& RecordingBytes::operator=(RecordingBytes&&) noexcept = default;
RecordingBytes::~RecordingBytes() = default;

Result<RecordingBytes> RecordingBytes::open(const QString& path)
{
    RecordingBytes bytes;
    if (mayNeverEnd(path))
        return Error{.what = tr("This is no ordinary file."), .where = path, .hint = tr("Check its name.")};
    // Not by QFile, which asks the system about each file several times: a run of 100,000 ranks has as many.
    const int descriptor = ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return Error{.what = tr("The file could not be opened: %1.").arg(qt_error_string(errno)),
                     .where = path,
                     .hint = tr("Check that it exists and that you may read it.")};
    bytes.m_file = std::make_unique<OpenFile>(descriptor);
    struct stat status {};
    if (::fstat(descriptor, &status) == 0) bytes.m_size = static_cast<std::uint64_t>(status.st_size);
    bytes.m_explained = static_cast<std::uint64_t>(explainedBytes(descriptor));
    return bytes;
}

bool RecordingBytes::read(std::uint64_t offset, std::span<char> into) const
{
    if (offset > m_size || into.size() > m_size - offset) return false;
    if (!m_file) {
        std::copy_n(m_bytes.constData() + offset, into.size(), into.data());
        return true;
    }
    while (!into.empty()) {
        const ssize_t got = ::pread(m_file->descriptor, into.data(), into.size(), static_cast<off_t>(offset));
        if (got <= 0) return false;
        into = into.subspan(static_cast<std::size_t>(got));
        offset += static_cast<std::uint64_t>(got);
    }
    return true;
}

Result<lp_header> readRecordingHeader(const RecordingBytes& bytes, const char* magic, const QString& path)
{
    lp_header header{};
    const auto place = std::span(reinterpret_cast<char*>(&header), sizeof header);
    const bool whole = bytes.read(0, place);
    if (!whole || std::memcmp(header.magic, magic, sizeof header.magic) != 0) {
        return Error{.what = whole ? tr("This is no file of a recording.")
                                   : tr("The file is too short to be a recording's."),
                     .where = path,
                     .hint = tr("A recording is a folder of .lprank files that the recorder has written.")};
    }
    if (header.endian != LP_ENDIAN_MARK) {
        return Error{.what = tr("The recording was made on a machine with another byte order."),
                     .where = path,
                     .hint = tr("Import it on such a machine; .longpole files can be read on any.")};
    }
    if (header.version > LP_FORMAT_VERSION) {
        return Error{.what = tr("The recording has format version %1; this program reads up to %2.")
                                 .arg(header.version)
                                 .arg(LP_FORMAT_VERSION),
                     .where = path,
                     .hint = tr("Import it with the version of Longpole whose recorder made it, or a newer one.")};
    }
    for (const std::span<char> text :
         {std::span<char>(header.host), std::span<char>(header.boot_id), std::span<char>(header.library),
          std::span<char>(header.program), std::span<char>(header.command_line)}) {
        text.back() = 0;
    }
    return header;
}

namespace {

struct Frame {
    lp_frame head{};
    std::uint64_t offset = 0;       // of what follows the head
    std::span<const char> payload;  // empty for areas
    bool isCut = false;             // the file ends before it does
};

// Goes from frame to frame and gives each that is sound.
class FrameWalk {
public:
    explicit FrameWalk(const RecordingBytes& bytes)
        : m_bytes(bytes), m_left(limits::recordingWalk.of(static_cast<std::int64_t>(bytes.explained())))
    {
    }

    void run(const std::function<void(const Frame&)>& take, const Progress& progress = Progress())
    {
        for (std::uint64_t at = LP_FIRST_FRAME; at < m_bytes.size() && m_left >= 0 && !progress.isCancelled();) {
            const std::optional<lp_frame> head = headAt(at);
            if (!head) {
                const std::uint64_t next = findMagic(at + LP_ALIGNMENT);
                if (next >= m_bytes.size()) return;
                ++m_damaged;
                at = next;
                continue;
            }
            Frame frame{.head = *head, .offset = at + sizeof(lp_frame), .payload = {}, .isCut = false};
            if (isSound(frame)) {
                take(frame);
                at += lp_frame_size(frame.isCut ? m_bytes.size() - frame.offset : head->length);
            } else {
                ++m_damaged;
                at = findMagic(at + LP_ALIGNMENT);
            }
        }
    }
    std::int64_t damaged() const { return m_damaged; }

private:
    std::optional<lp_frame> headAt(std::uint64_t at) const
    {
        lp_frame head;
        if (!m_bytes.read(at, std::span(reinterpret_cast<char*>(&head), sizeof head))) return std::nullopt;
        if (head.magic != LP_FRAME_MAGIC) return std::nullopt;
        return head;
    }

    // Reads the payload. That of an area has no checksum: its records are checked one by one.
    bool isSound(Frame& frame)
    {
        const std::uint64_t rest = m_bytes.size() - frame.offset;
        const std::uint64_t sum = lp_head_checksum(frame.head);
        if (frame.head.kind == LP_AREA) {
            frame.isCut = frame.head.length > rest;
            return sum == frame.head.checksum && frame.head.length >= sizeof(lp_area) && rest >= sizeof(lp_area);
        }
        if (frame.head.length > rest) return false;
        if (frame.head.kind == LP_PADDING) return sum == frame.head.checksum;
        // Frames that lie in each other could make this read the rest of the file for each of them.
        m_left -= static_cast<std::int64_t>(frame.head.length);
        if (m_left < 0) return false;
        if (m_payload.size() < frame.head.length) m_payload.resize(frame.head.length);
        const std::span<char> payload(m_payload.data(), frame.head.length);
        if (!m_bytes.read(frame.offset, payload)) return false;
        frame.payload = payload;
        return lp_checksum(payload.data(), payload.size(), sum) == frame.head.checksum;
    }

    std::uint64_t findMagic(std::uint64_t from)
    {
        for (std::uint64_t at = from; at + sizeof(lp_frame) <= m_bytes.size(); at += LP_ALIGNMENT) {
            if (!isInBlock(at) && !readBlock(at)) break;
            std::uint64_t magic;
            std::memcpy(&magic, m_block.data() + (at - m_blockAt), sizeof magic);
            if (magic == LP_FRAME_MAGIC) return at;
        }
        return m_bytes.size();
    }

    bool isInBlock(std::uint64_t at) const
    {
        return at >= m_blockAt && at + sizeof(std::uint64_t) <= m_blockAt + m_block.size();
    }
    // What follows `at`, kept for the next search: one begins where the last one ended.
    bool readBlock(std::uint64_t at)
    {
        m_blockAt = at;
        m_block.resize(std::min<std::uint64_t>(1 << 20, m_bytes.size() - at));
        return m_bytes.read(at, m_block);
    }

    const RecordingBytes& m_bytes;
    std::vector<char> m_payload;
    std::vector<char> m_block;
    std::uint64_t m_blockAt = 0;
    std::int64_t m_left;  // bytes that may still be read
    std::int64_t m_damaged = 0;
};

QByteArray toBytes(std::span<const char> bytes)
{
    return QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size()));
}

void takeComm(ByteReader in, RecordedRank& rank)
{
    RecordedComm comm;
    if (!in.read(comm.head) || !isPossibleSize(comm.head)) return;
    const std::int64_t size = comm.head.size;
    if (comm.head.stride == 0) {  // else the head says it all
        const std::span<const char> listed = in.take(static_cast<std::size_t>(size) * sizeof(std::int32_t));
        if (listed.empty()) return;
        comm.members.resize(static_cast<std::size_t>(size));
        std::memcpy(comm.members.data(), listed.data(), listed.size());
    }
    comm.name = toBytes(in.take(comm.head.name_length));
    rank.comms.push_back(std::move(comm));
}

void takeNeighbours(ByteReader in, RecordedRank& rank)
{
    lp_neighbours_head head;
    if (!in.read(head) || head.sources < 0) return;
    const std::span<const char> listed = in.take(static_cast<std::size_t>(head.sources) * sizeof(std::int32_t));
    RecordedNeighbours neighbours{.comm = head.comm, .sources = {}};
    neighbours.sources.resize(listed.size() / sizeof(std::int32_t));
    if (!listed.empty()) std::memcpy(neighbours.sources.data(), listed.data(), listed.size());
    rank.neighbours.push_back(std::move(neighbours));
}

std::size_t padded(std::size_t length) { return (length + 7) / 8 * 8; }

void takeFunctions(ByteReader in, RecordedRank& rank)
{
    lp_known_function entry;
    while (in.read(entry)) {
        const std::span<const char> name = in.take(padded(entry.name_length));
        RecordedFunction& function = rank.functions[entry.region];
        function.address = entry.address;
        if (entry.name_length > 0 && !name.empty()) function.name = toBytes(name.first(entry.name_length));
    }
}

// Paths that no file has, and marks that no linker writes, would stand in the name of each place in such a module.
void takeModules(ByteReader in, RecordedRank& rank)
{
    constexpr std::uint32_t longestId = 64;
    const auto isName = [](std::string_view path) {
        const std::size_t slash = path.rfind('/');
        return path.size() < PATH_MAX && path.size() - (slash + 1) <= NAME_MAX;
    };
    lp_module module;
    while (in.read(module)) {
        const std::span<const char> path = in.take(padded(module.path_length));
        if (path.empty()) return;
        const std::span<const char> id = in.take(padded(module.build_id_length));
        const std::string_view written(path.data(), module.path_length);
        if (!isName(written) || module.build_id_length > longestId) continue;
        rank.modules.push_back({module.base, module.begin, module.end, toBytes(path.first(module.path_length)),
                                id.empty() ? QByteArray() : toBytes(id.first(module.build_id_length))});
    }
}

void takeStacks(ByteReader in, RecordedRank& rank)
{
    lp_stack_head head;
    while (in.read(head)) {
        const std::span<const char> addresses = in.take(std::size_t{head.count} * sizeof(std::uint64_t));
        if (addresses.empty()) return;
        std::vector<std::uint64_t>& stack = rank.stacks[head.stack];
        stack.resize(head.count);
        std::memcpy(stack.data(), addresses.data(), addresses.size());
    }
}

void takePlaces(ByteReader in, RecordedRank& rank)
{
    constexpr std::uint32_t longest = 4096;
    lp_place_head head;
    while (in.read(head)) {
        if (head.name_length > longest || head.file_length > longest) return;
        const std::span<const char> name = in.take(padded(head.name_length));
        const std::span<const char> file = in.take(padded(head.file_length));
        if (name.size() < head.name_length || file.size() < head.file_length) return;
        if (head.address >= LP_FIRST_PLACE)
            rank.places[head.address] = {toBytes(name.first(head.name_length)), toBytes(file.first(head.file_length)),
                                         static_cast<int>(head.line & 0x7fffffffu)};
    }
}

// How many columns chunks of that version have.
std::uint32_t columnsOf(std::uint32_t version)
{
    return version < 2 ? LP_STACK_OF : version < 5 ? LP_CORE_TIMES : LP_COLUMNS;
}

void takeChunk(const Frame& frame, RecordedRank& rank)
{
    const lp_frame& head = frame.head;
    if (head.raw_length > LP_LARGEST_BUFFER || head.coding > LP_CODING_ZSTD) return;
    rank.chunks.push_back({.thread = head.thread,
                           .seq = head.seq,
                           .coding = head.coding,
                           .records = head.records,
                           .offset = frame.offset,
                           .length = head.length,
                           .rawLength = head.raw_length,
                           .columns = columnsOf(rank.header.version),
                           .hasJoinedTimes = rank.header.version >= 3});
}

void takeArea(const Frame& frame, const RecordingBytes& bytes, RecordedRank& rank, ImportLog& log)
{
    lp_area area;
    if (!bytes.read(frame.offset, std::span(reinterpret_cast<char*>(&area), sizeof area))) return;
    const std::uint64_t room = std::min(frame.head.length, bytes.size() - frame.offset) - sizeof area;
    if (area.used > room) log.add(IssueKind::DamagedRecording);
    const std::uint64_t used = std::min(area.used, room);
    if (used == 0 && area.open_call == 0) return;
    rank.chunks.push_back({.thread = frame.head.thread,
                           .seq = frame.head.seq,
                           .coding = LP_CODING_RAW,
                           .records = 0,
                           .offset = frame.offset + sizeof area,
                           .length = used,
                           .rawLength = used,
                           .openCall = area.open_call,
                           .openBegin = area.open_begin});
}

void takeFrame(const Frame& frame, const RecordingBytes& bytes, RecordedRank& rank, ImportLog& log)
{
    ByteReader in(frame.payload);
    switch (frame.head.kind) {
    case LP_AREA: takeArea(frame, bytes, rank, log); break;
    case LP_CHUNK: takeChunk(frame, rank); break;
    case LP_COMM: takeComm(in, rank); break;
    case LP_REGION: {
        std::uint32_t number = 0;
        if (in.read(number)) rank.regions[number] = toBytes(in.take(in.remaining()));
        break;
    }
    case LP_FUNCTIONS: takeFunctions(in, rank); break;
    case LP_MODULES: takeModules(in, rank); break;
    case LP_NEIGHBOURS: takeNeighbours(in, rank); break;
    case LP_STACKS: takeStacks(in, rank); break;
    case LP_PLACES: takePlaces(in, rank); break;
    case LP_THREAD: {
        lp_thread_start start;
        if (in.read(start)) rank.threads[start.thread] = start;
        break;
    }
    default: break;  // padding, and what a later version adds
    }
}

// Orders chunks by thread and seq. Of a chunk that is there twice, or together with the area it was made from, one
// stays.
void orderChunks(RecordedRank& rank, ImportLog& log)
{
    const auto key = [](const RecordedChunk& chunk) { return std::pair(chunk.thread, chunk.seq); };
    std::stable_sort(rank.chunks.begin(), rank.chunks.end(), [&](const RecordedChunk& a, const RecordedChunk& b) {
        return std::tuple(a.thread, a.seq, a.records == 0) < std::tuple(b.thread, b.seq, b.records == 0);
    });
    const auto isSame = [&](const RecordedChunk& a, const RecordedChunk& b) { return key(a) == key(b); };
    rank.chunks.erase(std::unique(rank.chunks.begin(), rank.chunks.end(), isSame), rank.chunks.end());
    std::int64_t missing = 0;
    for (std::size_t i = 0; i < rank.chunks.size(); ++i) {
        const bool isFirst = i == 0 || rank.chunks[i - 1].thread != rank.chunks[i].thread;
        missing += std::int64_t(rank.chunks[i].seq) - (isFirst ? 0 : std::int64_t(rank.chunks[i - 1].seq) + 1);
    }
    if (missing > 0 && log.count(IssueKind::DamagedRecording) == 0) log.add(IssueKind::DamagedRecording, 0, missing);
}

void countEnd(const RecordedRank& rank, ImportLog& log)
{
    if (rank.header.stopped_errno != 0)
        log.add(IssueKind::StoppedRecording, 0, std::max<std::int64_t>(1, std::int64_t(rank.header.lost)));
    if (!rank.isClosed()) log.add(IssueKind::OpenRecording);
    if (rank.header.end_kind == LP_ABORTED || rank.header.end_kind == LP_EXITED) log.add(IssueKind::EarlyExit);
    if (!rank.isClosed() || rank.header.stopped_errno != 0) return;
    std::uint64_t records = 0;
    bool areas = false;
    for (const RecordedChunk& chunk : rank.chunks) {
        records += chunk.records;
        areas = areas || chunk.records == 0;
    }
    if (!areas && records < rank.header.records && log.count(IssueKind::DamagedRecording) == 0)
        log.add(IssueKind::DamagedRecording);
}

}  // namespace

Result<RecordedRank> readRecordedRank(const RecordingBytes& bytes, const QString& path, ImportLog& log,
                                      const Progress& progress)
{
    const Result<lp_header> header = readRecordingHeader(bytes, LP_RANK_MAGIC, path);
    if (!header) return header.error();
    RecordedRank rank;
    rank.path = path;
    rank.header = *header;
    rank.bytes = bytes.explained();
    FrameWalk walk(bytes);
    walk.run([&](const Frame& frame) { takeFrame(frame, bytes, rank, log); }, progress);
    if (progress.isCancelled()) return cancelledError(path);
    if (walk.damaged() > 0) log.add(IssueKind::DamagedRecording, 0, walk.damaged());
    orderChunks(rank, log);
    for (const RecordedChunk& chunk : rank.chunks) rank.recorded += chunk.rawLength;
    const auto records = static_cast<std::int64_t>(rank.recorded);
    if (const auto size = static_cast<std::int64_t>(rank.bytes); records > limits::recordingRecords.of(size))
        return impossibleFigure(tr("The file says that it holds %1 bytes of records").arg(records),
                                limits::recordingRecords, size, path);
    std::stable_sort(rank.comms.begin(), rank.comms.end(),
                     [](const RecordedComm& a, const RecordedComm& b) { return a.head.comm < b.head.comm; });
    countEnd(rank, log);
    return rank;
}

Result<std::vector<lp_index_rank>> readRecordingIndex(const RecordingBytes& bytes, const QString& path)
{
    const Result<lp_header> header = readRecordingHeader(bytes, LP_INDEX_MAGIC, path);
    if (!header) return header.error();
    std::vector<lp_index_rank> ranks;
    FrameWalk(bytes).run([&](const Frame& frame) {
        if (frame.head.kind != LP_RANKS) return;
        ranks.resize(frame.payload.size() / sizeof(lp_index_rank));
        if (!ranks.empty()) std::memcpy(ranks.data(), frame.payload.data(), ranks.size() * sizeof(lp_index_rank));
    });
    return ranks;
}

}  // namespace longpole
