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

/** Crashes of the worker, timeouts and errors of the parser after which a message is not read again. */
const maxAttempts = 3

const outOfResources = 'out_of_resources'

/** The parser failed on the message, which it should not. */
class ReadFault extends Error {}

/**
 * Makes from a received message what people see: its bodies, its attachments as documents, and the party that sent it
 * (I3, I4). Then it is `processed`, or `failed` with a reason; the raw message stays in both cases.
 *
 * Bodies and documents come first, and the record names them in one change at the end. Until then everything may be done
 * again, at the same time or later: keys and ids are the same each time.
 */
export function inboundProcessing(deps: {
  store: Pick<CorrespondenceStore, 'find' | 'change'>
  files: Pick<MailFiles, 'read' | 'put'>
  attachments: Pick<MailAttachments, 'add'>
  parties: Pick<MailParties, 'withEmail'>
  readContent: ReadContent
  timeZoneOf: (workspaceId: string) => Promise<string>
  clock: Clock
  /** For messages that made the parser fail: that is a fault of the service. */
  log: LogOf<'error'>
}) {
  const { store, files, attachments, parties, readContent, timeZoneOf, clock, log } = deps

  /** Changes a mail while it is `received`. Nothing changes if `changes` returns undefined. */
  const changeUnread = (
    { workspace_id, id }: Pick<CorrespondenceRecord, 'workspace_id' | 'id'>,
    changes: (current: CorrespondenceRecord) => Partial<CorrespondenceRecord> | undefined,
  ): Promise<CorrespondenceRecord> =>
    applyRule(store, workspace_id, id, (current) => {
      const changed = current.status === 'received' ? changes(current) : undefined
      return changed && changeOf(current, changed)
    })

  /** Counts an attempt. @returns undefined if nothing is to be read any more */
  const beginAttempt = async (found: CorrespondenceRecord): Promise<CorrespondenceRecord | undefined> => {
    const record = await changeUnread(found, ({ attempts }) =>
      attempts < maxAttempts ? { attempts: attempts + 1 } : undefined,
    )
    return record.status === 'received' ? record : undefined
  }

  /** Takes back an attempt that failed for a reason outside of the message. */
  const cancelAttempt = (record: CorrespondenceRecord) =>
    changeUnread(record, ({ attempts }) => (attempts > 0 ? { attempts: attempts - 1 } : undefined))

  /** Marks the mail as `failed`. The inbox shows it with its header and a notice, and it is not judged. */
  const fail = (record: CorrespondenceRecord, reason: string) =>
    changeUnread(record, ({ inbox }) => ({
      status: 'failed',
      status_reason: reason,
      inbox: inbox && { ...inbox, notice: notRead, is_judged: true },
    }))

  /** The content of the message. In a function of its own, so that the message (up to 40 MB) can be freed then. */
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

  /** The party with the sender's address; null if there is none, or several, or no clear sender (I4). */
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
      // An attempt that was given up may end well after all.
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
     * Reads a message that is still to be read.
     *
     * A crash of the worker counts as an attempt, and so do a timeout and an error of the parser. After three the mail is
     * `failed`: `out_of_resources`, or `unreadable` if the parser failed.
     *
     * @throws if trying again makes sense
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

/** Why a mail that could not be read stands in the inbox with nothing but its header. */
const notRead = 'Konnte nicht gelesen werden; die Nachricht selbst liegt unverändert vor.'

function changeOf(current: CorrespondenceRecord, changes: Partial<CorrespondenceRecord>) {
  return { record: { ...current, ...changes, version: current.version + 1 } }
}
