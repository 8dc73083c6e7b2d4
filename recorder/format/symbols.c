// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the functions of .symtab, or .dynsym where that was stripped. Nothing in the file is trusted.
#define _GNU_SOURCE
#include "recorder/format/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct function {
    uint64_t value, size;
    const char *name;
};

struct lp_symbols {
    const unsigned char *bytes;
    uint64_t length;
    struct function *functions;
    size_t count;
};

static bool is_inside(const struct lp_symbols *s, uint64_t offset, uint64_t length)
{
    return offset <= s->length && length <= s->length - offset;
}

static int by_value(const void *left, const void *right)
{
    const struct function *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    return a->size > b->size ? -1 : a->size < b->size;
}

static bool read_table(struct lp_symbols *s, const Elf64_Shdr *table, const Elf64_Shdr *strings)
{
    if (!is_inside(s, table->sh_offset, table->sh_size) || !is_inside(s, strings->sh_offset, strings->sh_size))
        return false;
    if (strings->sh_size == 0 || s->bytes[strings->sh_offset + strings->sh_size - 1] != 0) return false;
    const size_t count = table->sh_size / sizeof(Elf64_Sym);
    s->functions = malloc((count + 1) * sizeof *s->functions);
    if (!s->functions) return false;
    for (size_t i = 0; i < count; ++i) {
        Elf64_Sym symbol;
        memcpy(&symbol, s->bytes + table->sh_offset + i * sizeof symbol, sizeof symbol);
        const unsigned type = ELF64_ST_TYPE(symbol.st_info);
        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF) continue;
        if (symbol.st_name >= strings->sh_size) continue;
        s->functions[s->count++] = (struct function){symbol.st_value, symbol.st_size,
                                                     (const char *)s->bytes + strings->sh_offset + symbol.st_name};
    }
    qsort(s->functions, s->count, sizeof *s->functions, by_value);
    return s->count > 0;
}

static bool find_table(struct lp_symbols *s, uint32_t type)
{
    Elf64_Ehdr head;
    memcpy(&head, s->bytes, sizeof head);
    if (head.e_shentsize != sizeof(Elf64_Shdr)) return false;
    if (!is_inside(s, head.e_shoff, (uint64_t)head.e_shnum * sizeof(Elf64_Shdr))) return false;
    for (unsigned i = 0; i < head.e_shnum; ++i) {
        Elf64_Shdr section, strings;
        memcpy(&section, s->bytes + head.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != type || section.sh_link >= head.e_shnum) continue;
        memcpy(&strings, s->bytes + head.e_shoff + section.sh_link * sizeof strings, sizeof strings);
        if (read_table(s, &section, &strings)) return true;
        free(s->functions);
        s->functions = NULL;
        s->count = 0;
    }
    return false;
}

struct lp_symbols *lp_symbols_open(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return NULL;
    struct stat status;
    struct lp_symbols *s = NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && (uint64_t)status.st_size > sizeof(Elf64_Ehdr)) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            s = calloc(1, sizeof *s);
            if (s) {
                s->bytes = bytes;
                s->length = (uint64_t)status.st_size;
            } else {
                munmap(bytes, (size_t)status.st_size);
            }
        }
    }
    close(fd);
    if (!s) return NULL;
    const unsigned char mark[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB};
    if (memcmp(s->bytes, mark, sizeof mark) == 0 && (find_table(s, SHT_SYMTAB) || find_table(s, SHT_DYNSYM))) return s;
    lp_symbols_close(s);
    return NULL;
}

void lp_symbols_close(struct lp_symbols *symbols)
{
    if (!symbols) return;
    munmap((void *)symbols->bytes, symbols->length);
    free(symbols->functions);
    free(symbols);
}

const char *lp_symbols_find(const struct lp_symbols *symbols, uint64_t value)
{
    size_t low = 0, high = symbols->count;  // the first that begins behind it
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (symbols->functions[middle].value <= value) low = middle + 1;
        else high = middle;
    }
    if (low == 0) return NULL;
    const struct function *found = &symbols->functions[low - 1];
    while (found > symbols->functions && found[-1].value == found->value) --found;  // the largest of several
    const bool inside = value - found->value < found->size || (found->size == 0 && value == found->value);
    return inside ? found->name : NULL;
}
