import { setTimeout as sleep } from 'node:timers/promises'
import type { Firm } from './firm.ts'

/** Asks for a report on a party, and waits until the worker has made it. */
export async function aReport(
  { owner }: Firm,
  partyId: string,
): Promise<{ id: string; status: string; url: string; expires_at: string }> {
  const { body } = await owner('POST', `/api/v1/parties/${partyId}/access-report`)
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const report = (await owner('GET', `/api/v1/parties/${partyId}/access-reports/${body.id}`)).body
    if (report.status !== 'running') return { id: body.id, ...report }
    await sleep(100)
  }
  throw new Error(`The report ${body.id} was not made in a minute.`)
}

/** The token of the link to a report on a party. */
export async function aReportToken(firm: Firm, partyId: string): Promise<string> {
  return (await aReport(firm, partyId)).url.split('/').at(-1) ?? ''
}
