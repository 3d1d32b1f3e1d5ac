import type { CaseRecord, CaseStore } from '#cases/ports.ts'
import { type CaseLink, type CaseQuery, type CaseSummary, maxStoredName } from '#cases/schema.ts'
import type { Clock } from '#kernel/clock.ts'
import { conflict, notFound, unlessGone } from '#kernel/failure.ts'
import { inParallel, inParallelUpTo } from '#kernel/in-parallel.ts'
import { beginningOf } from '#kernel/text.ts'
import type { EventData, NewEvent } from '#webhooks/catalogue-schema.ts'
import { readEach } from '../batch.ts'
import { changesOf, usualEvents } from '../changes.ts'
import { allPages, strongly } from '../db.ts'
import { gaplessNumbers, NumberTaken } from '../gapless-numbers.ts'
import { mapPage, newestFirst } from '../newest-first.ts'
import { type WithoutNulls, withNulls, withoutNulls } from '../nulls.ts'
import { changeNaming } from '../parties/party-namings.ts'
import { partySides } from '../parties/party-sides.ts'
import { retainedCases } from '../retention/retained-cases.ts'
import { type Listed, recordList, type Wanted } from '../search.ts'
import type { StoreDeps } from '../store-deps.ts'
import { type Action, change, erase, put, retryStale, Stale, transact } from '../transact.ts'
import { eventActions } from '../webhooks/event-actions.ts'
import { caseActions } from './case-actions.ts'
import { caseEntity } from './case-entity.ts'
import { caseLink, caseLinkPair } from './case-link-entity.ts'
import { caseRecords } from './case-records.ts'
import { closedCases } from './closed-cases.ts'
import { fileNumberEntity } from './file-number-entity.ts'
import { timelineEntry } from './timeline-entity.ts'

/** Cases in the table. */
export function caseStore(deps: StoreDeps & CaseListDeps & { clock: Clock }): CaseStore {
  const { db, cursors, outbox, clock } = deps
  const cases = caseRecords(db)
  const fileNumbers = fileNumberEntity(db)
  const entries = timelineEntry(db)
  const ofCase = caseActions(db)
  const recordEvents = eventActions(db)
  const links = caseLink(db)
  const pairs = caseLinkPair(db)
  const changeNamed = changeNaming(deps)
  const sides = partySides(db)
  const list = caseList(deps)

  const closed = closedCases(db)
  const items = caseEntity(db)
  const retained = retainedCases(db)

  const takeNumber = ({ workspace_id, file_number, id }: CaseRecord, otherwise?: () => Error): Action =>
    put(fileNumbers.create({ workspace_id, file_number, case_id: id }), otherwise)

  const renumber = (before: CaseRecord, after: CaseRecord): Action[] =>
    after.file_number === before.file_number
      ? []
      : [
          takeNumber(after, numberTaken),
          erase(fileNumbers.delete({ workspace_id: after.workspace_id, file_number: before.file_number })),
        ]

  const changes = changesOf<CaseRecord, { deleted_at?: string }>(deps, cases, {
    events: usualEvents('case', ({ id }) => ofCaseItself(id)),
    isStamped: true,
    takesTurns: true,
    follow: async (before, after, { deleted_at }) => {
      if (after !== undefined) await sides.note(after, before)
      return {
        actions: [
          ...(before && after ? renumber(before, after) : []),
          ...list.changes(before, after),
          ...closed.changes(before, after ?? (before && { ...before, deleted_at })),
        ],
        jobs: list.follow(before, after),
      }
    },
  })

  const numbers = gaplessNumbers(db)

  /** Adds a case with the next free number of the year, without a gap. */
  const addWithNextNumber: CaseStore['add'] = async (record, decide) => {
    const { workspace_id } = record
    const year = new Intl.DateTimeFormat('de-DE', { timeZone: 'Europe/Berlin', year: '2-digit' }).format(
      clock.now(),
    )
    const follow = await numbers.next(
      { workspace_id, series: `file_number/${year}` },
      async (number, advance) => {
        const numbered = { ...record, file_number: fileNumberOf(number, year) }
        if (await isWrittenOtherwise(workspace_id, numbered.file_number)) throw new NumberTaken()
        const taken = takeNumber(numbered, () => new NumberTaken())
        return { isUsed: true, result: await changes.enqueueNew(decide(numbered), advance, taken) }
      },
      (from) => firstFree(workspace_id, from, year),
    )
    return follow()
  }

  /** Whether a case has the same number in another form: beside an imported `1/26`, `0001/26` would mean two cases. */
  const isWrittenOtherwise = async (workspaceId: string, fileNumber: string): Promise<boolean> => {
    const number = deps.numberKey(fileNumber) ?? fileNumber
    const { items } = await list.newest(workspaceId, { number }, 1)
    return items.length > 0
  }

  /** The first free number of the year, from `from` on. Numbers that users chose themselves are taken. */
  const firstFree = async (workspaceId: string, from: number, year: string): Promise<number> => {
    for (let start = from, size = 1; ; start += size, size = 100) {
      const numbers = Array.from({ length: size }, (_, index) => start + index)
      const items = await readEach(db, numbers, (number) =>
        fileNumbers.get({ workspace_id: workspaceId, file_number: fileNumberOf(number, year) }),
      )
      const taken = new Set(items.map((item) => fileNumbers.parse({ Item: item }).data?.file_number))
      const free: number[] = []
      const check = async (number: number) => {
        const fileNumber = fileNumberOf(number, year)
        if (!taken.has(fileNumber) && !(await isWrittenOtherwise(workspaceId, fileNumber))) free.push(number)
      }
      // After an import there may be thousands, and all other requests for a number wait meanwhile.
      await inParallelUpTo(25, numbers, check)
      if (free.length > 0) return Math.min(...free)
    }
  }

  const linkOf = (item: WithoutNulls<CaseLink>): CaseLink => withNulls(item, caseLink.nullable)

  return {
    find: cases.find,

    page: (workspaceId, { limit, cursor, ...query }) =>
      list.page<CaseSummary>(workspaceId, wanted(query), { limit, cursor }),

    changes: (workspaceId, { limit, cursor, ...query }, since) =>
      list.pageOfChanges(workspaceId, wanted(query), { limit, cursor, since }, cases.findAll),

    add: async (record, decide) => {
      const { file_number } = record
      if (file_number === null) return addWithNextNumber(record, decide)
      const change = decide({ ...record, file_number })
      return changes.add(change, takeNumber(change.record, numberTaken))
    },

    change: changes.change,

    remove: changes.remove,

    findRetained: async (workspaceId, id) => (await retained(workspaceId, [id]))[0],

    changeHolds: (workspaceId, id, decide) =>
      retryStale(async () => {
        const [before] = await retained(workspaceId, [id])
        if (before === undefined || before.deleted_at === null) return changes.change(workspaceId, id, decide)
        const decided = decide(before)
        const { holds, updated_at, version } = decided.record
        const changed = items.patch({ workspace_id: workspaceId, id }).set({ updated_at, version })
        const written = holds === null ? changed.remove(['holds']) : changed.set({ holds })
        const isAsRead = written.where(
          ({ version: is, disposal_id }, { eq, notExists }) =>
            `${eq(is, before.version)} AND ${notExists(disposal_id)}`,
        )
        const timeline = ofCase.recordTimelines(workspaceId, decided.timeline ?? [])
        return outbox.commit([change(isAsRead), ...timeline], [], decided)
      }),

    renameParty: (workspace_id, { id: party_id, name }, after, rest) => {
      const stored = beginningOf(name, maxStoredName)
      const isOld = (party: CaseRecord['parties'][number]) => party.id === party_id && party.name !== stored
      const rename = (id: string) =>
        changes
          .change(workspace_id, id, (before) => {
            const parties = before.parties.map((party) => (isOld(party) ? { ...party, name: stored } : party))
            // The event of the party says it (E10).
            return {
              record: { ...before, parties, version: before.version + 1 },
              events: [],
              answer: undefined,
            }
          })
          .catch(unlessGone('CASE_NOT_FOUND'))
      return changeNamed(
        { workspace_id, party_id, kind: 'case', after },
        async (ids) => {
          const found = await cases.findAll(workspace_id, ids)
          const old = found.filter(({ parties }) => parties.some(isOld))
          await inParallel(old, ({ id }) => rename(id))
        },
        rest,
      )
    },

    timeline: async (workspace_id, case_id, request) => {
      const query = entries.query.newest({ workspace_id, case_id })
      const page = await newestFirst(cursors, [workspace_id, 'timeline', case_id], request, query)
      return mapPage(page, (entry) => withNulls(entry, timelineEntry.nullable))
    },

    links: async (workspace_id, case_id, request) => {
      const query = links.query.newest({ workspace_id, case_id })
      const page = await newestFirst(cursors, [workspace_id, 'links', case_id], request, query)
      return mapPage(page, linkOf)
    },

    allLinks: async (workspace_id, case_id) => {
      const { data } = await links.query.newest({ workspace_id, case_id }).go(allPages)
      return data.map(linkOf)
    },

    link: async (workspace_id, case_id, id) => {
      const { data } = await links.get({ workspace_id, case_id, id }).go(strongly)
      return data === null ? undefined : linkOf(data)
    },

    addLink: (workspaceId, change) => {
      const { record: link, timeline } = change
      const { case_id, linked_case_id } = link
      const attributes = { workspace_id: workspaceId, ...withoutNulls(link) }
      const actions = [
        ofCase.isThere(workspaceId, case_id),
        ofCase.isThere(workspaceId, linked_case_id),
        put(pairs.create({ workspace_id: workspaceId, pair: pairOf(link), link_id: link.id }), () =>
          conflict('LINK_EXISTS', 'These two cases are linked already.', {
            details: [{ path: 'body.case_id', message: 'This case is linked already.' }],
          }),
        ),
        put(links.create(attributes)),
        put(links.create({ ...attributes, case_id: linked_case_id, linked_case_id: case_id })),
        ...ofCase.recordTimelines(workspaceId, timeline),
        ...recordEvents(workspaceId, [case_id, linked_case_id].map(caseUpdated)),
      ]
      return transact(db, actions, change)
    },

    removeLink: (workspaceId, link, timeline) =>
      retryStale(async () => {
        const told = timeline.map(({ case_id }) => case_id)
        const there = (await cases.findAll(workspaceId, told)).map(({ id }) => id)
        // After the event of its deletion a case has no other one.
        await transact(db, [
          ...[link.case_id, link.linked_case_id].map((case_id) =>
            erase(links.remove({ workspace_id: workspaceId, case_id, id: link.id }), () =>
              notFound('LINK_NOT_FOUND'),
            ),
          ),
          erase(pairs.delete({ workspace_id: workspaceId, pair: pairOf(link) })),
          ...there.map((id) => ({ ...ofCase.isThere(workspaceId, id), otherwise: () => new Stale() })),
          ...ofCase.recordTimelines(workspaceId, timeline),
          ...recordEvents(workspaceId, there.map(caseUpdated)),
        ])
      }),
  }
}

/** `numberKey`: the form in which file numbers are compared, for those who look up a case by its number. */
export type CaseListDeps = Pick<StoreDeps, 'db' | 'cursors'> & {
  numberKey: (fileNumber: string) => string | null
}

/** The searchable list of cases. */
export function caseList({ db, cursors, numberKey }: CaseListDeps) {
  const listed = (record: CaseRecord): Listed => {
    const { id, name, file_number, status, type, dezernat, parties, staff, changed_at } = record
    return {
      id,
      summary: { id, name, file_number, status },
      filters: { status, type, dezernat, number: numberKey(file_number) },
      many: { party: distinct(parties.map((one) => one.id)), staff: distinct(staff.map((one) => one.id)) },
      texts: [name, file_number, ...distinct(parties.map((one) => one.name))],
      changed_at,
    }
  }
  return recordList(db, cursors, 'cases', listed)
}

/** The data of an event of a case: its own id twice. */
function ofCaseItself(id: string): EventData {
  return { id, case_id: id }
}

function caseUpdated(id: string): NewEvent {
  return { type: 'case.updated', data: ofCaseItself(id) }
}

/** The filters of a list of cases (C3, C9). */
function wanted(query: Omit<CaseQuery, 'limit' | 'cursor'>): Wanted {
  const { search, status, type, dezernat, party_id, staff_id } = query
  return { filters: { status, type, dezernat, party: party_id, staff: staff_id }, search }
}

function distinct(values: string[]): string[] {
  return [...new Set(values)]
}

const numberTaken = () =>
  conflict(
    'FILE_NUMBER_TAKEN',
    'Another case, perhaps a deleted one, has this file number. Choose another, or omit it to get the next one.',
    { details: [{ path: 'body.file_number', message: 'Another case has this file number.' }] },
  )

function fileNumberOf(number: number, year: string): string {
  return `${String(number).padStart(4, '0')}/${year}`
}

function pairOf(link: Pick<CaseLink, 'case_id' | 'linked_case_id'>): string {
  return [link.case_id, link.linked_case_id].toSorted().join(' ')
}
