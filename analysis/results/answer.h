// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the answer that a question's compute() returns of the result of an analysis.
#pragma once

#include "core/base/result.h"

#include <memory>
#include <utility>

namespace longpole {

template <typename T>
Result<std::shared_ptr<const T>> sharedAnswer(Result<T> answer)
{
    if (!answer.ok()) return answer.error();
    return std::make_shared<const T>(std::move(*answer));
}

}  // namespace longpole
