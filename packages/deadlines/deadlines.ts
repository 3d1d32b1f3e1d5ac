import type { Actor } from '#kernel/actor.ts'
import { required } from '#kernel/failure.ts'
import { isIntact } from '#kernel/hash-chain.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { CalculationBody, CalculationWithRelated, PresetQuery } from './calculation-schema.ts'
import { changingDeadlines } from './changing.ts'
import { completingDeadlines } from './completing.ts'
import { dualControl } from './dual-control.ts'
import { enteringDeadlines } from './entering.ts'
import { extendingDeadlines } from './extending.ts'
import type { DeadlineHistory } from './history-schema.ts'
import { deadlineLists } from './lists.ts'
import { type DeadlineDeps, lookups } from './lookups.ts'
import type { DeadlineRecord } from './ports.ts'
import type { Preset } from './preset.ts'
import { presets } from './presets.ts'
import { deadlineRegisters } from './registers.ts'
import { calculationWithRelated } from './related.ts'
import type { Deadline, DeadlineChain, FristChain } from './schema.ts'
import { fristTypes } from './type-schema.ts'
import { chainView, fristView } from './views.ts'

export type DeadlineService = ReturnType<typeof deadlineService>

/** The use cases of deadlines (F1 to F20). */
export function deadlineService(deps: DeadlineDeps) {
  const { store, pageOut } = deps
  const { settingsOf, viewContextOf, requireDeadline, deadlineViews } = lookups(deps)

  const membersOf = async (actor: Actor, record: DeadlineRecord): Promise<DeadlineRecord[]> => {
    const chain = (await store.chains(actor.workspace_id, [record.chain_id])).get(record.chain_id)
    const others = fristTypes
      .map((type) => chain?.[type])
      .filter((id): id is string => typeof id === 'string' && id !== record.id)
    return [record, ...(await store.findAll(actor.workspace_id, others))]
  }

  return {
    ...deadlineLists(deps),
    ...enteringDeadlines(deps),
    ...changingDeadlines(deps),
    ...completingDeadlines(deps),
    ...extendingDeadlines(deps),
    ...deadlineRegisters(deps),
    ...dualControl(deps),

    /** @throws Failure DEADLINE_NOT_FOUND */
    async get(actor: Actor, id: string): Promise<Deadline> {
      const [context, record] = await Promise.all([viewContextOf(actor), requireDeadline(actor, id)])
      const [view] = await deadlineViews(actor, [record], context)
      return view as Deadline
    },

    /** @throws Failure DEADLINE_NOT_FOUND */
    async chain(actor: Actor, id: string): Promise<DeadlineChain> {
      const [context, record] = await Promise.all([viewContextOf(actor), requireDeadline(actor, id)])
      return chainView(await membersOf(actor, record), context)
    },

    /** The chain in the Fristen view, by due time ascending. @throws Failure DEADLINE_NOT_FOUND */
    async fristChain(actor: Actor, id: string): Promise<FristChain> {
      const [context, record] = await Promise.all([viewContextOf(actor), requireDeadline(actor, id)])
      const members = await membersOf(actor, record)
      return {
        chain_id: record.chain_id,
        data: members
          .toSorted((one, other) => (`${one.due_at}${one.id}` < `${other.due_at}${other.id}` ? -1 : 1))
          .map((member) => fristView(member, context)),
      }
    },

    /** The history of a deadline, oldest entry first, also of a struck one (F11). @throws Failure DEADLINE_NOT_FOUND */
    async history(actor: Actor, id: string, request: PageRequest): Promise<DeadlineHistory> {
      const record = required(
        await store.find(actor.workspace_id, id, { struckToo: true }),
        'DEADLINE_NOT_FOUND',
      )
      const { data, pagination, previous } = await store.history(actor.workspace_id, id, request)
      const newest = data.at(-1) ?? previous
      // The page may already have an entry that was added after the record was read.
      const goesOn = pagination.has_more || (newest?.seq ?? 0) > record.history_seq
      const ends = newest?.seq === record.history_seq && newest.hash === record.history_hash
      return { data, pagination, intact: isIntact(data, previous) && (goesOn || ends) }
    },

    /** The common periods of German procedure, by area (F10). */
    listPresets: (actor: Actor, { limit = presets.length, cursor }: PresetQuery): Promise<Page<Preset>> =>
      pageOut([actor.workspace_id, 'presets'], presets, { limit, cursor }, ({ key }) => key),

    /** When a period ends, and why. Stores nothing (F10). @throws Failure VALIDATION_ERROR */
    async calculate(actor: Actor, body: CalculationBody): Promise<CalculationWithRelated> {
      return calculationWithRelated(body, await settingsOf(actor))
    },
  }
}
