import * as z from 'zod'
import { shownId } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { Pagination, pageQuery } from '#kernel/page.ts'
import { NullableText, Text, Timestamp } from '#kernel/text.ts'

const count = z.int().gte(0)

/** The numbers of records in a case, by kind, without deleted records. */
export const CaseCounts = namedObject('CaseCounts', () => ({
  documents: count.meta({ description: 'Its documents.' }),
  mails: count.meta({ description: 'Mail sent and received.' }),
  deadlines: count.meta({ description: 'Its deadlines, without struck ones.' }),
  envelopes: count.meta({ description: 'Its signing envelopes.' }),
  time_entries: count.meta({ description: 'Time worked on it.' }),
  invoices: count.meta({ description: 'Its invoices. They have a retention period of their own.' }),
}))

export type CaseCounts = z.infer<typeof CaseCounts>

/** A case whose retention period is over (R3). */
export const DueCase = namedObject('DueCase', () => ({
  case_id: shownId('case'),
  file_number: Text,
  closed_at: Timestamp.nullable().meta({
    description: 'When it was closed. Null if it was deleted and never closed.',
  }),
  deleted_at: Timestamp.nullable().meta({ description: 'When a user deleted it; null if nobody has.' }),
  retain_until: z.iso.date().meta({ description: 'The last day on which the case had to be kept.' }),
  counts: CaseCounts,
}))

export type DueCase = z.infer<typeof DueCase>

/** A page of the cases that are due. */
export const DuePage = namedObject('DuePage', () => ({
  data: z.array(DueCase),
  pagination: Pagination,
  by: z.iso.date().meta({ description: 'The day for which the list was made.' }),
  workspace: z.object({ name: Text, time_zone: Text }).meta({ description: 'The firm.' }),
}))

export type DuePage = z.infer<typeof DuePage>

/** The maximum number of types in the statistics of a firm. */
export const maxCountedTypes = 100

/** How many cases of a year and a type were disposed of. */
export const DisposedCases = namedObject('DisposedCases', () => ({
  year: z
    .int()
    .meta({ description: 'The year in which they were closed, or deleted if they were never closed.' }),
  type: NullableText.meta({
    description:
      'Their type. Null: they have no type, or it was not counted: fewer than three cases had it, or 100 types are counted already.',
  }),
  cases: count.meta({ description: 'The number of these cases.' }),
}))

export type DisposedCases = z.infer<typeof DisposedCases>

export const DueQuery = lazyObject(() => ({
  ...pageQuery,
  by: z.iso.date().optional().meta({
    description:
      'A day in the firm’s time zone; default: today. Lists the cases whose retention period ends before this day, and that have no hold on this day. For a past day, they must have no hold today.',
  }),
}))

export type DueQuery = z.infer<typeof DueQuery>
