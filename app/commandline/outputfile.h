// SPDX-License-Identifier: GPL-3.0-or-later
// Where -o writes: which file, with which ending, checked before anything is read or computed.
#pragma once

#include "core/base/result.h"

#include <QString>
#include <QStringList>

namespace longpole {

struct OutputFile {
    QString name;              // empty: standard output
    QString ending;            // lower case, one that the option takes; empty if another option says the format
    bool endingAdded = false;  // the name was typed without it
    bool safeCsv = false;      // cells of CSV that a spreadsheet would compute are written as text
};

// The two devices that -o may name although they are links.
bool isStandardStream(const QString& name);

// Whether a file may be written: it is no link, folder or device, none of the inputs, and its folder is there.
Result<> checkWritable(const QString& name, const QStringList& inputs);

// Of two outputs of one command, whether each has a file of its own.
Result<> checkApart(const QString& name, const QString& other);

// The file that was typed, with the first of `endings` if it has none; any ending will do if the format is known
// otherwise. Errors: an ending of something else, no name. `flag` is how the option is written.
Result<OutputFile> withEnding(const QString& typed, const QStringList& endings, bool isFormatKnown,
                              const QString& flag);

// ".json, .csv or .txt".
QString endingsInWords(const QStringList& endings);

}  // namespace longpole
