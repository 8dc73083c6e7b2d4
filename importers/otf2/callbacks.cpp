// SPDX-License-Identifier: GPL-3.0-or-later
// The list of OTF2's kinds of records, each with the name that otf2-print gives it and what becomes of it.
#include "importers/otf2/events.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace longpole {
namespace {

template <std::size_t size>
struct RecordName {
    char text[size];
    consteval RecordName(const char (&name)[size]) { std::copy_n(name, size, text); }
};

// Counts the record, then calls `method` (null: nothing else) with what the record holds. The library stops behind it
// where the location is to pause.
template <RecordName name, auto method = nullptr, typename... Content>
void on(OTF2_EvtReaderCallbacks* callbacks,
        OTF2_ErrorCode (*set)(OTF2_EvtReaderCallbacks*,
                              OTF2_CallbackCode (*)(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void*,
                                                    OTF2_AttributeList*, Content...)))
{
    set(callbacks, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t position, void* user, OTF2_AttributeList*,
                      [[maybe_unused]] Content... content) {
        auto& events = *static_cast<Otf2Events*>(user);
        if (!events.record(name.text, time, position)) return OTF2_CALLBACK_INTERRUPT;
        if constexpr (!std::is_null_pointer_v<decltype(method)>) (events.*method)(content...);
        return events.isPausing() ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
    });
}

// The one kind of record whose attributes say something.
OTF2_CallbackCode onEnter(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t position, void* user,
                          OTF2_AttributeList* attributes, OTF2_RegionRef region)
{
    auto& events = *static_cast<Otf2Events*>(user);
    if (!events.record("ENTER", time, position)) return OTF2_CALLBACK_INTERRUPT;
    events.enter(region, attributes);
    return OTF2_CALLBACK_SUCCESS;
}

void setRegions(OTF2_EvtReaderCallbacks* to)
{
    OTF2_EvtReaderCallbacks_SetEnterCallback(to, onEnter);
    on<"LEAVE", &Otf2Events::leave>(to, OTF2_EvtReaderCallbacks_SetLeaveCallback);
    on<"CALLING_CONTEXT_ENTER", &Otf2Events::contextEnter>(to, OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback);
    on<"CALLING_CONTEXT_LEAVE", &Otf2Events::contextLeave>(to, OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback);
    on<"CALLING_CONTEXT_SAMPLE", &Otf2Events::contextSample>(to,
                                                             OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback);
    on<"BUFFER_FLUSH", &Otf2Events::bufferFlush>(to, OTF2_EvtReaderCallbacks_SetBufferFlushCallback);
    on<"MEASUREMENT_ON_OFF", &Otf2Events::measurement>(to, OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback);
    on<"METRIC", &Otf2Events::metric>(to, OTF2_EvtReaderCallbacks_SetMetricCallback);
    on<"UNKNOWN", &Otf2Events::unknown>(to, OTF2_EvtReaderCallbacks_SetUnknownCallback);
    on<"PROGRAM_BEGIN">(to, OTF2_EvtReaderCallbacks_SetProgramBeginCallback);
    on<"PROGRAM_END">(to, OTF2_EvtReaderCallbacks_SetProgramEndCallback);
    on<"PARAMETER_INT64">(to, OTF2_EvtReaderCallbacks_SetParameterIntCallback);
    on<"PARAMETER_UINT64">(to, OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback);
    on<"PARAMETER_STRING">(to, OTF2_EvtReaderCallbacks_SetParameterStringCallback);
}

void setMpi(OTF2_EvtReaderCallbacks* to)
{
    on<"MPI_SEND", &Otf2Events::mpiSend>(to, OTF2_EvtReaderCallbacks_SetMpiSendCallback);
    on<"MPI_ISEND", &Otf2Events::mpiIsend>(to, OTF2_EvtReaderCallbacks_SetMpiIsendCallback);
    on<"MPI_ISEND_COMPLETE", &Otf2Events::mpiIsendComplete>(to, OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback);
    on<"MPI_IRECV_REQUEST", &Otf2Events::mpiIrecvRequest>(to, OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback);
    on<"MPI_RECV", &Otf2Events::mpiRecv>(to, OTF2_EvtReaderCallbacks_SetMpiRecvCallback);
    on<"MPI_IRECV", &Otf2Events::mpiIrecv>(to, OTF2_EvtReaderCallbacks_SetMpiIrecvCallback);
    on<"MPI_REQUEST_TEST">(to, OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback);
    on<"MPI_REQUEST_CANCELLED", &Otf2Events::mpiRequestCancelled>(
        to, OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback);
    on<"MPI_COLLECTIVE_BEGIN">(to, OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback);
    on<"MPI_COLLECTIVE_END", &Otf2Events::mpiCollectiveEnd>(to, OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback);
    on<"NON_BLOCKING_COLLECTIVE_REQUEST", &Otf2Events::collectiveRequest>(
        to, OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback);
    on<"NON_BLOCKING_COLLECTIVE_COMPLETE", &Otf2Events::collectiveComplete>(
        to, OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback);
    on<"COMM_CREATE">(to, OTF2_EvtReaderCallbacks_SetCommCreateCallback);
    on<"COMM_DESTROY">(to, OTF2_EvtReaderCallbacks_SetCommDestroyCallback);
}

void setThreads(OTF2_EvtReaderCallbacks* to)
{
    on<"OMP_FORK">(to, OTF2_EvtReaderCallbacks_SetOmpForkCallback);
    on<"OMP_JOIN">(to, OTF2_EvtReaderCallbacks_SetOmpJoinCallback);
    on<"OMP_ACQUIRE_LOCK">(to, OTF2_EvtReaderCallbacks_SetOmpAcquireLockCallback);
    on<"OMP_RELEASE_LOCK">(to, OTF2_EvtReaderCallbacks_SetOmpReleaseLockCallback);
    on<"OMP_TASK_CREATE">(to, OTF2_EvtReaderCallbacks_SetOmpTaskCreateCallback);
    on<"OMP_TASK_SWITCH">(to, OTF2_EvtReaderCallbacks_SetOmpTaskSwitchCallback);
    on<"OMP_TASK_COMPLETE">(to, OTF2_EvtReaderCallbacks_SetOmpTaskCompleteCallback);
    on<"THREAD_FORK">(to, OTF2_EvtReaderCallbacks_SetThreadForkCallback);
    on<"THREAD_JOIN">(to, OTF2_EvtReaderCallbacks_SetThreadJoinCallback);
    on<"THREAD_TEAM_BEGIN", &Otf2Events::teamBegin>(to, OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback);
    on<"THREAD_TEAM_END", &Otf2Events::teamEnd>(to, OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback);
    on<"THREAD_ACQUIRE_LOCK">(to, OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback);
    on<"THREAD_RELEASE_LOCK">(to, OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback);
    on<"THREAD_TASK_CREATE">(to, OTF2_EvtReaderCallbacks_SetThreadTaskCreateCallback);
    on<"THREAD_TASK_SWITCH">(to, OTF2_EvtReaderCallbacks_SetThreadTaskSwitchCallback);
    on<"THREAD_TASK_COMPLETE">(to, OTF2_EvtReaderCallbacks_SetThreadTaskCompleteCallback);
    on<"THREAD_CREATE">(to, OTF2_EvtReaderCallbacks_SetThreadCreateCallback);
    on<"THREAD_BEGIN">(to, OTF2_EvtReaderCallbacks_SetThreadBeginCallback);
    on<"THREAD_WAIT">(to, OTF2_EvtReaderCallbacks_SetThreadWaitCallback);
    on<"THREAD_END">(to, OTF2_EvtReaderCallbacks_SetThreadEndCallback);
}

void setRemoteMemory(OTF2_EvtReaderCallbacks* to)
{
    on<"RMA_WIN_CREATE">(to, OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback);
    on<"RMA_WIN_DESTROY">(to, OTF2_EvtReaderCallbacks_SetRmaWinDestroyCallback);
    on<"RMA_COLLECTIVE_BEGIN">(to, OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback);
    on<"RMA_COLLECTIVE_END">(to, OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback);
    on<"RMA_GROUP_SYNC">(to, OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback);
    on<"RMA_REQUEST_LOCK">(to, OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback);
    on<"RMA_ACQUIRE_LOCK">(to, OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback);
    on<"RMA_TRY_LOCK">(to, OTF2_EvtReaderCallbacks_SetRmaTryLockCallback);
    on<"RMA_RELEASE_LOCK">(to, OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback);
    on<"RMA_SYNC">(to, OTF2_EvtReaderCallbacks_SetRmaSyncCallback);
    on<"RMA_WAIT_CHANGE">(to, OTF2_EvtReaderCallbacks_SetRmaWaitChangeCallback);
    on<"RMA_PUT">(to, OTF2_EvtReaderCallbacks_SetRmaPutCallback);
    on<"RMA_GET">(to, OTF2_EvtReaderCallbacks_SetRmaGetCallback);
    on<"RMA_ATOMIC">(to, OTF2_EvtReaderCallbacks_SetRmaAtomicCallback);
    on<"RMA_OP_COMPLETE_BLOCKING">(to, OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback);
    on<"RMA_OP_COMPLETE_NON_BLOCKING">(to, OTF2_EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback);
    on<"RMA_OP_TEST">(to, OTF2_EvtReaderCallbacks_SetRmaOpTestCallback);
    on<"RMA_OP_COMPLETE_REMOTE">(to, OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback);
}

void setFiles(OTF2_EvtReaderCallbacks* to)
{
    on<"IO_CREATE_HANDLE">(to, OTF2_EvtReaderCallbacks_SetIoCreateHandleCallback);
    on<"IO_DESTROY_HANDLE">(to, OTF2_EvtReaderCallbacks_SetIoDestroyHandleCallback);
    on<"IO_DUPLICATE_HANDLE">(to, OTF2_EvtReaderCallbacks_SetIoDuplicateHandleCallback);
    on<"IO_SEEK">(to, OTF2_EvtReaderCallbacks_SetIoSeekCallback);
    on<"IO_CHANGE_FLAGS">(to, OTF2_EvtReaderCallbacks_SetIoChangeStatusFlagsCallback);
    on<"IO_DELETE_FILE">(to, OTF2_EvtReaderCallbacks_SetIoDeleteFileCallback);
    on<"IO_OPERATION_BEGIN">(to, OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback);
    on<"IO_OPERATION_TEST">(to, OTF2_EvtReaderCallbacks_SetIoOperationTestCallback);
    on<"IO_OPERATION_ISSUED">(to, OTF2_EvtReaderCallbacks_SetIoOperationIssuedCallback);
    on<"IO_OPERATION_COMPLETE">(to, OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback);
    on<"IO_OPERATION_CANCELLED">(to, OTF2_EvtReaderCallbacks_SetIoOperationCancelledCallback);
    on<"IO_ACQUIRE_LOCK">(to, OTF2_EvtReaderCallbacks_SetIoAcquireLockCallback);
    on<"IO_RELEASE_LOCK">(to, OTF2_EvtReaderCallbacks_SetIoReleaseLockCallback);
    on<"IO_TRY_LOCK">(to, OTF2_EvtReaderCallbacks_SetIoTryLockCallback);
}

}  // namespace

void setOtf2Callbacks(OTF2_EvtReaderCallbacks* callbacks)
{
    setRegions(callbacks);
    setMpi(callbacks);
    setThreads(callbacks);
    setRemoteMemory(callbacks);
    setFiles(callbacks);
}

}  // namespace longpole
