import { applyRule } from '#timeline/schema.ts'
import type { BeaDraftRecord } from '../drafts/draft-ports.ts'
import { MessageTaken } from '../drafts/draft-ports.ts'
import type { BeaSimilarMessage } from '../drafts/draft-schema.ts'
import type { BeaAccountRecord } from '../ports.ts'
import { isCertainlyAbsent, type SearchResult, searchForSent } from './reconcile.ts'
import { changeBy, importAfterPause, sentEvents, touched } from './send-changes.ts'
import type { SendingDeps } from './sending-ports.ts'

/** The work after a send: searches for the message if its outcome is unknown, and imports the sent message (B7). */
export function settling(deps: SendingDeps) {
  const { drafts, accounts, messages, objects, importSent, clock, log } = deps

  /**
   * Whether another message with the same subject is being sent from the account now. Then the search may have found
   * that other message. Called after the search, so that no send is missed.
   */
  const isDisputed = async ({ workspace_id, account_id, id, subject }: BeaDraftRecord): Promise<boolean> => {
    const others = await drafts.unsettled(workspace_id, account_id)
    return others.some((one) => one.id !== id && one.state === 'confirming' && one.subject === subject)
  }

  /** @returns undefined if the network cannot be read now */
  const search = async (record: BeaDraftRecord, signal: AbortSignal): Promise<SearchResult | undefined> => {
    const { workspace_id, account_id, send } = record
    if (send === null) return undefined
    try {
      const order = await objects.readOrder(send.order_key)
      const account = { workspace_id, id: account_id }
      const found = await searchForSent(deps, account, order, new Date(send.begun_at), signal)
      if (!(await isDisputed(record))) return found
      return { kind: 'unclear', similar: found.kind === 'unclear' ? found.similar : [] }
    } catch (error) {
      log.warn('sent beA messages could not be read', { draft_id: record.id, error: String(error) })
      return undefined
    }
  }

  /** Links the draft to the found message. @returns the record; undefined if it changed meanwhile */
  const linkTo = async (record: BeaDraftRecord, remoteId: string): Promise<BeaDraftRecord | undefined> => {
    try {
      return await applyRule(drafts, record.workspace_id, record.id, (current) => {
        const known = { remote_id: remoteId, error: null }
        if (current.state === 'unknown') {
          const change = changeBy(current, 'found', clock.now(), known)
          return change && { ...change, claims: remoteId }
        }
        if (current.state !== 'sent' || current.send === null || current.message_id !== null) return undefined
        const { remote_id: before } = current.send
        const sent = { ...current, send: { ...current.send, remote_id: remoteId } }
        return {
          record: touched(sent, clock.now()),
          claims: remoteId,
          ...(before !== null && before !== remoteId && { releases: before }),
        }
      })
    } catch (error) {
      if (error instanceof MessageTaken) return undefined
      throw error
    }
  }

  /** Records a search that did not find the message. If it is certain that nothing was sent, the send becomes `failed`. */
  const recordSearch = async (record: BeaDraftRecord, found: SearchResult | undefined): Promise<void> => {
    await applyRule(drafts, record.workspace_id, record.id, (current) => {
      if (current.state !== 'unknown' || current.send === null) return undefined
      const now = clock.now()
      const isAbsent = found?.kind === 'absent'
      const send = {
        ...current.send,
        checks: current.send.checks + 1,
        absences: isAbsent ? current.send.absences + 1 : 0,
        similar: found === undefined ? (current.send.similar ?? []) : similarIn(found),
      }
      if (isAbsent && isCertainlyAbsent(send, now))
        return changeBy(current, 'absent', now, { error: absentError })
      const error = send.similar.length > 0 ? similarError : unknownError
      return { record: touched({ ...current, send, error }, now) }
    })
  }

  /** Ends the search because the account is disconnected. The first synchronisation after it is connected again searches. */
  const endSearch = async ({ workspace_id, id }: BeaDraftRecord): Promise<void> => {
    await applyRule(drafts, workspace_id, id, (current) => {
      if (current.state !== 'unknown') return undefined
      const record = touched({ ...current, error: disconnectedError }, clock.now())
      return { record: { ...record, due_at: null } }
    })
    log.warn('an unknown beA send is not searched for: its account is disconnected', { draft_id: id })
  }

  /** Unlinks a message from a draft to which it certainly does not belong, so that another draft can claim it. */
  const unlinkFrom = async (workspaceId: string, id: string, remoteId: string): Promise<void> => {
    await applyRule(drafts, workspaceId, id, (current) => {
      const { send, message_id } = current
      if (send === null || send.remote_id !== remoteId || message_id !== null) return undefined
      return {
        record: touched({ ...current, send: { ...send, remote_id: null } }, clock.now()),
        releases: remoteId,
      }
    })
  }

  /** @returns the id of the imported message; undefined if the import failed, or it is another message */
  const importAs = async (
    account: BeaAccountRecord,
    { workspace_id, id, case_id, send }: BeaDraftRecord,
    remoteId: string,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    if (send === null) return undefined
    try {
      const order = await objects.readOrder(send.order_key)
      const sent = { order, since: new Date(send.begun_at), case_id }
      const imported = await importSent(account, remoteId, sent, signal)
      if (imported !== undefined) return imported
      log.warn('the network named another message than the one that was sent', { draft_id: id })
      await unlinkFrom(workspace_id, id, remoteId)
      return undefined
    } catch (error) {
      log.warn('sent beA message not imported yet', { draft_id: id, error: String(error) })
      return undefined
    }
  }

  const accountOf = ({ workspace_id, account_id }: BeaDraftRecord) => accounts.find(workspace_id, account_id)

  const importOf = async (record: BeaDraftRecord, signal: AbortSignal): Promise<void> => {
    const { workspace_id, id, send, message_id } = record
    if (send === null || message_id !== null || record.state !== 'sent') return
    const account = await accountOf(record)
    if (account === undefined) return postponeImport(record)
    const { remote_id: named } = send
    let imported = named === null ? undefined : await importAs(account, record, named, signal)
    // The answer to the last call may have named another message, so search by content.
    const found = imported === undefined ? await search(record, signal) : undefined
    if (found?.kind === 'found' && (await linkTo(record, found.remote_id)) !== undefined)
      imported = await importAs(account, record, found.remote_id, signal)
    const [message] = imported === undefined ? [] : await messages.findAll(workspace_id, [imported])
    await applyRule(drafts, workspace_id, id, (current) => {
      if (current.state !== 'sent' || current.send === null || current.message_id !== null) return undefined
      const now = clock.now()
      if (message === undefined) {
        const imports = current.send.imports + 1
        return { record: touched({ ...current, send: { ...current.send, imports } }, now) }
      }
      const record = touched({ ...current, message_id: message.id }, now)
      return { record, events: sentEvents(record, message) }
    })
  }

  /** Postpones the import while the account is disconnected. This does not count as an attempt. */
  const postponeImport = async ({ workspace_id, id }: BeaDraftRecord): Promise<void> => {
    await applyRule(drafts, workspace_id, id, (current) => {
      if (current.state !== 'sent' || current.message_id !== null) return undefined
      const now = clock.now()
      return { record: { ...touched(current, now), due_at: importAfterPause(now) } }
    })
  }

  return {
    /** Imports the message of a sent draft with its proof. If that fails, the sweeper hands it over again. */
    importOf,

    /** Searches for the message of a draft with an unknown outcome. It stays unknown if the network does not answer. */
    async searchFor(record: BeaDraftRecord, signal: AbortSignal): Promise<void> {
      if ((await accountOf(record)) === undefined) return endSearch(record)
      const found = await search(record, signal)
      if (found?.kind !== 'found') return recordSearch(record, found)
      const linked = await linkTo(record, found.remote_id)
      if (linked === undefined) return
      log.info('beA message found among the sent ones', { draft_id: record.id })
      await importOf(linked, signal)
    },
  }
}

export const unknownError =
  'The answer of the network to the last step is lost: the message may be sent or not. The service searches for it, and does not send it again.'

const similarError =
  'The answer of the network to the last step is lost: the message may be sent or not, and is not sent again. `similar_messages` in the postbox may be this message. Open them, and report whether it was sent (POST …/resolve).'

function similarIn(found: SearchResult): BeaSimilarMessage[] {
  return found.kind === 'unclear' ? found.similar : []
}

const disconnectedError =
  'The answer of the network to the last step is lost, and the account was disconnected, so the service cannot search for the message. Look into the postbox and report whether it was sent (POST …/resolve), or connect the account again.'

const absentError =
  'The answer of the network was lost, and every message in the postbox is certainly another one: it was not sent.'
