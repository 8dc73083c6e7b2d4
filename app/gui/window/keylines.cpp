// SPDX-License-Identifier: GPL-3.0-or-later
// What the key help lists.
#include "app/gui/window/actions.h"

#include <QCoreApplication>

namespace longpole {

namespace {

#define TEXT(text) QT_TRANSLATE_NOOP("Actions", text)

struct HandGesture {
    const char* keys;
    Saying text;
};

const HandGesture gestures[] = {
    {"W S", TEXT("zoom in and out at the cursor")},
    {"A D", TEXT("pan left and right")},
    {"Wheel", TEXT("scroll rows")},
    {"Ctrl+Wheel", TEXT("zoom with the time under the cursor fixed")},
    {"Shift+Wheel", TEXT("pan time")},
    {"Ctrl+Shift+Wheel", TEXT("height of rows")},
    {"Drag", TEXT("mark a time range")},
    {"Z or Enter", TEXT("zoom to the marked range")},
    {"Middle drag, Shift+drag", TEXT("pan")},
    {"Ctrl+Drag", TEXT("zoom to a rectangle")},
    {"Click", TEXT("select a task and show the path that ends there")},
    {"Double-click", TEXT("zoom to a task")},
    {"F, F F", TEXT("centre the selection, fit it")},
    {"Left Right", TEXT("previous and next task on the row")},
    {", .",
     {TEXT("previous and next task of the same entry method"), TEXT("previous and next task of the same region")}},
    {"[ ]", TEXT("back and forward along the message")},
    {"Enter, double-click", TEXT("on an MPI call: to the call of the rank that it waited for")},
    {"P", TEXT("pin the row under the cursor")},
    {"/", TEXT("in a table: filter its rows")},
    {"C, Shift+C", TEXT("next and previous part of the critical path")},
    {"M", TEXT("ruler")},
    {"Ctrl+1 … 9, 1 … 9", TEXT("set a bookmark, go to it")},
};

#undef TEXT

}  // namespace

std::vector<KeyLine> keyLines(Vocabulary words)
{
    std::vector<KeyLine> lines;
    for (const HandGesture& gesture : gestures)
        lines.push_back({translatedAction(gesture.keys), translatedAction(words.say(gesture.text))});
    for (const ActionSpec& spec : actionSpecs()) {
        if (spec.isSeparator() || !spec.shortcuts[0] || QByteArrayView(spec.id).startsWith("bookmark.set")
            || QByteArrayView(spec.id).startsWith("bookmark.go"))
            continue;
        QString text = translatedAction(words.say(spec.text));
        text.remove(QLatin1Char('&'));
        QStringList keys;
        for (const QKeySequence& key : shortcutsOf(spec)) keys.append(key.toString(QKeySequence::NativeText));
        lines.push_back({keys.join(QStringLiteral(", ")), text});
    }
    return lines;
}

}  // namespace longpole
