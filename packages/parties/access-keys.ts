import type { AccessReportKey } from './access-ports.ts'

/** The key of the file of a report. Every attempt to make it writes the same one. */
export function accessReportKey({ workspace_id, party_id, id }: AccessReportKey): string {
  return `reports/${workspace_id}/${party_id}/${id}`
}

/** The end of the path of a note that stands for a file whose bytes are gone. */
export const missingEnd = '.fehlt.txt'
