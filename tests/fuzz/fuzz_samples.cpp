// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes what a run that is followed leaves and is asked: online.jsonl as window and command read it while it grows,
// and online.control as the program reads what the window wrote, or anybody else.
#include "app/gui/live/liveseries.h"
#include "app/record/onlinecontrol.h"
#include "app/record/onlinesamples.h"
#include "fuzz/changedjson.h"
#include "fuzz/require.h"
#include "recorder/online/control.h"

#include <QDir>

#include <cstring>

using namespace longpole;

namespace {

JsonValue soundSample(Choices& choices, std::int64_t time)
{
    JsonValue procedures = JsonValue::array(), ranks = JsonValue::array();
    for (std::uint32_t i = choices.below(5); i > 0; --i)
        procedures.push_back({{"name", std::string("f").append(std::to_string(choices.below(40)))},
                              {"share_ns", time / 2},
                              {"net_ns", choices.below(2) == 0 ? JsonValue(nullptr) : JsonValue(time / 3)},
                              {"cpu_ns", time}});
    for (std::uint32_t i = choices.below(3); i > 0; --i)
        ranks.push_back({{"rank", choices.below(9)}, {"share_ns", time / 2}});
    JsonValue sample{{"version", 1},       {"time_ns", time},
                     {"meetings", 64},     {"length_ns", time / 4 * 3},
                     {"covered_ns", time}, {"procedures", procedures},
                     {"rest_ns", 0},       {"ranks", ranks},
                     {"own_ns", 1000},     {"messages", 2},
                     {"late", 0},          {"ambiguous", 0},
                     {"ahead", 0},         {"paused_ns", 0},
                     {"lost_ns", 0}};
    if (choices.below(8) == 0) sample["final"] = true;
    return sample;
}

void checkSeries(const LiveSeries& series)
{
    require(series.size() <= LiveSeries::mostPoints, "points are thinned out");
    for (const LiveBy by : {LiveBy::Procedure, LiveBy::Rank})
        for (const QString& name : series.largest(by, 6)) {
            const std::vector<double> shares = series.shares(by, name);
            require(shares.size() == series.size(), "a share for each point");
            for (const double share : shares) require(share >= 0 && share <= 1, "a share is a part");
        }
}

void readSamples(Choices& choices)
{
    const QString path = fuzzFile("online.jsonl");
    writeFuzzFile(path, {});
    Result<OnlineSamples> samples = OnlineSamples::open(path);
    require(samples.ok(), "an empty file is one that grows");
    LiveSeries series;
    std::int64_t time = 0;
    for (int part = 0; part < 4; ++part) {
        QByteArray text;
        for (std::uint32_t i = choices.below(4); i > 0; --i) {
            const JsonValue sample = soundSample(choices, time += 1 + choices.below(60'000));
            const bool isChanged = choices.below(6) == 0;
            text += isChanged ? changedText(changedJson(sample, choices), choices) : dump(sample, -1);
        }
        if (choices.below(6) == 0) text.chop(choices.below(40));
        QFile file(path);
        if (!file.open(QIODevice::Append) || file.write(text) != text.size()) std::abort();
        file.close();
        do {
            const Result<std::vector<OnlineSample>> found = samples->read(1 + choices.below(2000));
            if (!found) return;
            for (const OnlineSample& sample : *found) {
                require(sample.length >= 0 && sample.covered >= 0 && sample.rest >= 0, "figures are not negative");
                series.add(sample);
                static_cast<void>(dump(JsonValue(sample.json), 2));
            }
        } while (samples->isBehind());
    }
    checkSeries(series);
}

// What is asked for is what the program understands.
void askAndUnderstand(Choices& choices)
{
    static constexpr const char* names[] = {"solve", "f(int, int)", "", "a\nb", "#x", " y ", "\xc3\xa4", "stop", "\t"};
    QStringList asked;
    for (std::uint32_t i = choices.below(4) == 0 ? choices.below(80) : choices.below(5); i > 0; --i)
        asked << QString::fromUtf8(names[choices.below(std::size(names))])
                     .repeated(1 + static_cast<int>(choices.below(8) == 0 ? choices.below(300) : 0));
    const QString folder = QFileInfo(fuzzFile("online.control")).path();
    QFile::remove(fuzzFile("online.control"));
    const bool isStart = choices.below(2) == 0;
    const bool isOfNames = choices.below(3) != 0;
    const Result<> done = isOfNames ? askForProcedures(folder, asked)
                                    : askForPath(folder, isStart ? PathWish::Start : PathWish::Stop);
    if (!done) return;
    lp_control_file file{};
    qstrncpy(file.path, QFile::encodeName(fuzzFile("online.control")).constData(), sizeof file.path);
    lp_control control{};
    require(lp_control_look(&file, 1, &control), "a file is there");
    require(control.wrong[0] == 0, "every line is understood");
    if (!isOfNames) {
        require(control.run == (isStart ? LP_CONTROL_START : LP_CONTROL_STOP), "the wish is understood");
        return;
    }
    QStringList known;
    for (const QString& name : asked)
        if (const QString plain = name.trimmed(); !plain.isEmpty()) known << plain;
    QStringList understood;
    for (const QString& name : QString::fromUtf8(control.procedures).split(QLatin1Char('\n'), Qt::SkipEmptyParts))
        understood << name.trimmed();
    require(understood == known, "the names are understood");
}

void understandAnything(Choices& choices)
{
    static constexpr const char* words[] = {
        "start", "stop", "procedures", "procedure", " ",    "\t",   "\r",
        "\n",    ",",    "#",          "a",         "\xff", "\x1b", "procedures a,b"};
    QByteArray text;
    for (std::uint32_t i = choices.below(200); i > 0; --i)
        text += choices.below(8) == 0 ? QByteArray(1, static_cast<char>(choices.below(256)))
                                      : QByteArray(words[choices.below(std::size(words))]);
    lp_control control{};
    std::vector<char> exact(text.begin(), text.end());  // so that a sanitizer sees its end
    lp_control_parse(&control, exact.data(), exact.size());
    require(std::memchr(control.procedures, 0, sizeof control.procedures) != nullptr, "the names end");
    require(std::memchr(control.wrong, 0, sizeof control.wrong) != nullptr, "the line ends");
    for (const char* c = control.wrong; *c != 0; ++c) require(*c >= ' ' && *c <= '~', "the line can be printed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Choices choices(data, size);
    switch (choices.below(4)) {
    case 0: askAndUnderstand(choices); break;
    case 1: understandAnything(choices); break;
    default: readSamples(choices);
    }
    return 0;
}
