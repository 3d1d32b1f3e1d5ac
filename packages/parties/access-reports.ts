import { externalEvent } from '#audit/schema.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { Failure, failureOf, required } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { accessReportKey } from './access-keys.ts'
import type {
  AccessReportFiles,
  AccessReportRecord,
  AccessReportStore,
  AccessReportTokens,
} from './access-ports.ts'
import type { AccessReport, RequestedAccessReport } from './access-schema.ts'
import { makeAccessReport } from './jobs.ts'
import type { PartyStore } from './ports.ts'

export type AccessReports = ReturnType<typeof accessReports>
export type AccessReportLinks = ReturnType<typeof accessReportLinks>

/** How many days a report and its link last (R6). */
export const accessReportDays = 14

/** After this time a report that has not ended is sent to its worker again: by then the queue has given up its message. */
export const resendMilliseconds = 2 * 3_600_000

/** How long the address of a file is valid. S3 checks it when a download begins. */
const addressSeconds = 300

/** The use that a token of a link is valid for. */
const binding = ['access_report_link']

/** Reports on everything that is stored about a party (R6, Art. 15 DSGVO). */
export function accessReports(deps: {
  parties: Pick<PartyStore, 'find'>
  reports: Pick<AccessReportStore, 'add' | 'find'>
  tokens: Pick<AccessReportTokens, 'seal'>
  clock: Clock
}) {
  const { parties, reports, tokens, clock } = deps
  return {
    /** Asks for a report with what the caller may read. A worker makes it. @throws Failure PARTY_NOT_FOUND */
    async request(actor: Actor, partyId: string): Promise<Answered<RequestedAccessReport>> {
      const { workspace_id, user_id, scopes } = actor
      const { id: party_id } = required(await parties.find(workspace_id, partyId), 'PARTY_NOT_FOUND')
      const now = clock.now()
      const id = newId('accessReport')
      const record: AccessReportRecord = {
        workspace_id,
        party_id,
        id,
        status: 'running',
        status_reason: null,
        requested_by: user_id,
        reads_bea: scopes.includes('bea:read'),
        attempts: null,
        created_at: now.toISOString(),
        expires_at: new Date(now.getTime() + accessReportDays * 86_400_000).toISOString(),
        size_bytes: null,
        opened_hour: null,
      }
      const jobs = [makeAccessReport.of({ workspace_id, party_id, report_id: id })]
      const dueAt = new Date(now.getTime() + resendMilliseconds).toISOString()
      return reports.add(record, jobs, { id, status: record.status }, dueAt)
    },

    /**
     * A report that the caller has requested. It may have beA messages that nobody else may read (B8).
     *
     * @throws Failure PARTY_NOT_FOUND, ACCESS_REPORT_NOT_FOUND if it is unknown, has expired, or was requested by another
     *   user or with a key that has more rights
     */
    async get(actor: Actor, party_id: string, id: string, baseUrl: string): Promise<AccessReport> {
      const { workspace_id } = actor
      required(await parties.find(workspace_id, party_id), 'PARTY_NOT_FOUND')
      const stored = unexpired(await reports.find({ workspace_id, party_id, id }), clock)
      const report = required(stored && isFor(actor, stored) ? stored : undefined, 'ACCESS_REPORT_NOT_FOUND')
      const { status, status_reason, expires_at } = report
      const position = [workspace_id, party_id, id].join(' ')
      const url =
        status === 'succeeded'
          ? `${baseUrl}/shared/access-reports/${await tokens.seal(binding, position)}`
          : null
      return { status, status_reason, url, expires_at }
    },
  }
}

function isFor(
  { user_id, scopes }: Actor,
  { requested_by, reads_bea }: Pick<AccessReportRecord, 'requested_by' | 'reads_bea'>,
): boolean {
  return user_id === requested_by && (reads_bea === false || scopes.includes('bea:read'))
}

/** Opens reports by their links, for everybody who has the link, as long as the party exists. */
export function accessReportLinks(deps: {
  parties: Pick<PartyStore, 'find'>
  reports: Pick<AccessReportStore, 'find' | 'recordOpening'>
  tokens: Pick<AccessReportTokens, 'open'>
  files: Pick<AccessReportFiles, 'presignGet'>
  clock: Clock
}) {
  const { parties, reports, tokens, files, clock } = deps

  const found = async (token: string): Promise<AccessReportRecord | undefined> => {
    try {
      const [workspace_id = '', party_id = '', id = ''] = (await tokens.open(binding, token)).split(' ')
      const [party, report] = await Promise.all([
        parties.find(workspace_id, party_id),
        reports.find({ workspace_id, party_id, id }),
      ])
      return party && unexpired(report, clock)
    } catch (error) {
      if (failureOf(error)?.kind === 'invalid') return undefined
      throw error
    }
  }

  return {
    /** The report of a link. @throws Failure SHARED_LINK_NOT_FOUND if it is unknown or has expired, or its party is gone */
    async admit(token: string | undefined): Promise<AccessReportRecord> {
      const report = token ? await found(token) : undefined
      if (report?.status === 'succeeded') return report
      throw new Failure(
        'not_found',
        'SHARED_LINK_NOT_FOUND',
        'This link is unknown or has expired. Ask whoever sent it for a new one.',
      )
    },

    /**
     * An address of the file of a report in the bucket, valid for five minutes. Lambda streams at most 200 MB, and a report
     * may have 10 GB. Before the address of a download is given out, the audit records that the link was opened (R7). It
     * records this once an hour, since a holder of the link could otherwise fill the audit.
     */
    async address(report: AccessReportRecord, { isHead }: { isHead: boolean }): Promise<string> {
      const { workspace_id, id, created_at } = report
      const hour = timestamp(clock).slice(0, 'yyyy-mm-ddThh'.length)
      if (!isHead && report.opened_hour !== hour) {
        const opened = externalEvent(workspace_id, 'link.opened', { type: 'access_report', id }, null)
        await reports.recordOpening(report, hour, opened)
      }
      return files.presignGet(accessReportKey(report), {
        mimeType: 'application/zip',
        contentDisposition: `attachment; filename="Auskunft-${created_at.slice(0, 'yyyy-mm-dd'.length)}.zip"`,
        expiresInSeconds: addressSeconds,
        isHead,
      })
    },
  }
}

/** The report, unless it has expired. */
function unexpired(report: AccessReportRecord | undefined, clock: Clock): AccessReportRecord | undefined {
  return report !== undefined && report.expires_at > timestamp(clock) ? report : undefined
}
