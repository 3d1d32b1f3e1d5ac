import { jobRunner } from '#jobs/runner.ts'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { caseStore } from '#store/cases/case-store.ts'
import { correspondenceStore } from '#store/correspondence/correspondence-store.ts'
import { draftStore } from '#store/correspondence/draft-store.ts'
import { tableCursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import { outbox } from '#store/outbox.ts'
import { wordsFollowUp } from '#store/search-words.ts'
import { caseChange } from '#test/support/store-changes.ts'
import type { TimelineEntry } from '#timeline/schema.ts'
import { caseNumberKey } from '#triage/file-numbers.ts'

/** The domain of the provider's message ids. */
export const providerDomain = 'eu-central-1.amazonses.com'

/** The dependencies of every store on this table. Jobs run right after each change; failed jobs are swept later. */
export function storeDeps(db: Db) {
  const jobs = outbox(db, jobRunner(wordsFollowUp(db)), { error: () => {} })
  return { db, cursors: tableCursors(db), clock: systemClock, outbox: jobs }
}

/** The mail stores on this table, with cases for the mails. */
export function mailStores(db: Db) {
  const deps = storeDeps(db)
  const cases = caseStore({ ...deps, numberKey: caseNumberKey })
  return {
    mails: correspondenceStore({ ...deps, providerDomain }),
    drafts: draftStore(deps),
    cases,
    addCase: async (workspace_id: string): Promise<string> => {
      const id = newId('case')
      const at = systemClock.now().toISOString()
      await cases.add(
        {
          workspace_id,
          id,
          name: 'Müller ./. Becker',
          file_number: null,
          status: 'active',
          type: null,
          description: null,
          dezernat: null,
          closed_at: null,
          holds: null,
          parties: [],
          staff: [],
          created_at: at,
          updated_at: at,
          version: 1,
        },
        (record) => caseChange(record, entry('case.created')),
      )
      return id
    },
  }
}

export function entry(type: string): TimelineEntry {
  return {
    id: newId('timelineEntry'),
    type,
    occurred_at: systemClock.now().toISOString(),
    actor: { type: 'user', id: null, name: 'Dr. Jana Vogt' },
    summary: type,
    ref: null,
  }
}

/** All items of a list, page by page, and how many each page held. */
export async function walk<Item>(
  page: (cursor: string | undefined) => Promise<{ data: Item[]; pagination: { cursor: string | null } }>,
  between: () => Promise<unknown> = async () => {},
): Promise<{ items: Item[]; sizes: number[] }> {
  const items: Item[] = []
  const sizes: number[] = []
  for (let cursor: string | undefined; ; ) {
    const { data, pagination } = await page(cursor)
    items.push(...data)
    sizes.push(data.length)
    if (pagination.cursor === null) return { items, sizes }
    cursor = pagination.cursor
    await between()
  }
}
