import type { Firm } from './firm.ts'

export const configsPath = '/api/v1/exports/configs'

/** A configuration of a firm: parties as JSON, unless said otherwise. */
export async function aConfig(
  { owner }: Firm,
  body: Record<string, unknown> = {},
): Promise<Record<string, never> & { id: string }> {
  const answer = await owner('POST', configsPath, {
    body: { name: 'Export', source: 'parties', format: 'json', ...body },
  })
  if (answer.status !== 201) throw new Error(`The configuration was refused: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** A token of a configuration. */
export async function aToken(
  { owner }: Firm,
  configId: string,
): Promise<{ id: string; token: string; expires_at: string }> {
  const body = { expires_in_hours: 24 }
  return (await owner('POST', `${configsPath}/${configId}/generate-token`, { body })).body
}
