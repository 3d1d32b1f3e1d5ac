import { type BeaDraftRecord, type BeaDraftStore, MessageTaken } from '#bea/drafts/draft-ports.ts'
import { eebAnswered } from '#bea/eeb/eeb-ports.ts'
import type { Job } from '#jobs/job.ts'
import { notFound } from '#kernel/failure.ts'
import { unchanged } from '#kernel/idempotency.ts'
import type { CaseTimelineEntry } from '#timeline/schema.ts'

/** Drafts in memory, with the timeline entries and claims of their changes. Each call is asynchronous, as at a table. */
export function inMemoryDrafts() {
  const records = new Map<string, BeaDraftRecord>()
  const taken = new Map<string, string>()
  const timeline: CaseTimelineEntry[] = []
  const jobs: Job[] = []
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

  const store: BeaDraftStore = {
    find: async (_, id) => {
      await turn()
      return records.get(id)
    },
    page: async () => ({ data: [...records.values()], pagination: { cursor: null, has_more: false } }),
    unsettled: async (_, accountId) =>
      [...records.values()].filter(
        ({ account_id, state }) =>
          account_id === accountId && (state === 'confirming' || state === 'unknown'),
      ),
    add: async ({ record, timeline: entries = [], jobs: more = [], answer }) => {
      if (records.has(record.id)) throw eebAnswered()
      records.set(record.id, record)
      timeline.push(...entries)
      jobs.push(...more)
      return unchanged(answer)
    },
    change: async (_, id, decide) => {
      for (;;) {
        const before = records.get(id)
        if (before === undefined) throw notFound('DRAFT_NOT_FOUND')
        await turn()
        const decided = decide(before)
        if (decided.record === undefined) return unchanged(decided.answer)
        await turn()
        if (records.get(id)?.version !== before.version) continue
        const { record, claims, releases, timeline: entries = [], jobs: more = [] } = decided
        if (claims !== undefined) {
          const owner = taken.get(claims)
          if (owner !== undefined && owner !== id) throw new MessageTaken()
          taken.set(claims, id)
        }
        if (releases !== undefined) taken.delete(releases)
        records.set(id, record)
        timeline.push(...entries)
        jobs.push(...more)
        return unchanged(decided.answer)
      }
    },
    remove: async (_, id, decide) => {
      const before = records.get(id)
      if (before === undefined) throw notFound('DRAFT_NOT_FOUND')
      jobs.push(...(decide(before).jobs ?? []))
      records.delete(id)
    },
    draftOf: async (_, __, remoteId) => taken.get(remoteId),
  }
  return { store, records, timeline, jobs, taken }
}

/** Objects of a bucket in memory. */
export function inMemoryFiles() {
  const objects = new Map<string, Uint8Array>()
  return {
    objects,
    put: async (key: string, bytes: Uint8Array) => void objects.set(key, bytes),
    read: async (key: string) => {
      const bytes = objects.get(key)
      if (bytes === undefined) throw new Error(`There is no object ${key}.`)
      return bytes
    },
    head: async (key: string) => (objects.has(key) ? {} : undefined),
    remove: async (keys: string[]) => {
      for (const key of keys) objects.delete(key)
    },
  }
}
