import { type Clock, timestamp } from '#kernel/clock.ts'
import type { Log } from '#kernel/log.ts'
import { beginningOf } from '#kernel/text.ts'
import type { RemoteEntry, RemoteFolder, RemoteSummary } from './gateway-ports.ts'
import { addressOf, directionOf, folderName, type ImportingAccount, purgeAt } from './importing.ts'
import { messageIdOf } from './keys.ts'
import { missingLogMessage } from './log-messages.ts'
import type { BeaMessageRecord, BeaMessageStore } from './ports.ts'
import type { Unimported, UnimportedStore } from './unimported-ports.ts'

export type MissingNotices = ReturnType<typeof missingNotices>

/** A message that a synchronisation saw in a folder. `isTooLarge`: it never can be imported. */
export type Seen<Entry = RemoteSummary> = {
  folder: Pick<RemoteFolder, 'type' | 'name'>
  summary: Entry
  isTooLarge?: boolean
}

/** A message that is not imported so many days after its reception is told of in the inbox (B5). It vanishes after 120. */
export const noticeDays = 90

/** A message that synchronisations fail to import for so many days raises the alarm, once. */
const alarmDays = 1

/**
 * Tells of messages that could not be imported (B5): of those that the network shows for 90 days, and at once of those that
 * are too large, by a line of the log with every synchronisation, which raises an alarm, and by an item of the inbox, once.
 * The item is no message: it has neither body nor attachments, stands in no list of messages, and leaves the inbox when the
 * message is imported. A message that fails for a day raises the alarm too, once: it says nothing of the postbox, whose
 * synchronisations go on.
 *
 * What could not be imported is stored with the time when that was first seen, which counts where a message has no date
 * that can be read. It is stored before its notice, and removed after the notice has left the inbox: so no notice stays
 * because a synchronisation ended in between.
 */
export function missingNotices(deps: {
  store: Pick<BeaMessageStore, 'add' | 'known' | 'change'>
  unimported: UnimportedStore
  clock: Clock
  log: Log
}) {
  const { store, unimported, clock, log } = deps

  const dismiss = async (account: ImportingAccount, remoteId: string): Promise<void> => {
    const { workspace_id, postbox_safe_id } = account
    const name = noticeId(remoteId)
    const known = (await store.known(workspace_id, postbox_safe_id, [name])).get(name)
    if (known === undefined) return
    await store.change(workspace_id, known.id, (current) => {
      if (current.inbox?.state !== 'open') return undefined
      const inbox = { ...current.inbox, state: 'dismissed' as const }
      return { record: { ...current, inbox, version: current.version + 1 }, timelineEntries: [] }
    })
  }

  return {
    /** What could not be imported of the postbox before, by the gateway's ids. */
    async of(account: ImportingAccount): Promise<Map<string, Unimported>> {
      return new Map((await unimported.list(account)).map((one) => [one.remote_id, one]))
    },

    /** Remembers what could not be imported, and tells of what would be lost. @param before the result of `of` */
    async notice(
      account: ImportingAccount,
      missing: Seen[],
      before: ReadonlyMap<string, Unimported>,
    ): Promise<void> {
      const now = timestamp(clock)
      for (const { folder, summary, isTooLarge = false } of missing) {
        const { message_id: remote_id } = summary
        const earlier = before.get(remote_id)
        const is_too_large = isTooLarge || earlier?.is_too_large === true
        const first_seen_at = earlier?.first_seen_at ?? now
        const is_told = earlier?.is_told === true || (!is_too_large && isBefore(first_seen_at, alarmDays))
        if (earlier?.is_too_large !== is_too_large || earlier.is_told !== is_told)
          await unimported.put(account, { remote_id, first_seen_at, is_too_large, is_told })
        const at = summary.received_at ?? summary.sent_at ?? first_seen_at
        const isDue = isBefore(at, noticeDays)
        const isFoundTooLarge = is_too_large && earlier?.is_too_large !== true
        const failsForADay = is_told && earlier?.is_told !== true
        if (isDue || isFoundTooLarge || failsForADay)
          log.error(missingLogMessage, { account_id: account.id, received_at: at, is_too_large })
        if (!isDue && !is_too_large) continue
        await store.add({
          record: noticeOf(account, folder, summary, { at, now, isTooLarge: is_too_large }),
          timelineEntries: [],
        })
      }
    },

    /** Raises the alarm for entries without an id that are older than a day: nothing of them can be stored. */
    alarm(account: ImportingAccount, nameless: Pick<RemoteEntry, 'received_at' | 'sent_at'>[]): void {
      for (const { received_at, sent_at } of nameless) {
        const at = received_at ?? sent_at
        if (at === null || isBefore(at, alarmDays))
          log.error(missingLogMessage, { account_id: account.id, received_at: at })
      }
    },

    /** These messages are imported after all: what is stored of them is removed, and their notices leave the inbox. */
    async settle(account: ImportingAccount, remoteIds: string[]): Promise<void> {
      for (const remoteId of remoteIds) {
        try {
          await dismiss(account, remoteId)
          await unimported.remove(account, remoteId)
        } catch (error) {
          // The next synchronisation does it.
          log.warn('the notice of a missing beA message stays', {
            account_id: account.id,
            error: error instanceof Error ? error.name : 'unknown',
          })
        }
      }
    },
  }

  /** Whether it was so many days ago, or longer. */
  function isBefore(at: string, days: number): boolean {
    return at <= new Date(clock.now().getTime() - days * 86_400_000).toISOString()
  }
}

/** So many characters of a subject, and so many recipients, a notice shows. */
const maxSubject = 500
const maxRecipients = 50

/** The notice takes the place of a gateway's id; no gateway gives ids with a line break. */
function noticeId(remoteId: string): string {
  return `missing\n${remoteId}`
}

function noticeOf(
  account: ImportingAccount,
  folder: Pick<RemoteFolder, 'type' | 'name'>,
  summary: RemoteSummary,
  { at, now, isTooLarge }: { at: string; now: string; isTooLarge: boolean },
): BeaMessageRecord {
  const remote_id = noticeId(summary.message_id)
  const purge_at = purgeAt(at)
  const why = isTooLarge ? 'ist zu groß, um abgeholt zu werden' : 'konnte nicht abgeholt werden'
  return {
    workspace_id: account.workspace_id,
    id: messageIdOf(account, remote_id, new Date(at)),
    is_missing: true,
    account_id: account.id,
    postbox_safe_id: account.postbox_safe_id,
    remote_id,
    folder: folderName(folder),
    direction: directionOf(account, folder, summary),
    // What keeps a message out may be its size: the notice is small in any case.
    subject: beginningOf(summary.subject ?? '', maxSubject),
    sender: addressOf(summary.sender),
    recipients: summary.recipients.slice(0, maxRecipients).map(addressOf),
    received_at: summary.received_at,
    sent_at: summary.sent_at,
    reference_sender: summary.reference_sender,
    reference_recipient: summary.reference_recipient,
    confidential: summary.is_confidential,
    eeb_requested: false,
    eeb: null,
    eeb_foreign_id: null,
    attachments: [],
    size_bytes: 0,
    case_id: null,
    party_id: null,
    purge_at,
    imported_at: now,
    receipt: null,
    inbox: {
      state: 'open',
      at: now,
      category: null,
      assigned_to: null,
      notice: `Diese beA-Nachricht ${why}. beA löscht sie am ${germanDate(purge_at ?? at)}: Bitte öffnen und sichern Sie sie dort.`,
      is_decided: false,
      is_judged: true,
    },
    teaches: { references: [], sender: null },
    version: 1,
  }
}

function germanDate(at: string): string {
  return at.slice(0, 10).split('-').toReversed().join('.')
}
