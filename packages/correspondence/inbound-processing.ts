import { localDateOf } from '#german-time/local-time.ts'
import type { Clock } from '#kernel/clock.ts'
import { failureOf } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import type { LogOf } from '#kernel/log.ts'
import { applyRule } from '#timeline/schema.ts'
import type { MessageFacts } from '#triage/facts-schema.ts'
import { followUps } from './filing.ts'
import { bodyKey, factsKey, messageKey } from './keys.ts'
import type { CorrespondenceRecord, CorrespondenceStore, MailFiles, MailParties } from './ports.ts'
import type { MailAttachments, MailContent, ReadContent } from './reception-ports.ts'
import { triageVerdict } from './verdicts.ts'

/** The number of attempts to read a message: each ends with a crash, a timeout or an error of the parser. */
const maxAttempts = 3

const outOfResources = 'out_of_resources'

/** The parser threw an error. It should be able to read any message. */
class ReadFault extends Error {}

/**
 * Reads a received message: stores its bodies, creates documents from its attachments, and finds the party that sent it
 * (I3, I4). Then the mail is `processed`, or `failed` with a reason. The raw message is kept in both cases.
 *
 * Bodies and documents are stored first. One change at the end adds them to the record. Until then all steps can be
 * repeated, even concurrently, because keys and ids are the same each time.
 */
export function inboundProcessing(deps: {
  store: Pick<CorrespondenceStore, 'find' | 'change'>
  files: Pick<MailFiles, 'read' | 'put'>
  attachments: Pick<MailAttachments, 'add'>
  parties: Pick<MailParties, 'withEmail'>
  readContent: ReadContent
  timeZoneOf: (workspaceId: string) => Promise<string>
  clock: Clock
  /** For errors of the parser, which are defects of the service. */
  log: LogOf<'error'>
}) {
  const { store, files, attachments, parties, readContent, timeZoneOf, clock, log } = deps

  /** Changes a mail if it is still `received`, unless `changes` returns undefined. */
  const changeUnread = (
    { workspace_id, id }: Pick<CorrespondenceRecord, 'workspace_id' | 'id'>,
    changes: (current: CorrespondenceRecord) => Partial<CorrespondenceRecord> | undefined,
  ): Promise<CorrespondenceRecord> =>
    applyRule(store, workspace_id, id, (current) => {
      const changed = current.status === 'received' ? changes(current) : undefined
      return changed && changeOf(current, changed)
    })

  /** Counts an attempt. @returns undefined if the mail is no longer `received` */
  const beginAttempt = async (found: CorrespondenceRecord): Promise<CorrespondenceRecord | undefined> => {
    const record = await changeUnread(found, ({ attempts }) =>
      attempts < maxAttempts ? { attempts: attempts + 1 } : undefined,
    )
    return record.status === 'received' ? record : undefined
  }

  /** Does not count an attempt that failed for a reason outside the message. */
  const cancelAttempt = (record: CorrespondenceRecord) =>
    changeUnread(record, ({ attempts }) => (attempts > 0 ? { attempts: attempts - 1 } : undefined))

  /** Marks the mail as `failed`. The inbox shows it with its header and a notice, and there is no triage. */
  const fail = (record: CorrespondenceRecord, reason: string) =>
    changeUnread(record, ({ inbox }) => ({
      status: 'failed',
      status_reason: reason,
      inbox: inbox && { ...inbox, notice: notRead, is_judged: true },
    }))

  /** The content of the message. A separate function, so that the message (up to 40 MB) can be freed afterwards. */
  const contentOf = async (record: CorrespondenceRecord): Promise<MailContent | { refused: string }> => {
    const raw = await files.read(messageKey(record))
    return readContent(raw).catch((cause: unknown) => {
      throw new ReadFault(`The message of ${record.id} could not be read: ${String(cause)}`, { cause })
    })
  }

  const putJson = (key: string, value: unknown) => {
    const json = Buffer.from(JSON.stringify(value))
    return files.put(key, json, { mimeType: 'application/json', sha256: hexDigest(json) })
  }

  /** The party with the sender's address. Null if no party or several have it, or the sender is not clear (I4). */
  const partyOf = async ({ workspace_id, from }: CorrespondenceRecord, facts: MessageFacts) => {
    if (from.email === '' || facts.from === null) return null
    const found = await parties.withEmail(workspace_id, from.email, 2)
    return found.length === 1 ? (found[0] ?? null) : null
  }

  const recordContent = async (record: CorrespondenceRecord, content: MailContent, signal: AbortSignal) => {
    const { workspace_id, id } = record
    const received = new Date(record.received_at ?? record.created_at)
    const facts: MessageFacts = {
      ...content.facts,
      received_on: localDateOf(received, await timeZoneOf(workspace_id)),
      verdict: triageVerdict(record.verdicts),
    }
    await Promise.all([putJson(bodyKey(record), content.body), putJson(factsKey(record), facts)])
    const { documents, jobs } = await attachments.add(record, content.files, signal)
    const party_id = await partyOf(record, facts)
    await applyRule(store, workspace_id, id, (current) => {
      // An attempt that timed out may succeed later.
      const isUnsettled =
        current.status === 'received' ||
        (current.status === 'failed' && current.status_reason === outOfResources)
      if (!isUnsettled) return undefined
      const { inbox } = current
      const change = changeOf(current, {
        status: 'processed',
        status_reason: null,
        protection: content.protection,
        attachments: documents.map((document, at) => ({
          ...document,
          content_id: content.files[at]?.content_id ?? null,
        })),
        party_id: inbox?.is_decided ? current.party_id : (current.party_id ?? party_id),
        inbox: inbox && { ...inbox, notice: null, is_judged: false },
      })
      const isFiled = current.case_id !== null
      const follow = isFiled ? followUps(current, null, clock.now().toISOString()) : []
      return { ...change, jobs: [...jobs, ...follow] }
    })
  }

  return {
    /**
     * Reads a message that is not read yet.
     *
     * Crashes of the worker, timeouts and errors of the parser count as attempts. After three attempts the mail is
     * `failed`, with the reason `unreadable` if the parser threw an error, and otherwise `out_of_resources`.
     *
     * @throws if the queue should deliver its message again
     */
    async process(workspaceId: string, id: string, signal: AbortSignal): Promise<void> {
      const found = await store.find(workspaceId, id)
      if (found?.status !== 'received') return
      if (found.attempts >= maxAttempts) {
        await fail(found, outOfResources)
        return
      }
      const record = await beginAttempt(found)
      if (record === undefined) return
      try {
        const content = await contentOf(record)
        if ('refused' in content) await fail(record, content.refused)
        else await recordContent(record, content, signal)
      } catch (error) {
        if (failureOf(error)?.code === 'CORRESPONDENCE_NOT_FOUND') return
        if (error instanceof ReadFault && !signal.aborted) {
          log.error('message not read', { id, error: String(error.cause), attempts: record.attempts })
          if (record.attempts < maxAttempts) throw error
          await fail(record, 'unreadable')
          return
        }
        if (!signal.aborted) await cancelAttempt(record)
        throw error
      }
    },
  }
}

/** The notice in the inbox of a mail that could not be read. */
const notRead = 'Konnte nicht gelesen werden; die Nachricht selbst liegt unverändert vor.'

function changeOf(current: CorrespondenceRecord, changes: Partial<CorrespondenceRecord>) {
  return { record: { ...current, ...changes, version: current.version + 1 } }
}
