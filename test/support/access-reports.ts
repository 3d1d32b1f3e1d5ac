import type { Firm } from './firm.ts'
import { growingPauses } from './growing-pauses.ts'

/** Asks for a report on a party, and waits until the worker has made it. */
export async function aReport(
  { owner }: Firm,
  partyId: string,
): Promise<{ id: string; status: string; url: string; expires_at: string }> {
  const { body } = await owner('POST', `/api/v1/parties/${partyId}/access-report`)
  const until = performance.now() + 60_000
  for await (const _ of growingPauses()) {
    const report = (await owner('GET', `/api/v1/parties/${partyId}/access-reports/${body.id}`)).body
    if (report.status !== 'running') return { id: body.id, ...report }
    if (performance.now() > until) break
  }
  throw new Error(`The report ${body.id} was not made in a minute.`)
}

/** The token of the link to a report on a party. */
export async function aReportToken(firm: Firm, partyId: string): Promise<string> {
  return (await aReport(firm, partyId)).url.split('/').at(-1) ?? ''
}
