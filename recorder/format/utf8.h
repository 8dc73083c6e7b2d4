// SPDX-License-Identifier: GPL-3.0-or-later
// Reading the characters of a text that may be no text.
#ifndef LONGPOLE_RECORDER_UTF8_H
#define LONGPOLE_RECORDER_UTF8_H

// The character that begins there, and its length in bytes; 0 at the text's end, and of what is no valid UTF-8.
static inline unsigned lp_character_at(const unsigned char *at, unsigned *length)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    *length = at[0] < 0x80 ? 1 : at[0] >> 5 == 6 ? 2 : at[0] >> 4 == 14 ? 3 : at[0] >> 3 == 30 ? 4 : 0;
    if (*length == 0) return 0;
    unsigned character = *length == 1 ? at[0] : at[0] & (0x7fu >> *length);
    for (unsigned i = 1; i < *length; ++i) {
        if (at[i] >> 6 != 2) return 0;
        character = character << 6 | (at[i] & 0x3fu);
    }
    const int is_surrogate = character >> 11 == 0x1b;
    return character < least[*length] || character > 0x10ffff || is_surrogate ? 0 : character;
}

#endif
