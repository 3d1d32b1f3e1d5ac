import * as z from 'zod'
import { shownId } from '#kernel/id.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { NullableText, Timestamp } from '#kernel/text.ts'

export const reportStatuses = ['running', 'succeeded', 'failed'] as const

/**
 * The maximum number of files in a report, and of bytes. A worker has 15 minutes. It opens the files one after the
 * other, which takes about 40 ms each from S3, and copies about 40 MB a second through one stream.
 */
export const reportLimits = { files: 10_000, bytes: 10_000_000_000 } as const

/** Why a report failed. */
export const reportReasons = ['too_large', 'too_long', 'internal_error'] as const

export type ReportReason = (typeof reportReasons)[number]

const status = z.enum(reportStatuses).meta({
  description:
    '`running` until the file is there, also while a worker tries again after a fault. `failed` is final: `status_reason` says why.',
})

/** A report on a party that was asked for (R6). */
export const RequestedAccessReport = namedObject('RequestedAccessReport', () => ({
  id: shownId('accessReport'),
  status,
}))

export type RequestedAccessReport = z.infer<typeof RequestedAccessReport>

/** A report on a party, with the link to its file (R6). */
export const AccessReport = namedObject('AccessReport', () => ({
  status,
  status_reason: z.enum(reportReasons).nullable().meta({
    description:
      'Why it failed. `too_large`: more than 10,000 files or 10 GB. `too_long`: more than a worker can copy in 15 minutes. `internal_error`: five attempts failed; ask for another report.',
  }),
  url: NullableText.meta({
    description: 'A link to the ZIP, for everybody who has it; null until the report has succeeded.',
  }),
  expires_at: Timestamp.meta({
    description:
      'When the link and the file expire: 14 days after the request. They end earlier if the party is deleted, any party is erased, or any cases of the firm are disposed of.',
  }),
}))

export type AccessReport = z.infer<typeof AccessReport>
