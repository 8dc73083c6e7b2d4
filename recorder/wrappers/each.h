// SPDX-License-Identifier: GPL-3.0-or-later
// LP_EACH(m, a, b ...) is m a m b ...; LP_LIST puts commas between. Up to 14 arguments.
#ifndef LONGPOLE_RECORDER_EACH_H
#define LONGPOLE_RECORDER_EACH_H

#define LP_PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, name, ...) name

#define LP_E1(between, m, a) m a
#define LP_E2(between, m, a, ...) m a between() LP_E1(between, m, __VA_ARGS__)
#define LP_E3(between, m, a, ...) m a between() LP_E2(between, m, __VA_ARGS__)
#define LP_E4(between, m, a, ...) m a between() LP_E3(between, m, __VA_ARGS__)
#define LP_E5(between, m, a, ...) m a between() LP_E4(between, m, __VA_ARGS__)
#define LP_E6(between, m, a, ...) m a between() LP_E5(between, m, __VA_ARGS__)
#define LP_E7(between, m, a, ...) m a between() LP_E6(between, m, __VA_ARGS__)
#define LP_E8(between, m, a, ...) m a between() LP_E7(between, m, __VA_ARGS__)
#define LP_E9(between, m, a, ...) m a between() LP_E8(between, m, __VA_ARGS__)
#define LP_E10(between, m, a, ...) m a between() LP_E9(between, m, __VA_ARGS__)
#define LP_E11(between, m, a, ...) m a between() LP_E10(between, m, __VA_ARGS__)
#define LP_E12(between, m, a, ...) m a between() LP_E11(between, m, __VA_ARGS__)
#define LP_E13(between, m, a, ...) m a between() LP_E12(between, m, __VA_ARGS__)
#define LP_E14(between, m, a, ...) m a between() LP_E13(between, m, __VA_ARGS__)
#define LP_EACH_WITH(between, m, ...) \
    LP_PICK(__VA_ARGS__, LP_E14, LP_E13, LP_E12, LP_E11, LP_E10, LP_E9, LP_E8, LP_E7, LP_E6, LP_E5, LP_E4, LP_E3, \
            LP_E2, LP_E1, ) \
    (between, m, __VA_ARGS__)

#define LP_NO_COMMA()
#define LP_COMMA() ,
#define LP_EACH(m, ...) LP_EACH_WITH(LP_NO_COMMA, m, __VA_ARGS__)
#define LP_LIST(m, ...) LP_EACH_WITH(LP_COMMA, m, __VA_ARGS__)

#endif
