import { type Clock, timestamp } from '#kernel/clock.ts'
import type { Log } from '#kernel/log.ts'
import type { RemoteFolder, RemoteSummary } from './gateway-ports.ts'
import { addressOf, directionOf, folderName, type ImportingAccount, purgeAt } from './importing.ts'
import { messageIdOf } from './keys.ts'
import { missingLogMessage } from './log-messages.ts'
import type { BeaMessageRecord, BeaMessageStore } from './ports.ts'

export type MissingNotices = ReturnType<typeof missingNotices>

/** A message that a synchronisation saw in a folder. */
type Seen = { folder: Pick<RemoteFolder, 'type' | 'name'>; summary: RemoteSummary }

/** A message that is not imported so many days after its reception is told of (B5). It vanishes after 120. */
export const noticeDays = 90

/**
 * Tells of messages that the network shows for 90 days and that could not be imported (B5): by a line of the log, which
 * raises an alarm with every synchronisation, and by an item of the inbox, once. The item is no message: it has neither
 * body nor attachments, stands in no list of messages, and leaves the inbox when the message is imported.
 */
export function missingNotices(deps: {
  store: Pick<BeaMessageStore, 'add' | 'known' | 'change'>
  clock: Clock
  log: Log
}) {
  const { store, clock, log } = deps

  return {
    /** Tells of those of these messages that could not be imported for 90 days. */
    async notice(account: ImportingAccount, missing: Seen[]): Promise<void> {
      const before = beginningOfNotices(clock)
      for (const { folder, summary } of missing) {
        const at = summary.received_at ?? summary.sent_at
        if (at === null || at > before) continue
        log.error(missingLogMessage, { account_id: account.id, received_at: at })
        await store.add({
          record: noticeOf(account, folder, summary, { at, now: timestamp(clock) }),
          timelineEntries: [],
        })
      }
    },

    /** The message is imported after all: its item leaves the inbox. */
    async settle(account: ImportingAccount, summary: RemoteSummary): Promise<void> {
      const { workspace_id, postbox_safe_id } = account
      if ((summary.received_at ?? summary.sent_at ?? '') > beginningOfNotices(clock)) return
      const name = noticeId(summary)
      const known = (await store.known(workspace_id, postbox_safe_id, [name])).get(name)
      if (known === undefined) return
      await store.change(workspace_id, known.id, (current) => {
        if (current.inbox?.state !== 'open') return undefined
        const inbox = { ...current.inbox, state: 'dismissed' as const }
        return { record: { ...current, inbox, version: current.version + 1 }, timelineEntries: [] }
      })
    },
  }
}

/** What was received before is told of. */
function beginningOfNotices(clock: Clock): string {
  return new Date(clock.now().getTime() - noticeDays * 86_400_000).toISOString()
}

/** The notice takes the place of a gateway's id; no gateway gives ids with a line break. */
function noticeId({ message_id }: Pick<RemoteSummary, 'message_id'>): string {
  return `missing\n${message_id}`
}

function noticeOf(
  account: ImportingAccount,
  folder: Pick<RemoteFolder, 'type' | 'name'>,
  summary: RemoteSummary,
  { at, now }: { at: string; now: string },
): BeaMessageRecord {
  const remote_id = noticeId(summary)
  const purge_at = purgeAt(at)
  return {
    workspace_id: account.workspace_id,
    id: messageIdOf(account, remote_id, new Date(at)),
    is_missing: true,
    account_id: account.id,
    postbox_safe_id: account.postbox_safe_id,
    remote_id,
    folder: folderName(folder),
    direction: directionOf(account, folder, summary),
    subject: summary.subject ?? '',
    sender: addressOf(summary.sender),
    recipients: summary.recipients.map(addressOf),
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
      notice: `Diese beA-Nachricht konnte nicht abgeholt werden. beA löscht sie am ${germanDate(purge_at ?? at)}: Bitte öffnen und sichern Sie sie dort.`,
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
