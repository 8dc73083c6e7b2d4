// SPDX-License-Identifier: GPL-3.0-or-later
// A new file, plain or gzip, written as one stream of bytes: the counterpart of InputFile. Memory: 128 KiB and the
// deflater's state.
#pragma once

#include "core/base/result.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <fcntl.h>

namespace longpole {

class WrittenFile {
public:
    // Errors: the file exists, the folder cannot be written. `folder`: the descriptor of the one that the path is in,
    // which may have got another name; AT_FDCWD: where the path leads.
    static Result<std::unique_ptr<WrittenFile>> create(const QString& path, bool isCompressed, int folder = AT_FDCWD);
    ~WrittenFile();

    // False once the disk has refused something: finish() says what.
    bool write(std::string_view bytes);
    // Completes and closes the file. Errors: what the disk said, now or before.
    Result<> finish();

    std::int64_t bytes() const { return m_bytes; }  // of the file so far

private:
    struct Deflater;
    WrittenFile(int descriptor, QString path);

    bool deflate(std::string_view bytes, bool isLast);
    bool put(const char* bytes, std::size_t size);
    bool flush();

    int m_descriptor;
    QString m_path;
    std::unique_ptr<Deflater> m_deflater;  // null: plain
    std::unique_ptr<char[]> m_buffer;
    std::size_t m_filled = 0;
    std::int64_t m_bytes = 0;
    int m_error = 0;  // errno of the first failure
};

}  // namespace longpole
