// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/mpirows/importstop.h"

#include "core/base/translate.h"

namespace longpole {

void ImportStop::stop(const Error& error)
{
    const std::lock_guard lock(m_mutex);
    if (!m_error) m_error = error;
    m_stopped = true;
}

std::optional<Error> ImportStop::reason(const Progress& progress) const
{
    if (progress.isCancelled()) return cancelledError();
    const std::lock_guard lock(m_mutex);
    if (m_error) return m_error;
    if (!m_spill.hasFailed()) return std::nullopt;
    return Error{.what = tr("The import's temporary file could not be written."),
                 .where = m_folder,
                 .hint = tr("The disk may be full; free some space or import to another folder.")};
}

}  // namespace longpole
