// SPDX-License-Identifier: GPL-3.0-or-later
// The library that a program is started with (LD_PRELOAD) whose Charm++ is a shared library: it stands before Charm++'s
// queue and loads the module, so nothing is linked anew. It needs nothing of Charm++ itself, as the variable reaches
// shells and charmrun, too, and must do nothing there.
#include "preload.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" void CqsEnqueueGeneral(void *queue, void *message, int strategy, int bits, unsigned int *priority);
void CpdBreakPointInit();

namespace {

using longpole_module::Enqueue;

const char *const moduleName = "liblongpole-charm-module.so";  // beside this library

std::atomic<Enqueue> prioritized(nullptr);  // the module's, once it is there

int addName(struct dl_phdr_info *library, std::size_t, void *names)
{
    if (library->dlpi_name != nullptr && library->dlpi_name[0] != '\0')
        static_cast<std::vector<std::string> *>(names)->push_back(library->dlpi_name);
    return 0;
}

// Charm++'s function, which ours of this name stands before. A program may load Charm++ itself (Python does), where
// only those who name its library see it.
void *charmsOwn(const char *name, void *ours)
{
    void *const next = dlsym(RTLD_NEXT, name);
    if (next != nullptr) return next;
    std::vector<std::string> libraries;
    dl_iterate_phdr(addName, &libraries);
    for (const std::string &file : libraries) {
        void *const library = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        if (library == nullptr) continue;
        void *const found = dlsym(library, name);
        dlclose(library);
        if (found != nullptr && found != ours) return found;
    }
    return nullptr;
}

// Null as long as Charm++ is not loaded.
Enqueue charmsEnqueue()
{
    static std::atomic<Enqueue> known(nullptr);
    Enqueue enqueue = known.load(std::memory_order_relaxed);
    if (enqueue != nullptr) return enqueue;
    enqueue = reinterpret_cast<Enqueue>(charmsOwn("CqsEnqueueGeneral", reinterpret_cast<void *>(CqsEnqueueGeneral)));
    known.store(enqueue, std::memory_order_relaxed);
    return enqueue;
}

void loadModule()
{
    const Enqueue charms = charmsEnqueue();
    Dl_info self;
    if (charms == nullptr || dladdr(reinterpret_cast<void *>(loadModule), &self) == 0) return;
    const std::string path = self.dli_fname;
    const std::string file = path.substr(0, path.rfind('/') + 1) + moduleName;
    void *const module = dlopen(file.c_str(), RTLD_NOW);
    const auto begin = module != nullptr
                           ? reinterpret_cast<longpole_module::BeginPreloaded>(dlsym(module,
                                                                                     "longpole_begin_preloaded"))
                           : nullptr;
    if (begin != nullptr) {
        prioritized.store(begin(charms), std::memory_order_release);
        return;
    }
    static std::atomic<bool> isSaid(false);
    const char *const why = dlerror();
    if (!isSaid.exchange(true)) std::fprintf(stderr, "Longpole: the module cannot be used: %s\n", why ? why : "?");
}

bool isProgram(const char *word)
{
    struct stat found;
    return stat(word, &found) == 0 && S_ISREG(found.st_mode) && access(word, X_OK) == 0;
}

// Somebody who asks something of the module in a program that it cannot reach shall hear of it; not so where the words
// are another program's, which charmrun or mpirun starts.
struct Reach {
    Reach()
    {
        if (dlsym(RTLD_NEXT, "CqsEnqueueGeneral") != nullptr) return;
        std::ifstream words("/proc/self/cmdline", std::ios::binary);
        std::string word;
        bool isFirst = true;
        while (std::getline(words, word, '\0')) {
            if (word.compare(0, 10, "+longpole-") == 0) {
                std::fprintf(stderr,
                             "Longpole: the module is preloaded in vain: Charm++ is no shared library of %s; link it "
                             "with the module\n",
                             program_invocation_short_name);
                return;
            }
            if (!isFirst && isProgram(word.c_str())) return;
            isFirst = false;
        }
    }
} reach;

}  // namespace

extern "C" void CqsEnqueueGeneral(void *queue, void *message, int strategy, int bits, unsigned int *priority)
{
    const Enqueue module = prioritized.load(std::memory_order_acquire);
    const Enqueue enqueue = module != nullptr ? module : charmsEnqueue();
    if (enqueue == nullptr) {
        std::fputs("Longpole: Charm++'s queue is not found; run the program without liblongpole-charm.so\n", stderr);
        std::abort();
    }
    enqueue(queue, message, strategy, bits, priority);
}

// Charm++ calls this on every PE when the program's entry methods are registered, and before it counts them.
void CpdBreakPointInit()
{
    void *const charms = charmsOwn("_Z17CpdBreakPointInitv", reinterpret_cast<void *>(CpdBreakPointInit));
    if (charms != nullptr) reinterpret_cast<void (*)()>(charms)();
    loadModule();
}
