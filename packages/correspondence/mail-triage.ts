import { judgeWithRetry } from '#inbox/filing-schema.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { applyRule } from '#timeline/schema.ts'
import { MessageFacts } from '#triage/facts-schema.ts'
import type { Judgement } from '#triage/schema.ts'
import { judged } from './filing.ts'
import { factsKey } from './keys.ts'
import type { CorrespondenceChange, CorrespondenceRecord, CorrespondenceStore, MailFiles } from './ports.ts'
import type { JudgeMessage, MailAttachments } from './reception-ports.ts'

/** The maximum number of attachments whose texts the triage waits for. */
const maxAttachments = 30

/** The maximum number of texts that the triage reads (`packages/triage/limits.ts`). */
const maxTexts = 10

/**
 * The triage of received mail (I5). Judges a mail by the known facts, and files it if the result is certain.
 *
 * A mail is judged when it is read, and again when its attachments are read. It is not filed before that, because an
 * attached letter may name another case. A mail that a person filed, dismissed or reopened is not filed, and no mail is
 * removed from a case.
 */
export function mailTriage(deps: {
  store: Pick<CorrespondenceStore, 'find' | 'change'>
  files: Pick<MailFiles, 'read'>
  attachments: Pick<MailAttachments, 'texts'>
  judge: JudgeMessage
  clock: Clock
}) {
  const { store, files, attachments, judge, clock } = deps

  const factsOf = async (record: CorrespondenceRecord, texts: (string | null)[]): Promise<MessageFacts> => {
    const stored = await files.read(factsKey(record))
    const facts = MessageFacts.parse(JSON.parse(Buffer.from(stored).toString()))
    const attached = facts.attachments.map((attachment, at) => ({ ...attachment, text: texts[at] ?? null }))
    const { to, cc } = record
    const recipients = { to, cc }
    return { ...facts, attachments: attached, sender_verified: record.sender_verified === true, recipients }
  }

  const judgeOnce = async (workspaceId: string, id: string): Promise<void> => {
    const found = await store.find(workspaceId, id)
    if (found?.status !== 'processed' || !isToBeJudged(found)) return
    const considered = found.attachments.slice(0, maxAttachments).map(({ document_id }) => document_id)
    const { is_pending, read } = await attachments.texts(workspaceId, considered, maxTexts)
    if (is_pending && found.triage !== null) return
    const judgement = await judge(workspaceId, await factsOf(found, await read()))
    await applyRule(store, workspaceId, id, (current) =>
      isToBeJudged(current)
        ? changeBy(current, judgement, { is_judged: !is_pending, at: timestamp(clock) })
        : undefined,
    )
  }

  return {
    /**
     * Judges a mail that is read, unless its triage is final. It can be repeated at any time.
     *
     * @throws if the queue should deliver its message again
     */
    judge: (workspaceId: string, id: string): Promise<void> =>
      judgeWithRetry(() => judgeOnce(workspaceId, id)),
  }
}

function isToBeJudged({ inbox }: CorrespondenceRecord): boolean {
  return inbox?.is_judged === false
}

/** The change that a judgement makes. Undefined if it changes nothing. */
function changeBy(
  current: CorrespondenceRecord,
  { triage: findings, teaches, auto_file }: Judgement,
  { is_judged, at }: { is_judged: boolean; at: string },
): CorrespondenceChange | undefined {
  if (current.inbox === null) return undefined
  const triage = { ...findings, final: is_judged }
  const inbox = { ...current.inbox, category: triage.category, is_judged }
  const after = { ...current, triage, teaches, inbox }
  return judged(current, after, { triage, auto_file: is_judged ? auto_file : null }, at)
}
