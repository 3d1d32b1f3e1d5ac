import { expect, it } from 'vitest'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import { newId } from '#kernel/id.ts'
import { searchMarks } from '#store/text-search/search-marks.ts'
import { memoryTable } from '#test/support/memory-table.ts'

const received = {
  workspace_id: newId('workspace'),
  id: newId('correspondence'),
  status: 'received',
  subject: 'Klage',
  to: [],
  cc: [],
  bcc: [],
  case_id: null,
} as unknown as CorrespondenceRecord

const termsOf = (before: CorrespondenceRecord | undefined, after: CorrespondenceRecord | undefined) =>
  searchMarks(memoryTable().db)
    .ofMail(before, after)
    .actions.map(({ item }) => String(item.Put?.Item?.pk).split('#').at(-1))

const judged: CorrespondenceRecord = { ...received, status: 'processed' }

it.each([
  ['received', undefined, received, ['new']],
  ['judged', received, judged, ['new']],
  ['judged and filed in a case', received, { ...judged, case_id: 'case_1' }, ['changed']],
  ['filed later', judged, { ...judged, case_id: 'case_1' }, ['changed']],
  ['disposed of', judged, undefined, ['changed']],
  ['answered', judged, { ...judged, answered_at: '2026-11-27T08:00:00.000Z' }, []],
] as [
  string,
  CorrespondenceRecord | undefined,
  CorrespondenceRecord | undefined,
  string[],
][])('a mail that is %s replaces older forms in the index only if the index may hold one', (_, before, after, terms) => {
  expect(termsOf(before, after)).toEqual(terms)
})
