import { failureOf } from '#kernel/failure.ts'
import type { BeaConnection } from '../network/gateway-ports.ts'

/**
 * A connection that can be used only while its lease lasts. Once the lease is lost, each call is refused or aborted, so
 * that two processes never use one session. Only the last step of a send is not aborted: it uses its own token, and
 * without its answer the outcome would be unknown.
 *
 * @param noteSending called with true right before the last step of a send, and with false if the network certainly
 *   refused the send
 */
export function leasedConnection(
  connection: BeaConnection,
  lost: AbortSignal,
  noteSending: (mayBeSent: boolean) => void,
): BeaConnection {
  const leased = <Result>(
    signal: AbortSignal,
    call: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    if (lost.aborted) return Promise.reject(lost.reason)
    return call(AbortSignal.any([signal, lost])).catch((error: unknown) => {
      throw lost.aborted ? lost.reason : error
    })
  }
  return {
    session: () => connection.session(),
    check: (signal) => leased(signal, (both) => connection.check(both)),
    logout: (signal) => leased(signal, (both) => connection.logout(both)),
    postboxes: (signal) => leased(signal, (both) => connection.postboxes(both)),
    folders: (postbox, signal) => leased(signal, (both) => connection.folders(postbox, both)),
    overview: (folder, signal) => leased(signal, (both) => connection.overview(folder, both)),
    message: (postbox, id, signal) => leased(signal, (both) => connection.message(postbox, id, both)),
    accessRights: (signal) => leased(signal, (both) => connection.accessRights(both)),
    search: (query, signal) => leased(signal, (both) => connection.search(query, both)),
    send: (postbox, message, beforeLastStep, signal) => {
      if (lost.aborted) return Promise.reject(lost.reason)
      const beforeIt = new AbortController()
      const end = () => beforeIt.abort(lost.reason)
      lost.addEventListener('abort', end, { once: true })
      const checkLease = async () => {
        await beforeLastStep()
        lost.throwIfAborted()
        noteSending(true)
        lost.removeEventListener('abort', end)
      }
      // Only the answer of the network decides the outcome of a send, even if the lease was lost.
      return connection
        .send(postbox, message, checkLease, AbortSignal.any([signal, beforeIt.signal]))
        .catch((error: unknown) => {
          if (failureOf(error) !== undefined) noteSending(false)
          throw error
        })
        .finally(() => lost.removeEventListener('abort', end))
    },
  }
}
