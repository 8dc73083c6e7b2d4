// SPDX-License-Identifier: GPL-3.0-or-later
// An error as bytes, so that every process can report what one of them met.
#pragma once

#include "core/base/result.h"
#include "distributed/transport/wire.h"

namespace longpole {

Payload toBytes(const Error& error);
// Damaged bytes give an error that says so.
Error errorFromBytes(const Payload& bytes);

}  // namespace longpole
