import { reportReasons, reportStatuses } from '#parties/access-schema.ts'
import { boolean, entity, listKey, nullable, number, oneOf, text } from '../entity.ts'

/** A report on everything that is stored about a party. */
export const accessReport = entity(
  'accessreport',
  listKey('newest', '${workspace_id}#access_reports#${party_id}', '${id}'),
  {
    status: oneOf(reportStatuses),
    status_reason: nullable(oneOf(reportReasons)),
    requested_by: text,
    reads_bea: nullable(boolean),
    attempts: nullable(number),
    created_at: text,
    expires_at: text,
    size_bytes: nullable(number),
    opened_hour: nullable(text),
    ttl: number,
  },
)

/** A report in the list of its firm: a disposal removes all of them. It expires with the report. */
export const listedReport = entity(
  'listedreport',
  listKey('all', '${workspace_id}#access_reports', '${party_id}#${id}'),
  { ttl: number },
)

/** A report that has not ended. The key has no workspace, because the sweep reads the reports of all firms. */
export const unendedReport = entity(
  'unendedreport',
  listKey('oldest', 'access_reports#unended#${shard}', '${id}'),
  {
    workspace_id: text,
    party_id: text,
    due_at: text,
  },
)
