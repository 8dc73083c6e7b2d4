// SPDX-License-Identifier: GPL-3.0-or-later
#include "prioritytable.h"

#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace longpole_module {

namespace {

const char notPriorities[] = "it holds no priorities";
const char broken[] = "it is no JSON, or cut";
const char mark[] = "\xef\xbb\xbf";  // with which some programs begin UTF-8

struct Json {
    enum Kind { Null, Bool, Number, Text, List, Object } kind = Null;
    std::string text;                                   // a number as it is written, or a text in UTF-8
    std::vector<Json> items;                            // of a list
    std::vector<std::pair<std::string, Json>> members;  // of an object

    const Json &member(const char *key) const
    {
        static const Json none;
        for (std::size_t i = members.size(); i > 0; --i)  // of equal keys the last one counts
            if (members[i - 1].first == key) return members[i - 1].second;
        return none;
    }
    // Whether it is a whole number that a long long holds.
    bool isInteger(long long &value) const
    {
        if (kind != Number || text.find_first_of(".eE") != std::string::npos) return false;
        errno = 0;
        value = std::strtoll(text.c_str(), nullptr, 10);
        return errno != ERANGE;
    }
};

// How long the sequence of UTF-8 at `at` is; 0 if it is none (Unicode 15, table 3-7).
std::size_t utf8Length(const char *at, std::size_t left)
{
    const unsigned char *c = reinterpret_cast<const unsigned char *>(at);
    std::size_t length = 0;
    unsigned char least = 0x80, most = 0xbf;  // of the second byte
    if (c[0] < 0x80) return 1;
    if (c[0] >= 0xc2 && c[0] <= 0xdf) length = 2;
    else if (c[0] >= 0xe0 && c[0] <= 0xef) length = 3;
    else if (c[0] >= 0xf0 && c[0] <= 0xf4) length = 4;
    if (length == 0 || length > left) return 0;
    if (c[0] == 0xe0) least = 0xa0;
    if (c[0] == 0xed) most = 0x9f;
    if (c[0] == 0xf0) least = 0x90;
    if (c[0] == 0xf4) most = 0x8f;
    if (c[1] < least || c[1] > most) return 0;
    for (std::size_t i = 2; i < length; ++i)
        if (c[i] < 0x80 || c[i] > 0xbf) return 0;
    return length;
}

void appendUtf8(std::string &text, unsigned long c)
{
    const auto byte = [&text](unsigned long value) { text += static_cast<char>(value); };
    if (c < 0x80) {
        byte(c);
    } else if (c < 0x800) {
        byte(0xc0 | (c >> 6));
        byte(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        byte(0xe0 | (c >> 12));
        byte(0x80 | ((c >> 6) & 0x3f));
        byte(0x80 | (c & 0x3f));
    } else {
        byte(0xf0 | (c >> 18));
        byte(0x80 | ((c >> 12) & 0x3f));
        byte(0x80 | ((c >> 6) & 0x3f));
        byte(0x80 | (c & 0x3f));
    }
}

// RFC 8259. Each function returns false where the text is not what it says; where it began is lost then.
class JsonReader {
public:
    explicit JsonReader(const std::string &text) : m_at(text.data()), m_end(text.data() + text.size())
    {
        if (text.compare(0, 3, mark) == 0) m_at += 3;
    }
    bool readAll(Json &json)
    {
        if (!read(json, 0)) return false;
        skipBlanks();
        return m_at == m_end;
    }

private:
    static const int deepest = 64;
    static const std::size_t mostMembers = 1024;
    const char *m_at;
    const char *m_end;

    void skipBlanks()
    {
        while (m_at != m_end && (*m_at == ' ' || *m_at == '\t' || *m_at == '\n' || *m_at == '\r')) ++m_at;
    }
    bool isNext(char c) const { return m_at != m_end && *m_at == c; }
    bool take(char c)
    {
        if (!isNext(c)) return false;
        ++m_at;
        return true;
    }
    bool takeWord(const char *word)
    {
        const std::size_t length = std::strlen(word);
        if (static_cast<std::size_t>(m_end - m_at) < length || std::memcmp(m_at, word, length) != 0) return false;
        m_at += length;
        return true;
    }
    bool takeDigits()
    {
        const char *const from = m_at;
        while (m_at != m_end && *m_at >= '0' && *m_at <= '9') ++m_at;
        return m_at != from;
    }
    bool readNumber(Json &json)
    {
        const char *const from = m_at;
        take('-');
        if (!take('0') && !takeDigits()) return false;
        if (take('.') && !takeDigits()) return false;
        if (take('e') || take('E')) {
            if (!take('+')) take('-');
            if (!takeDigits()) return false;
        }
        json.kind = Json::Number;
        json.text.assign(from, m_at);
        return std::isfinite(std::strtod(json.text.c_str(), nullptr));
    }
    bool readHex(unsigned long &value)
    {
        if (m_end - m_at < 4) return false;
        value = 0;
        for (int i = 0; i < 4; ++i, ++m_at) {
            const char c = *m_at;
            int digit = 0;
            if (c >= '0' && c <= '9') digit = c - '0';
            else if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
            else if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
            else return false;
            value = value * 16 + static_cast<unsigned long>(digit);
        }
        return true;
    }
    bool readEscape(std::string &text)
    {
        if (m_at == m_end) return false;
        static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
        const char c = *m_at++;
        if (c != 'u') {
            const char *const known = c == '\0' ? nullptr : std::strchr(from, c);
            if (known) text += to[known - from];
            return known != nullptr;
        }
        unsigned long high = 0, low = 0;
        if (!readHex(high) || (high >= 0xdc00 && high <= 0xdfff)) return false;
        if (high >= 0xd800 && high <= 0xdbff) {
            if (!take('\\') || !take('u') || !readHex(low) || low < 0xdc00 || low > 0xdfff) return false;
            high = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        }
        appendUtf8(text, high);
        return true;
    }
    bool readText(std::string &text)
    {
        if (!take('"')) return false;
        while (m_at != m_end && *m_at != '"') {
            if (static_cast<unsigned char>(*m_at) < 0x20) return false;
            if (take('\\')) {
                if (!readEscape(text)) return false;
                continue;
            }
            const std::size_t length = utf8Length(m_at, static_cast<std::size_t>(m_end - m_at));
            if (length == 0) return false;
            text.append(m_at, length);
            m_at += length;
        }
        return take('"');
    }
    bool readList(Json &json, int depth)
    {
        json.kind = Json::List;
        skipBlanks();
        if (take(']')) return true;
        do {
            json.items.push_back(Json());
            if (!read(json.items.back(), depth + 1)) return false;
            skipBlanks();
        } while (take(','));
        return take(']');
    }
    bool readObject(Json &json, int depth)
    {
        json.kind = Json::Object;
        skipBlanks();
        if (take('}')) return true;
        do {
            if (json.members.size() >= mostMembers) return false;
            json.members.push_back(std::make_pair(std::string(), Json()));
            skipBlanks();
            if (!readText(json.members.back().first)) return false;
            skipBlanks();
            if (!take(':') || !read(json.members.back().second, depth + 1)) return false;
            skipBlanks();
        } while (take(','));
        return take('}');
    }
    bool read(Json &json, int depth)
    {
        if (depth > deepest) return false;
        skipBlanks();
        if (take('{')) return readObject(json, depth);
        if (take('[')) return readList(json, depth);
        if (isNext('"')) {
            json.kind = Json::Text;
            return readText(json.text);
        }
        if (takeWord("null")) return true;
        if (takeWord("true") || takeWord("false")) {
            json.kind = Json::Bool;
            return true;
        }
        return readNumber(json);
    }
};

std::string noPriority(const std::string &name) { return "the priority of " + name + " is no number of 32 bits"; }

std::string rowsOfJson(const Json &json, std::vector<ListedPriority> &rows)
{
    const Json &format = json.member("format");
    if (format.kind != Json::Text || format.text != "charm-autoprio") return notPriorities;
    const Json &version = json.member("version");
    if (version.kind != Json::Number || std::strtod(version.text.c_str(), nullptr) != 1.0)
        return "it is of a version that this module does not know";
    if (json.member("entries").kind != Json::List) return notPriorities;
    for (const Json &row : json.member("entries").items) {
        const Json &name = row.member("name");
        if (name.kind != Json::Text || name.text.empty()) return "a row names no entry method";
        long long priority = 0, number = 0;
        if (!row.member("prio").isInteger(priority) || priority < INT_MIN || priority > INT_MAX)
            return noPriority(name.text);
        const bool hasNumber = row.member("ep").isInteger(number) && number >= 0;
        rows.push_back(ListedPriority{hasNumber ? number : -1, name.text, static_cast<int>(priority)});
    }
    return std::string();
}

bool isBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string trimmed(const std::string &text)
{
    std::size_t begin = 0, end = text.size();
    while (begin < end && isBlank(text[begin])) ++begin;
    while (end > begin && isBlank(text[end - 1])) --end;
    return text.substr(begin, end - begin);
}

// A whole cell that is a number from `least` to `most`.
bool isNumber(const std::string &cell, long long least, long long most, long long &value)
{
    const std::string text = trimmed(cell);
    const std::size_t digits = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    if (text.size() == digits || text.find_first_not_of("0123456789", digits) != std::string::npos) return false;
    errno = 0;
    value = std::strtoll(text.c_str(), nullptr, 10);
    return errno != ERANGE && value >= least && value <= most;
}

// The cells of one line, without the quotes around them.
std::vector<std::string> cellsOf(const std::string &line)
{
    std::vector<std::string> cells(1);
    bool isQuoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && isQuoted && i + 1 < line.size() && line[i + 1] == '"') cells.back() += line[++i];
        else if (c == '"') isQuoted = !isQuoted;
        else if (c == ',' && !isQuoted) cells.push_back(std::string());
        else cells.back() += c;
    }
    return cells;
}

std::string rowsOfCsv(const std::string &text, std::vector<ListedPriority> &rows)
{
    const std::size_t begin = text.compare(0, 3, mark) == 0 ? 3 : 0;
    std::size_t at = text.find('\n');
    if (text.find('\0') != std::string::npos || trimmed(text.substr(begin, at - begin)) != "ep,name,prio,count,class")
        return notPriorities;
    if (at == std::string::npos || text[text.size() - 1] != '\n') return "it is cut: its last line has no end";
    while (++at < text.size()) {
        const std::size_t end = text.find('\n', at);
        std::string line = text.substr(at, end - at);
        at = end;
        if (!line.empty() && line[line.size() - 1] == '\r') line.resize(line.size() - 1);
        std::vector<std::string> cells = cellsOf(line);
        cells.resize(cells.size() < 3 ? 3 : cells.size());
        long long number = -1, priority = 0;
        if (!isNumber(cells[0], 0, UINT_MAX, number)) number = -1;
        if (cells[1].empty()) return "a row names no entry method";
        if (!isNumber(cells[2], INT_MIN, INT_MAX, priority)) return noPriority(cells[1]);
        rows.push_back(ListedPriority{number, cells[1], static_cast<int>(priority)});
    }
    return std::string();
}

}  // namespace

std::string readPriorityTable(const std::string &text, std::vector<ListedPriority> &rows)
{
    rows.clear();
    Json json;
    std::string wrong;
    if (JsonReader(text).readAll(json)) wrong = rowsOfJson(json, rows);
    else if (trimmed(text).compare(0, 1, "{") == 0) wrong = broken;
    else wrong = rowsOfCsv(text, rows);
    if (!wrong.empty()) rows.clear();
    return wrong;
}

std::string withoutBlanks(const std::string &name)
{
    std::string plain;
    for (const char c : name)
        if (c != ' ') plain += c;
    return plain;
}

}  // namespace longpole_module
