import { isDeepStrictEqual } from 'node:util'
import { germanDay } from '#german-time/calendar-date.ts'
import { localDateOf } from '#german-time/local-time.ts'
import { newInboxState } from '#inbox/state-schema.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { unlessGone } from '#kernel/failure.ts'
import type { Log } from '#kernel/log.ts'
import { beginningOf } from '#kernel/text.ts'
import { applyRule } from '#timeline/schema.ts'
import {
  entryFields,
  folderName,
  type ImportingAccount,
  purgeAt,
  storedAddress,
} from '../messages/importing.ts'
import { messageIdOf } from '../messages/message-keys.ts'
import { quotingNothing } from '../messages/message-schema.ts'
import type { RemoteEntry, RemoteFolder, RemoteSummary } from '../network/gateway-ports.ts'
import type { BeaMessageRecord, BeaMessageStore } from '../ports.ts'
import { missingLogLine } from './log-lines.ts'
import type { Unimported, UnimportedStore } from './unimported-ports.ts'

export type MissingNotices = ReturnType<typeof missingNotices>

/**
 * A message that a synchronisation found in a folder. `isTooLarge`: it can never be imported; undefined if it was not
 * fetched this time.
 */
export type Seen<Entry = RemoteSummary> = {
  folder: Pick<RemoteFolder, 'type' | 'name'>
  summary: Entry
  isTooLarge?: boolean
}

/** `entries`: the entries of a folder that cannot be read or belong to another postbox; null if the folder cannot be read. */
export type UnreadableOf = { folder: RemoteFolder; entries: RemoteEntry[] | null }

/**
 * If a message is not imported within this number of days after its reception, the inbox shows a second notice (B5).
 * The network deletes the message after 120 days.
 */
export const noticeDays = 90

/** A message that is too large is fetched again after this number of days. */
const retryDays = 1

/** If a message cannot be imported for this number of days, the alarm goes off, once. */
const alarmDays = 1

/**
 * Reports messages that could not be imported (B5). The inbox shows a notice at once, and a second one 90 days after the
 * reception. A log line raises an alarm for each message that is older than 90 days, and once for a message that is too
 * large or fails for a day. A notice is not a message: it has neither body nor attachments, is in no list of messages,
 * and leaves the inbox when the message is imported.
 *
 * The time of the first failure is stored too, and is used if the message has no readable date. It is stored before the
 * notice, and removed after the notice has left the inbox. So no notice remains if a synchronisation stops in between.
 */
export function missingNotices(deps: {
  store: Pick<BeaMessageStore, 'add' | 'known' | 'change'>
  unimported: UnimportedStore
  timeZoneOf: (workspaceId: string) => Promise<string>
  clock: Clock
  log: Log
}) {
  const { store, unimported, timeZoneOf, clock, log } = deps

  /**
   * Makes these changes to the notices with these ids, if they change anything. A notice that a disposal removed with its
   * case stays known, so that its message is not imported again (R3).
   *
   * @returns the ids of the known notices
   */
  const changeAll = async (
    { workspace_id, postbox_safe_id }: ImportingAccount,
    names: string[],
    changesOf: (notice: BeaMessageRecord, name: string) => Partial<BeaMessageRecord>,
  ): Promise<ReadonlySet<string>> => {
    const known = await store.known(workspace_id, postbox_safe_id, names)
    for (const [name, { id }] of known)
      await applyRule(store, workspace_id, id, (current) => {
        const after = { ...current, ...changesOf(current, name) }
        if (isDeepStrictEqual(after, current)) return undefined
        return { record: { ...after, version: current.version + 1 } }
      }).catch(unlessGone('BEA_MESSAGE_NOT_FOUND'))
    return new Set(known.keys())
  }

  /**
   * Takes the notices of messages that are imported now out of the inbox, and removes from them all that they quote. The
   * message itself has these texts, with its own rights, and goes with its case.
   */
  const empty = async (account: ImportingAccount, names: string[]): Promise<void> => {
    await changeAll(account, names, (notice) => ({ ...quotingNothing, ...dismissed(notice) }))
  }

  /** Stores the failure of one message, and its notice. */
  const noticeOne = async (
    account: ImportingAccount,
    { folder, summary, isTooLarge }: Seen,
    earlier: Unimported | undefined,
    now: string,
  ): Promise<void> => {
    const { message_id: remote_id } = summary
    const is_too_large = isTooLarge ?? earlier?.is_too_large === true
    const first_seen_at = earlier?.first_seen_at ?? now
    const is_told = earlier?.is_told === true || (!is_too_large && isBefore(first_seen_at, alarmDays))
    // Undefined: it was not fetched this time.
    const tried_at = is_too_large && isTooLarge !== undefined ? now : earlier?.tried_at
    if (
      earlier?.is_too_large !== is_too_large ||
      earlier.is_told !== is_told ||
      earlier.tried_at !== tried_at
    )
      await unimported.put(account, { remote_id, first_seen_at, is_too_large, is_told, tried_at })
    const at = summary.received_at ?? summary.sent_at ?? first_seen_at
    const isDue = isBefore(at, noticeDays)
    const isFoundTooLarge = is_too_large && earlier?.is_too_large !== true
    const failsForADay = is_told && earlier?.is_told !== true
    if (isDue || isFoundTooLarge || failsForADay)
      log.error(missingLogLine, { ...named(account), received_at: at, is_too_large })
    const isLast = isDue || is_too_large
    const why = is_too_large ? 'ist zu groß, um abgeholt zu werden' : 'konnte nicht abgeholt werden'
    const day = localDateOf(new Date(purgeAt(at) ?? at), await timeZoneOf(account.workspace_id))
    const notice = `Diese beA-Nachricht ${why}. beA löscht sie am ${germanDay(day)}: Bitte öffnen und sichern Sie sie dort.`
    const remoteId = isLast ? noticeId(remote_id) : firstNoticeId(remote_id)
    await store.add({
      record: noticeOf(account, folder, { ...summary, message_id: remoteId }, { at, now, notice }),
    })
    if (isLast) await changeAll(account, [firstNoticeId(remote_id)], dismissed)
  }

  return {
    /** The stored failures of messages of the postbox, by the gateway's ids. */
    async of(account: ImportingAccount): Promise<Map<string, Unimported>> {
      return new Map((await unimported.list(account)).map((one) => [one.remote_id, one]))
    },

    /** Stores the failures of these messages, and their notices. @param before the result of `of` */
    async notice(
      account: ImportingAccount,
      missing: Seen[],
      before: ReadonlyMap<string, Unimported>,
    ): Promise<void> {
      const now = timestamp(clock)
      for (const one of missing) {
        try {
          await noticeOne(account, one, before.get(one.summary.message_id), now)
        } catch (error) {
          // The next synchronisation adds the notice.
          log.error('the notice of a missing beA message was not stored', {
            account_id: account.id,
            error: error instanceof Error ? error.name : 'unknown',
          })
        }
      }
    },

    /** Whether a message is too large and was fetched so recently that it is not fetched again now. */
    wasTriedRecently: (one: Unimported | undefined): boolean =>
      one?.is_too_large === true && one.tried_at !== undefined && !isBefore(one.tried_at, retryDays),

    /**
     * Reports folders and entries of overviews that cannot be read. Each folder gets one notice in the inbox, which
     * leaves the inbox when everything can be read again. Entries that are older than a day raise the alarm.
     */
    async unreadable(account: ImportingAccount, folders: UnreadableOf[]): Promise<void> {
      const now = timestamp(clock)
      for (const { received_at, sent_at } of folders.flatMap(({ entries }) => entries ?? [])) {
        const at = received_at ?? sent_at
        if (at === null || isBefore(at, alarmDays))
          log.error(missingLogLine, { ...named(account), received_at: at })
      }
      const texts = new Map(folders.map((one) => [folderNoticeId(one.folder), entriesNotice(one)]))
      try {
        const known = await changeAll(account, [...texts.keys()], ({ inbox }, name) => {
          const notice = texts.get(name) ?? null
          if (inbox === null || notice === inbox.notice) return {}
          return { inbox: { ...inbox, state: notice === null ? 'dismissed' : 'open', notice, at: now } }
        })
        for (const { folder } of folders) {
          const message_id = folderNoticeId(folder)
          const notice = texts.get(message_id) ?? null
          if (notice === null || known.has(message_id)) continue
          const record = noticeOf(account, folder, { ...nobody, message_id }, { at: now, now, notice })
          await store.add({ record: { ...record, purge_at: null } })
        }
      } catch (error) {
        log.error('the notices of unreadable entries of a beA postbox were not stored', {
          account_id: account.id,
          error: error instanceof Error ? error.name : 'unknown',
        })
      }
    },

    /** Removes the stored failures of messages that are imported now, and empties their notices. */
    async settle(account: ImportingAccount, remoteIds: string[]): Promise<void> {
      for (const remoteId of remoteIds) {
        try {
          await empty(account, [noticeId(remoteId), firstNoticeId(remoteId)])
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

  /** Whether a time is at least this number of days ago. */
  function isBefore(at: string, days: number): boolean {
    return at <= new Date(clock.now().getTime() - days * 86_400_000).toISOString()
  }
}

/** The maximum numbers of characters of a subject, and of recipients, in a notice. */
const maxSubject = 500
const maxRecipients = 50

/** The change that takes a notice out of the inbox. */
function dismissed({ inbox }: BeaMessageRecord): Partial<BeaMessageRecord> {
  return inbox?.state === 'open' ? { inbox: { ...inbox, state: 'dismissed' } } : {}
}

/** The id of a notice, in place of a gateway's id. A gateway's id never contains a line break. */
function noticeId(remoteId: string): string {
  return `missing\n${remoteId}`
}

/** The id of the first notice, before day 90. */
function firstNoticeId(remoteId: string): string {
  return `not yet\n${remoteId}`
}

function folderNoticeId({ id }: RemoteFolder): string {
  return `entries\n${id}`
}

/** The text of the notice about a folder; null if everything can be read. */
function entriesNotice({ folder, entries }: UnreadableOf): string | null {
  const count = entries?.length
  if (count === 0) return null
  const name = `„${beginningOf(folderName(folder), 100)}“`
  const what =
    count === undefined
      ? `Der beA-Ordner ${name}`
      : `${count === 1 ? 'Ein Eintrag' : `${count} Einträge`} des beA-Ordners ${name}`
  const isMany = count !== undefined && count > 1
  return `${what} ${isMany ? 'konnten' : 'konnte'} nicht gelesen werden. Bitte sehen Sie den Ordner in beA durch.`
}

/** An entry without any data. */
const nobody: Omit<RemoteSummary, 'message_id'> = {
  subject: null,
  sender: null,
  recipients: [],
  received_at: null,
  sent_at: null,
  delivered_at: null,
  delivery_status: null,
  reference_sender: null,
  reference_recipient: null,
  is_confidential: false,
}

function noticeOf(
  account: ImportingAccount,
  folder: Pick<RemoteFolder, 'type' | 'name'>,
  summary: RemoteSummary,
  { at, now, notice }: { at: string; now: string; notice: string },
): BeaMessageRecord {
  return {
    ...entryFields(account, folder, summary, at),
    id: messageIdOf(account, summary.message_id, new Date(at)),
    is_missing: true,
    // A message may fail because of its size. The notice is always small.
    subject: beginningOf(summary.subject ?? '', maxSubject),
    recipients: summary.recipients.slice(0, maxRecipients).map(storedAddress),
    eeb_requested: false,
    eeb: null,
    eeb_foreign_id: null,
    attachments: [],
    size_bytes: 0,
    imported_at: now,
    receipt: null,
    inbox: newInboxState(now, notice),
  }
}

/** The ids in a line of the log. The operator needs the firm, to tell it. */
function named({ workspace_id, id }: ImportingAccount) {
  return { workspace_id, account_id: id }
}
