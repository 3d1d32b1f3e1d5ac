import { isDeepStrictEqual } from 'node:util'
import { localDateOf } from '#german-time/local-time.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { failureOf } from '#kernel/failure.ts'
import type { MessageFacts } from '#triage/message-schema.ts'
import type { Judgement } from '#triage/schema.ts'
import { type BeaContent, readContent } from './content.ts'
import { assigned, followUps, triageActor } from './filing.ts'
import { contentKey } from './keys.ts'
import type { BeaMessageChange, BeaMessageFiles, BeaMessageRecord, BeaMessageStore } from './ports.ts'

/**
 * The triage of received messages (I5): judges each once by what is known of it, and files it where that is certain. It is
 * never taken out of a case, nor filed after a person decided.
 *
 * A confidential message is only suggested: filed, its attachments are documents that everybody in the office may read.
 */
export function messageTriage(deps: {
  store: Pick<BeaMessageStore, 'find' | 'change'>
  files: Pick<BeaMessageFiles, 'read'>
  judge: (workspaceId: string, facts: MessageFacts) => Promise<Judgement>
  timeZoneOf: (workspaceId: string) => Promise<string>
  clock: Clock
}) {
  const { store, files, judge, timeZoneOf, clock } = deps

  const judged = async (workspaceId: string, id: string): Promise<void> => {
    const found = await store.find(workspaceId, id)
    if (found === undefined || !isToBeJudged(found)) return
    const content = readContent(await files.read(contentKey(found)))
    const judgement = await judge(workspaceId, factsOf(found, content, await timeZoneOf(workspaceId)))
    await store.change(workspaceId, id, (current) =>
      isToBeJudged(current) ? changeBy(current, judgement, timestamp(clock)) : undefined,
    )
  }

  return {
    /**
     * Judges a message, unless it is judged. It may be called again, at any time.
     *
     * @throws where trying again makes sense
     */
    judge: (workspaceId: string, id: string): Promise<void> =>
      judged(workspaceId, id).catch((error: unknown) => {
        // The case in which it was to be filed was deleted meanwhile, and is not found any more.
        if (failureOf(error)?.code === 'CASE_NOT_FOUND') return judged(workspaceId, id)
        throw error
      }),
  }
}

/** What is known of a message before anything is looked up. The network vouches for its sender. */
function factsOf(record: BeaMessageRecord, { body, xjustiz }: BeaContent, timeZone: string): MessageFacts {
  const { sender, subject, reference_sender, reference_recipient } = record
  const arrived = record.received_at ?? record.sent_at ?? record.imported_at
  return {
    kind: 'bea',
    received_on: localDateOf(new Date(arrived), timeZone),
    from: null,
    bea: { sender: { name: sender.name, safe_id: sender.bea_id }, reference_sender, reference_recipient },
    subject,
    text: body,
    in_reply_to: [],
    references: [],
    headers: { auto_submitted: null, list_unsubscribe: null, precedence: null },
    attachments: record.attachments.map(({ filename, mime_type }) => ({ filename, mime_type, text: null })),
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
  const after = { ...current, teaches, inbox }
  if (auto_file !== null && mayBeFiled(current)) {
    const evidence = triage.case_suggestions[0]?.evidence.map(({ text }) => text) ?? []
    const filing = assigned(after, { case_id: auto_file }, { actor: triageActor, at, evidence })
    if (filing !== undefined) return { ...filing, triage }
  }
  const teachesAnew = current.case_id !== null && !isDeepStrictEqual(teaches, current.teaches)
  return {
    record: { ...after, version: current.version + 1 },
    timelineEntries: [],
    jobs: teachesAnew ? followUps(current, null, at) : [],
    triage,
  }
}

function mayBeFiled({ inbox, case_id, confidential }: BeaMessageRecord): boolean {
  return case_id === null && !confidential && inbox?.state === 'open' && !inbox.is_decided
}
