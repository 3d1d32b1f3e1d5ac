import { localDateOf } from '#german-time/local-time.ts'
import { judgeWithRetry } from '#inbox/filing-schema.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { applyRule } from '#timeline/schema.ts'
import type { MessageFacts } from '#triage/facts-schema.ts'
import type { Judgement } from '#triage/schema.ts'
import type { BeaMessageChange, BeaMessageFiles, BeaMessageRecord, BeaMessageStore } from '../ports.ts'
import { judged } from './filing.ts'
import { type BeaContent, readContent } from './message-content.ts'
import { attachmentKey, contentKey, textKey } from './message-keys.ts'
import { textFileOf } from './message-schema.ts'

/** The maximum number of characters that are kept of a text from a PDF. A message has at most 100 000. */
const maxBody = 200_000

/** The maximum number of attached letters that the triage reads. Each may take the time limit of `readText`. */
const maxLetters = 5

/** A larger file is seldom a letter, but many exhibits in one file. */
const maxLetterBytes = 4 * 1024 * 1024

/**
 * A hostile letter may kill the worker each time. After this number of receptions a message is judged without its
 * letters.
 */
const maxReceptionsWithLetters = 3

const noLetters: ReadonlyMap<string, string> = new Map()

/**
 * The triage of received messages (I5). It judges each message once, and files it if the case is certain. It never takes
 * a message out of a case, and never changes a person's decision. For a confidential message it only suggests a case.
 */
export function messageTriage(deps: {
  store: Pick<BeaMessageStore, 'find' | 'change'>
  files: Pick<BeaMessageFiles, 'read' | 'put'>
  /** The text of a PDF; null if it has none that can be read. @throws if trying again makes sense */
  readText: (bytes: Uint8Array, signal: AbortSignal) => Promise<string | null>
  judge: (workspaceId: string, facts: MessageFacts) => Promise<Judgement>
  timeZoneOf: (workspaceId: string) => Promise<string>
  clock: Clock
}) {
  const { store, files, readText, judge, timeZoneOf, clock } = deps

  /**
   * The content of a message with its body. If the body is only in the network's PDF, it is read from there and stored.
   */
  const contentOf = async (record: BeaMessageRecord, signal: AbortSignal): Promise<BeaContent> => {
    const content = readContent(await files.read(contentKey(record)))
    const file = textFileOf(record)
    if (content.body.trim() !== '' || file === undefined) return content
    const text = (await readText(await files.read(attachmentKey(record, file)), signal))?.trim()
    if (!text) return content
    const body = text.slice(0, maxBody).toWellFormed()
    const about = { mimeType: 'text/plain; charset=utf-8', sha256: hexDigest(body) }
    await files.put(textKey(record), new TextEncoder().encode(body), about)
    return { ...content, body }
  }

  /** The texts of the attached letters by the ids of their attachments, without files that have none that can be read. */
  const lettersOf = async (record: BeaMessageRecord, signal: AbortSignal): Promise<Map<string, string>> => {
    const texts = new Map<string, string>()
    const textFile = textFileOf(record)
    const letters = record.attachments.filter(
      (one) => one.mime_type === 'application/pdf' && one.size_bytes <= maxLetterBytes && one !== textFile,
    )
    for (const letter of letters.slice(0, maxLetters)) {
      const bytes = await files.read(attachmentKey(record, letter))
      const text = await readText(bytes, signal).catch(() => {
        // Without a file that fails again and again, the message is still judged.
        signal.throwIfAborted()
        return null
      })
      if (text) texts.set(letter.id, text.slice(0, maxBody).toWellFormed())
    }
    return texts
  }

  const judgeOnce = async (
    workspaceId: string,
    id: string,
    signal: AbortSignal,
    receptions: number,
  ): Promise<void> => {
    const found = await store.find(workspaceId, id)
    if (found === undefined || found.is_missing) return
    // The text of a sent message is read too, but the message is never judged.
    if (!isToBeJudged(found) && found.direction === 'inbound') return
    const content = await contentOf(found, signal)
    if (!isToBeJudged(found)) return
    const letters = receptions > maxReceptionsWithLetters ? noLetters : await lettersOf(found, signal)
    const facts = factsOf(found, content, letters, await timeZoneOf(workspaceId))
    const judgement = await judge(workspaceId, facts)
    await applyRule(store, workspaceId, id, (current) =>
      isToBeJudged(current) ? changeBy(current, judgement, timestamp(clock)) : undefined,
    )
  }

  return {
    /**
     * Reads the text of a message and judges it, unless this was done already. It may be called again at any time.
     *
     * @param receptions how often the worker was asked to, this time included
     * @throws if trying again makes sense
     */
    judge: (workspaceId: string, id: string, signal: AbortSignal, receptions: number): Promise<void> =>
      judgeWithRetry(() => judgeOnce(workspaceId, id, signal, receptions)),
  }
}

/** The facts of a message that need no look-up. The network has verified its sender. */
function factsOf(
  record: BeaMessageRecord,
  { body, xjustiz }: BeaContent,
  letters: ReadonlyMap<string, string>,
  timeZone: string,
): MessageFacts {
  const { sender, subject, reference_sender, reference_recipient, eeb_requested } = record
  const arrived = record.received_at ?? record.sent_at ?? record.imported_at
  return {
    kind: 'bea',
    received_on: localDateOf(new Date(arrived), timeZone),
    from: null,
    bea: {
      sender: { name: sender.name, safe_id: sender.bea_id },
      reference_sender,
      reference_recipient,
      eeb_requested,
    },
    subject,
    text: body,
    in_reply_to: [],
    references: [],
    headers: { auto_submitted: null, list_unsubscribe: null, precedence: null },
    attachments: record.attachments.map(({ id, filename, mime_type }) => ({
      filename,
      mime_type,
      text: letters.get(id) ?? null,
    })),
    xjustiz,
    verdict: 'passed',
    protection: 'none',
  }
}

function isToBeJudged({ inbox }: BeaMessageRecord): boolean {
  return inbox?.is_judged === false
}

function changeBy(
  current: BeaMessageRecord,
  { triage: findings, teaches, auto_file }: Judgement,
  at: string,
): BeaMessageChange | undefined {
  if (current.inbox === null) return undefined
  const triage = { ...findings, final: true }
  const inbox = { ...current.inbox, category: triage.category, is_judged: true }
  const mayBeFiled = !current.confidential
  const change = judged(
    current,
    { ...current, teaches, inbox },
    { triage, auto_file: mayBeFiled ? auto_file : null },
    at,
  )
  return change && { ...change, triage }
}
