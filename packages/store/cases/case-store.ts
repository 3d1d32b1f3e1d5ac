import type { CaseRecord, CaseStore } from '#cases/ports.ts'
import type { CaseLink, CaseSummary } from '#cases/schema.ts'
import type { Clock } from '#kernel/clock.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import type { TimelineEntry } from '#timeline/schema.ts'
import { readAll } from '../batch.ts'
import type { Cursors } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { lazily } from '../lazily.ts'
import { mapPage, newestFirst } from '../newest-first.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import type { Outbox } from '../outbox.ts'
import { type Listed, searchableList } from '../search.ts'
import { type Action, change, erase, put, retryStale, transact } from '../transact.ts'
import { turnstile } from '../turnstile.ts'
import { caseActions } from './case-actions.ts'
import { caseEntity } from './case-entity.ts'
import { caseLink, caseLinkPair } from './case-link-entity.ts'
import { counterEntity } from './counter-entity.ts'
import { fileNumberEntity } from './file-number-entity.ts'
import { timelineEntry } from './timeline-entity.ts'

/**
 * Cases in the table.
 *
 * @param deps.numberKey the form in which file numbers are compared, for those who look up a case by its number
 */
export function caseStore(deps: {
  db: Db
  cursors: Cursors
  outbox: Outbox
  clock: Clock
  numberKey: (fileNumber: string) => string | null
}): CaseStore {
  const { db, cursors, outbox, clock, numberKey } = deps
  const cases = lazily(() => caseEntity(db))
  const fileNumbers = lazily(() => fileNumberEntity(db))
  const counters = lazily(() => counterEntity(db))
  const entries = lazily(() => timelineEntry(db))
  const ofCase = caseActions(db)
  const links = lazily(() => caseLink(db))
  const pairs = lazily(() => caseLinkPair(db))
  const list = searchableList(db, cursors, 'cases')

  const listed = (record: CaseRecord): Listed => {
    const { id, name, file_number, status, type, dezernat } = record
    return {
      id,
      summary: { id, name, file_number, status },
      filters: { status, type, dezernat, number: numberKey(file_number) },
      texts: [name, file_number],
    }
  }

  const find = async (workspaceId: string, id: string): Promise<CaseRecord | undefined> => {
    const { data } = await cases.get({ workspace_id: workspaceId, id }).go(strongly)
    return data === null || data.deleted_at !== undefined
      ? undefined
      : withNulls(data, ['type', 'description', 'dezernat'])
  }

  const takeNumber = (record: CaseRecord, otherwise?: () => Error): Action =>
    put(
      fileNumbers.create({
        workspace_id: record.workspace_id,
        file_number: record.file_number,
        case_id: record.id,
      }),
      otherwise,
    )

  const write = (record: CaseRecord, more: Action[], entry: TimelineEntry) =>
    outbox.enqueue(
      [
        put(cases.create(withoutNulls(record))),
        ...list.changes(record.workspace_id, undefined, listed(record)),
        ofCase.recordTimeline(record.workspace_id, record.id, entry),
        ...more,
      ],
      list.follow(record.workspace_id, undefined, listed(record)),
    )

  const forNumber = turnstile()

  /** Adds a case with the next free number of the year. The transaction of the case advances the counter: no gaps. */
  const addWithNextNumber: CaseStore['add'] = async (record, entry) => {
    const year = new Intl.DateTimeFormat('de-DE', { timeZone: 'Europe/Berlin', year: '2-digit' }).format(
      clock.now(),
    )
    const key = { workspace_id: record.workspace_id, series: `file_number/${year}` }
    const attempt = async () => {
      const { data: counter } = await counters.get(key).go(strongly)
      const next = await firstFree(record.workspace_id, (counter?.last ?? 0) + 1, year)
      const moved = counter
        ? change(
            counters
              .patch(key)
              .set({ last: next })
              .where(({ last }, { eq }) => eq(last, counter.last)),
          )
        : put(counters.create({ ...key, last: next }))
      const numbered = { ...record, file_number: fileNumberOf(next, year) }
      const follow = await write(numbered, [moved, takeNumber(numbered)], entry(numbered.file_number))
      return { numbered, follow }
    }
    const { numbered, follow } = await forNumber(`${record.workspace_id} ${year}`, () => retryStale(attempt))
    await follow()
    return numbered
  }

  /** The first free number of the year, from `from` on. Numbers that users chose themselves are taken. */
  const firstFree = async (workspaceId: string, from: number, year: string): Promise<number> => {
    for (let start = from, size = 1; ; start += size, size = 100) {
      const numbers = Array.from({ length: size }, (_, index) => start + index)
      const items = await readAll(
        db,
        numbers.map((number) =>
          fileNumbers.get({ workspace_id: workspaceId, file_number: fileNumberOf(number, year) }),
        ),
      )
      const taken = new Set(items.map((item) => fileNumbers.parse({ Item: item }).data?.file_number))
      const free = numbers.find((number) => !taken.has(fileNumberOf(number, year)))
      if (free !== undefined) return free
    }
  }

  const eraseLink = (
    workspaceId: string,
    link: Pick<CaseLink, 'id' | 'case_id' | 'linked_case_id'>,
    otherwise: () => Error,
  ): Action[] => [
    erase(links.remove({ workspace_id: workspaceId, case_id: link.case_id, id: link.id }), otherwise),
    erase(links.remove({ workspace_id: workspaceId, case_id: link.linked_case_id, id: link.id }), otherwise),
    erase(pairs.delete({ workspace_id: workspaceId, pair: pairOf(link) })),
  ]

  return {
    find,

    page: (workspaceId, { limit, cursor, search, status, type, dezernat }) =>
      list.page<CaseSummary>(workspaceId, { filters: { status, type, dezernat }, search }, { limit, cursor }),

    add: async (record, entry) => {
      const { file_number } = record
      if (file_number === null) return addWithNextNumber(record, entry)
      const numbered = { ...record, file_number }
      const follow = await write(numbered, [takeNumber(numbered, numberTaken)], entry(file_number))
      await follow()
      return numbered
    },

    change: (workspaceId, id, decide) =>
      retryStale(async () => {
        const before = await find(workspaceId, id)
        if (before === undefined) throw notFound('CASE_NOT_FOUND')
        const decided = await decide(before)
        if (decided === undefined) return before
        const { record, entry, jobs = [] } = decided
        const renumbered = record.file_number !== before.file_number
        await outbox.commit(
          [
            put(
              cases
                .put(withoutNulls(record))
                .where(
                  ({ version, deleted_at }, { eq, notExists }) =>
                    `${eq(version, before.version)} AND ${notExists(deleted_at)}`,
                ),
            ),
            ...(renumbered
              ? [
                  takeNumber(record, numberTaken),
                  erase(fileNumbers.delete({ workspace_id: workspaceId, file_number: before.file_number })),
                ]
              : []),
            ...list.changes(workspaceId, listed(before), listed(record)),
            ofCase.recordTimeline(workspaceId, id, entry),
          ],
          [...jobs, ...list.follow(workspaceId, listed(before), listed(record))],
        )
        return record
      }),

    remove: (workspaceId, id, decide) =>
      retryStale(async () => {
        const before = await find(workspaceId, id)
        if (before === undefined) throw notFound('CASE_NOT_FOUND')
        const { entry, jobs } = await decide(before)
        await outbox.commit(
          [
            change(
              cases
                .patch({ workspace_id: workspaceId, id })
                .set({ deleted_at: entry.occurred_at })
                .where(
                  ({ version, deleted_at }, { eq, notExists }) =>
                    `${eq(version, before.version)} AND ${notExists(deleted_at)}`,
                ),
            ),
            ...list.changes(workspaceId, listed(before), undefined),
            ofCase.recordTimeline(workspaceId, id, entry),
          ],
          [...jobs, ...list.follow(workspaceId, listed(before), undefined)],
        )
      }),

    timeline: (workspaceId, caseId, request) =>
      newestFirst(
        cursors,
        [workspaceId, 'timeline', caseId],
        request,
        entries.query.newest({ workspace_id: workspaceId, case_id: caseId }),
      ).then((page) => mapPage(page, (entry) => withNulls(entry, ['ref']))),

    links: (workspaceId, caseId, request) =>
      newestFirst(
        cursors,
        [workspaceId, 'links', caseId],
        request,
        links.query.newest({ workspace_id: workspaceId, case_id: caseId }),
      ).then((page) => mapPage(page, (link) => withNulls(link, ['type', 'note']))),

    allLinks: async (workspaceId, caseId) => {
      const query = links.query.newest({ workspace_id: workspaceId, case_id: caseId })
      const { data } = await query.go({ pages: 'all', ...strongly })
      return data.map((link) => withNulls(link, ['type', 'note']))
    },

    link: async (workspaceId, caseId, linkId) => {
      const { data } = await links
        .get({ workspace_id: workspaceId, case_id: caseId, id: linkId })
        .go(strongly)
      return data === null ? undefined : withNulls(data, ['type', 'note'])
    },

    addLink: (workspaceId, link, { here, there }) => {
      const { case_id, linked_case_id } = link
      const attributes = { workspace_id: workspaceId, ...withoutNulls(link) }
      return transact(db, [
        ofCase.isThere(workspaceId, case_id),
        ofCase.isThere(workspaceId, linked_case_id),
        put(
          pairs.create({ workspace_id: workspaceId, pair: pairOf(link), link_id: link.id }),
          () => new Failure('conflict', 'LINK_EXISTS', 'These two cases are linked already.'),
        ),
        put(links.create(attributes)),
        put(links.create({ ...attributes, case_id: linked_case_id, linked_case_id: case_id })),
        ofCase.recordTimeline(workspaceId, case_id, here),
        ofCase.recordTimeline(workspaceId, linked_case_id, there),
      ])
    },

    removeLink: (workspaceId, link, { here, there }) =>
      transact(db, [
        ...eraseLink(workspaceId, link, () => notFound('LINK_NOT_FOUND')),
        ...(here === undefined ? [] : [ofCase.recordTimeline(workspaceId, link.case_id, here)]),
        ofCase.recordTimeline(workspaceId, link.linked_case_id, there),
      ]),
  }
}

const numberTaken = () =>
  new Failure(
    'conflict',
    'FILE_NUMBER_TAKEN',
    'Another case has this file number. Choose another, or omit it to get the next one.',
  )

function fileNumberOf(number: number, year: string): string {
  return `${String(number).padStart(4, '0')}/${year}`
}

function pairOf(link: Pick<CaseLink, 'case_id' | 'linked_case_id'>): string {
  return [link.case_id, link.linked_case_id].toSorted().join(' ')
}
