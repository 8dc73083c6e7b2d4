// SPDX-License-Identifier: GPL-3.0-or-later
// LP_EACH(m, a, b ...) is m a m b ...; LP_LIST puts commas between. Up to 14 arguments.
#ifndef LONGPOLE_RECORDER_EACH_H
#define LONGPOLE_RECORDER_EACH_H

#define LP_PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, name, ...) name

#define LP_E1(m, a) m a
#define LP_E2(m, a, ...) m a LP_E1(m, __VA_ARGS__)
#define LP_E3(m, a, ...) m a LP_E2(m, __VA_ARGS__)
#define LP_E4(m, a, ...) m a LP_E3(m, __VA_ARGS__)
#define LP_E5(m, a, ...) m a LP_E4(m, __VA_ARGS__)
#define LP_E6(m, a, ...) m a LP_E5(m, __VA_ARGS__)
#define LP_E7(m, a, ...) m a LP_E6(m, __VA_ARGS__)
#define LP_E8(m, a, ...) m a LP_E7(m, __VA_ARGS__)
#define LP_E9(m, a, ...) m a LP_E8(m, __VA_ARGS__)
#define LP_E10(m, a, ...) m a LP_E9(m, __VA_ARGS__)
#define LP_E11(m, a, ...) m a LP_E10(m, __VA_ARGS__)
#define LP_E12(m, a, ...) m a LP_E11(m, __VA_ARGS__)
#define LP_E13(m, a, ...) m a LP_E12(m, __VA_ARGS__)
#define LP_E14(m, a, ...) m a LP_E13(m, __VA_ARGS__)
#define LP_EACH(m, ...) \
    LP_PICK(__VA_ARGS__, LP_E14, LP_E13, LP_E12, LP_E11, LP_E10, LP_E9, LP_E8, LP_E7, LP_E6, LP_E5, LP_E4, LP_E3, \
            LP_E2, LP_E1, ) \
    (m, __VA_ARGS__)

#define LP_L1(m, a) m a
#define LP_L2(m, a, ...) m a, LP_L1(m, __VA_ARGS__)
#define LP_L3(m, a, ...) m a, LP_L2(m, __VA_ARGS__)
#define LP_L4(m, a, ...) m a, LP_L3(m, __VA_ARGS__)
#define LP_L5(m, a, ...) m a, LP_L4(m, __VA_ARGS__)
#define LP_L6(m, a, ...) m a, LP_L5(m, __VA_ARGS__)
#define LP_L7(m, a, ...) m a, LP_L6(m, __VA_ARGS__)
#define LP_L8(m, a, ...) m a, LP_L7(m, __VA_ARGS__)
#define LP_L9(m, a, ...) m a, LP_L8(m, __VA_ARGS__)
#define LP_L10(m, a, ...) m a, LP_L9(m, __VA_ARGS__)
#define LP_L11(m, a, ...) m a, LP_L10(m, __VA_ARGS__)
#define LP_L12(m, a, ...) m a, LP_L11(m, __VA_ARGS__)
#define LP_L13(m, a, ...) m a, LP_L12(m, __VA_ARGS__)
#define LP_L14(m, a, ...) m a, LP_L13(m, __VA_ARGS__)
#define LP_LIST(m, ...) \
    LP_PICK(__VA_ARGS__, LP_L14, LP_L13, LP_L12, LP_L11, LP_L10, LP_L9, LP_L8, LP_L7, LP_L6, LP_L5, LP_L4, LP_L3, \
            LP_L2, LP_L1, ) \
    (m, __VA_ARGS__)

#endif
