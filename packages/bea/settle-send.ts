import type { BeaDraftRecord } from './draft-ports.ts'
import { MessageTaken } from './draft-ports.ts'
import { isCertainlyAbsent, type Look, lookForSent } from './reconcile.ts'
import { changeBy, touched } from './send-changes.ts'
import type { SendingDeps } from './sending-ports.ts'

/** What follows a send: looking for a message whose outcome is unknown, and importing the one that was sent (B7). */
export function settling(deps: SendingDeps) {
  const { drafts, accounts, objects, importSent, clock, log } = deps

  /**
   * Whether a like message of the account is being sent at this moment: what is found may be that one, which its worker
   * learns in a moment. Asked after the look, so that none escapes.
   */
  const isDisputed = async ({ workspace_id, account_id, id, subject }: BeaDraftRecord): Promise<boolean> => {
    const others = await drafts.unsettled(workspace_id, account_id)
    return others.some((one) => one.id !== id && one.state === 'confirming' && one.subject === subject)
  }

  /** @returns undefined where the network cannot be asked now */
  const look = async (record: BeaDraftRecord, signal: AbortSignal): Promise<Look | undefined> => {
    const { workspace_id, account_id, send } = record
    if (send === null) return undefined
    try {
      const account = await accounts.find(workspace_id, account_id)
      if (account === undefined) return undefined
      const order = await objects.readOrder(send.order_key)
      const found = await lookForSent(deps, account, order, new Date(send.begun_at), signal)
      return (await isDisputed(record)) ? { kind: 'unclear' } : found
    } catch (error) {
      log.warn('sent beA messages could not be read', { draft_id: record.id, error: String(error) })
      return undefined
    }
  }

  /** Gives the draft the message that it turned out to be. @returns the record; undefined where it changed meanwhile */
  const linkTo = async (record: BeaDraftRecord, remoteId: string): Promise<BeaDraftRecord | undefined> => {
    try {
      return await drafts.change(record.workspace_id, record.id, (current) => {
        const known = { remote_id: remoteId, error: null }
        if (current.state === 'unknown') {
          const change = changeBy(current, 'found', clock.now(), known)
          return change && { ...change, claims: remoteId }
        }
        if (current.state !== 'sent' || current.send === null || current.send.remote_id !== null)
          return undefined
        const sent = { ...current, send: { ...current.send, remote_id: remoteId } }
        return { record: touched(sent, clock.now()), claims: remoteId }
      })
    } catch (error) {
      if (error instanceof MessageTaken) return undefined
      throw error
    }
  }

  /** Notes that a look proved nothing. Two that found nothing at all, late enough, prove that nothing was sent. */
  const noteLook = async (record: BeaDraftRecord, found: Look | undefined): Promise<void> => {
    await drafts.change(record.workspace_id, record.id, (current) => {
      if (current.state !== 'unknown' || current.send === null) return undefined
      const now = clock.now()
      const isAbsent = found?.kind === 'absent'
      const send = {
        ...current.send,
        checks: current.send.checks + 1,
        absences: isAbsent ? current.send.absences + 1 : 0,
      }
      if (isAbsent && isCertainlyAbsent(send, now))
        return changeBy(current, 'absent', now, { error: absentError })
      return { record: touched({ ...current, send }, now) }
    })
  }

  const importOf = async (record: BeaDraftRecord, signal: AbortSignal): Promise<void> => {
    const { workspace_id, id, account_id, case_id, send, message_id } = record
    if (send === null || message_id !== null || record.state !== 'sent') return
    const found = send.remote_id === null ? await look(record, signal) : undefined
    if (found?.kind === 'found') await linkTo(record, found.remote_id)
    const remoteId = send.remote_id ?? (found?.kind === 'found' ? found.remote_id : undefined)
    let imported: string | undefined
    try {
      if (remoteId !== undefined)
        imported = await importSent({ workspace_id, id: account_id }, remoteId, case_id, signal)
    } catch (error) {
      log.warn('sent beA message not imported yet', { draft_id: id, error: String(error) })
    }
    await drafts.change(workspace_id, id, (current) => {
      if (current.state !== 'sent' || current.send === null || current.message_id !== null) return undefined
      const imports = current.send.imports + 1
      const after =
        imported === undefined
          ? { ...current, send: { ...current.send, imports } }
          : { ...current, message_id: imported }
      return { record: touched(after, clock.now()) }
    })
  }

  return {
    /** Imports the message of a sent draft with its proof. Where that fails now, the sweeper comes back to it. */
    importOf,

    /** Looks for the message of a draft whose outcome is unknown; where the network is silent, it stays so. */
    async lookFor(record: BeaDraftRecord, signal: AbortSignal): Promise<void> {
      const found = await look(record, signal)
      if (found?.kind !== 'found') return noteLook(record, found)
      const linked = await linkTo(record, found.remote_id)
      if (linked === undefined) return
      log.info('beA message found among the sent ones', { draft_id: record.id })
      await importOf(linked, signal)
    },
  }
}

const absentError =
  'The answer of the network was lost, and the message is neither among the sent messages nor on its way: it was not sent.'
