import { zipFile } from '#formats/zip-file.ts'
import type { Clock } from '#kernel/clock.ts'
import type { LogOf } from '#kernel/log.ts'
import { isOn } from '#parties/side-schema.ts'
import { accessFiles, findRecords, TooLarge } from './access-files.ts'
import { accessReportKey } from './access-keys.ts'
import type {
  AccessReportFiles,
  AccessReportKey,
  AccessReportRecord,
  AccessReportStore,
  AccessSection,
  AccessSubject,
  SubjectCase,
} from './access-ports.ts'
import { type ReportReason, reportLimits } from './access-schema.ts'
import type { PartyRecord, PartyStore } from './ports.ts'
import { namesOf } from './redaction.ts'

/** A report fails after this many attempts, so that a permanent fault does not occupy workers for 14 days. */
const maxAttempts = 5

/** Makes the reports on parties (R6): a ZIP of JSON files and documents, with `index.html`. */
export function accessMaking(deps: {
  parties: Pick<PartyStore, 'find' | 'sharesMailbox'>
  /** The cases that name a party, with all their roles, also deleted ones. */
  casesOf: (workspaceId: string, partyId: string) => AsyncIterable<NamingCase>
  sections: readonly AccessSection[]
  reports: Pick<AccessReportStore, 'find' | 'begin' | 'end' | 'settle'>
  files: Pick<AccessReportFiles, 'putStream' | 'remove'>
  workspaces: { find: (id: string) => Promise<{ name: string; time_zone: string } | undefined> }
  limits?: { files: number; bytes: number }
  clock: Clock
  log: LogOf<'warn'>
}) {
  const { parties, casesOf, sections, reports, files, workspaces, clock, log } = deps
  const { limits = reportLimits } = deps

  const subjectOf = async (party: PartyRecord, report: AccessReportRecord): Promise<AccessSubject> => {
    const { workspace_id, requested_by: user_id, reads_bea } = report
    const cases: SubjectCase[] = []
    for await (const one of casesOf(party.workspace_id, party.id)) cases.push(subjectCase(party.id, one))
    const sharesMailbox = await parties.sharesMailbox(party)
    return {
      party,
      reader: {
        workspace_id,
        user_id,
        user_name: '',
        key_id: '',
        scopes: reads_bea === false ? [] : ['bea:read'],
      },
      cases,
      clientOf: new Set(cases.filter(({ isClient }) => isClient).map(({ id }) => id)),
      sharesMailbox,
      isNamedIn: namesOf(sharesMailbox ? { ...party, email: null } : party),
    }
  }

  /** Removes the leftovers of a report that is over: an attempt may have been killed after it stored its file. */
  const tidy = async (key: AccessReportKey): Promise<void> => {
    const report = await reports.find(key)
    if (report?.status !== 'succeeded') await files.remove([accessReportKey(key)])
    await reports.settle(key)
  }

  const attempt = async (report: AccessReportRecord, signal: AbortSignal): Promise<'ended' | 'over'> => {
    const { workspace_id, party_id } = report
    const [party, workspace] = await Promise.all([
      parties.find(workspace_id, party_id),
      workspaces.find(workspace_id),
    ])
    // The party was deleted or erased: its reports have no readers any more.
    if (party === undefined || workspace === undefined) return 'over'
    const subject = await subjectOf(party, report)
    const found = await findRecords(subject, sections, limits, signal)
    const bytes = zipFile(accessFiles(subject, found, workspace, clock.now()))
    const size_bytes = await files.putStream(accessReportKey(report), bytes, {
      mimeType: 'application/zip',
      signal,
    })
    return (await reports.end(report, { status: 'succeeded', size_bytes })) ? 'ended' : 'over'
  }

  return {
    /**
     * Makes the file of a report, in bounded memory. If the report has ended, or the report or the party is gone, removes
     * what an earlier attempt may have left behind.
     *
     * @throws if another attempt makes sense
     */
    async make(message: { workspace_id: string; party_id: string; report_id: string }, signal: AbortSignal) {
      const { workspace_id, party_id, report_id: id } = message
      const key: AccessReportKey = { workspace_id, party_id, id }
      const report = await reports.begin(key)
      if (report === 'over') return tidy(key)
      // A worker that was killed has recorded nothing but the attempt.
      if ((report.attempts ?? 1) > maxAttempts) {
        await reports.end(key, { status: 'failed', status_reason: 'internal_error' })
        log.warn('report on a party failed for good', { report_id: id, reason: 'internal_error' })
        return tidy(key)
      }
      try {
        if ((await attempt(report, signal)) === 'over') await tidy(key)
      } catch (error) {
        const status_reason = reasonOf(error, signal)
        const isLast = (report.attempts ?? 1) >= maxAttempts
        if (status_reason === 'internal_error' && !isLast) throw error
        // A disposal that has removed the record waits until `tidy` has removed the report from the unended ones.
        const isOver = await reports.end(key, { status: 'failed', status_reason })
        if (isOver || (await reports.find(key)) === undefined) await tidy(key)
        if (status_reason === 'internal_error') throw error
        log.warn('report on a party failed for good', { report_id: id, reason: status_reason })
      }
    },
  }
}

type NamingCase = Omit<SubjectCase, 'role' | 'isClient' | 'deleted_at'> & {
  parties: (Parameters<typeof isOn>[2][number] & { role: string })[]
  deleted_at?: string | undefined
}

function subjectCase(
  partyId: string,
  { id, name, file_number, status, parties, deleted_at }: NamingCase,
): SubjectCase {
  const roles = parties.filter((one) => one.id === partyId).map(({ role }) => role)
  const isClient = isOn(['client'], partyId, parties)
  return { id, name, file_number, status, role: roles.join(', '), isClient, deleted_at: deleted_at ?? null }
}

/** `too_large` and `too_long` are final: another attempt would take as long. Other faults may go away. */
function reasonOf(error: unknown, signal: AbortSignal): ReportReason {
  if (error instanceof TooLarge) return 'too_large'
  return signal.aborted ? 'too_long' : 'internal_error'
}
