import * as z from 'zod'
import { defineFollowUp, type JobHandler } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import type { Db } from './db.ts'
import { termsOf } from './fold.ts'
import { type Entry, sortedList } from './sorted-list.ts'

/**
 * The data of an entry. Under `all` and the filters: everything that decides whether the record matches, and its
 * summary. Under a fragment of a word: the searchable text, so that a search compares words before it reads records. A
 * text that would make the entry larger than a write unit is left out.
 */
export type Data = { text?: string; filters?: string[]; many?: string[]; summary?: unknown }

/** Files a record under its current words and many values, and removes the previous ones. */
export const wordsJob = defineFollowUp({
  name: 'list.fragments',
  version: 1,
  payload: lazyObject(() => ({
    workspace_id: z.string(),
    list: z.string(),
    id: z.string(),
    before: z.string(),
    terms: z.array(z.string()).default([]),
  })),
})

/** The handler that files records under their words, for every list. */
export function wordsFollowUp(db: Db): JobHandler {
  return wordsJob.handledBy(async ({ workspace_id, list: name, id, before, terms: termsBefore }) => {
    const list = sortedList<Data>(db, name, 'descending')
    const entry = async () => (await list.at(workspace_id, 'all', [id])).get(id) ?? {}
    // Entries are written without a condition, so these writes may replace newer entries of a concurrent change. So the
    // text is read again afterwards, and if it changed, its words are filed again.
    for (
      let filed: Data | undefined, now: Data = await entry();
      !isFiledAlike(filed, now);
      now = await entry()
    ) {
      const kept = wordEntriesOf(id, now)
      const terms = new Set(kept.map(({ term }) => term))
      const old = new Set([
        ...termsOf(before),
        ...termsBefore,
        ...wordEntriesOf(id, filed ?? {}).map(({ term }) => term),
      ])
      const gone = [...old].filter((term) => !terms.has(term)).map((term) => ({ term, place: id }))
      await list.write(workspace_id, kept, gone)
      filed = now
    }
  })
}

function isFiledAlike(filed: Data | undefined, now: Data): boolean {
  return filed !== undefined && filed.text === now.text && filed.many?.join('\n') === now.many?.join('\n')
}

/** With a longer text, in bytes, the entry of a fragment would be larger than a kilobyte. */
const maxTextBytes = 700

/** The entries of a record under its words and its many values. */
function wordEntriesOf(id: string, { text = '', many = [] }: Data): Entry<Data>[] {
  const data = Buffer.byteLength(text) > maxTextBytes ? {} : { text }
  return [...termsOf(text), ...new Set(many)].map((term) => ({ term, place: id, data }))
}
