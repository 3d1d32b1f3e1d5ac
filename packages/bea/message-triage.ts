import { isDeepStrictEqual } from 'node:util'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { failureOf } from '#kernel/failure.ts'
import { MessageFacts } from '#triage/message-schema.ts'
import type { Judgement } from '#triage/schema.ts'
import { assigned, followUps, triageActor } from './filing.ts'
import { factsKey } from './keys.ts'
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
  clock: Clock
}) {
  const { store, files, judge, clock } = deps

  const judged = async (workspaceId: string, id: string): Promise<void> => {
    const found = await store.find(workspaceId, id)
    if (found === undefined || !isToBeJudged(found)) return
    const facts = MessageFacts.parse(JSON.parse(Buffer.from(await files.read(factsKey(found))).toString()))
    const judgement = await judge(workspaceId, facts)
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

function isToBeJudged({ inbox }: BeaMessageRecord): boolean {
  return inbox?.is_judged === false
}

function changeBy(
  current: BeaMessageRecord,
  { triage, teaches, auto_file }: Judgement,
  at: string,
): BeaMessageChange | undefined {
  if (current.inbox === null) return undefined
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
