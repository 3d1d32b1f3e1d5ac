import { Readable } from 'node:stream'
import { runKeyOf } from '#exports/run-keys.ts'
import { selectionDigest } from '#exports/selection-schema.ts'
import { exportTokenService } from '#exports/tokens.ts'
import { queues } from '#functions/queues.ts'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import { exportConfigStore } from '#store/exports/export-config-store.ts'
import { exportTokenStore } from '#store/exports/export-token-store.ts'
import { keyStore } from '#store/workspace/key-store.ts'
import type { Firm } from './firm.ts'
import { storeDeps } from './mail-stores.ts'
import { sharedTable } from './table.ts'

export const configsPath = '/api/v1/exports/configs'

/** A configuration of a firm: parties as JSON by default. */
export async function aConfig(
  { owner }: Pick<Firm, 'owner'>,
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

/** A token of a configuration that expired an hour ago. The service itself created it with an earlier clock. */
export async function anExpiredToken({ workspace, ownerUser }: Firm, configId: string): Promise<string> {
  const clock = { now: () => new Date(epochMilliseconds() - 7_200_000) }
  const base = { ...storeDeps(await sharedTable()), clock }
  const tokens = exportTokenService({
    ...base,
    tokens: exportTokenStore(base),
    configs: exportConfigStore(base),
    keys: keyStore(base.db, base.cursors),
  })
  const actor = { workspace_id: workspace.id, user_id: ownerUser.id, user_name: '', key_id: '', scopes: [] }
  return (await tokens.generate(actor, configId, { expires_in_hours: 1 })).token
}

/**
 * A run of a configuration with a schedule: it runs at once, as the worker runs it for a message. Its file contains
 * the given text instead of rows.
 */
export async function aRun(
  { workspace }: Firm,
  config_id: string,
  { text = 'Zeile', scheduled_at = systemClock.now().toISOString() } = {},
): Promise<{ id: string }> {
  const [{ exportRunning }, { exportRunsFoundation }, { foundation }] = await Promise.all([
    import('#exports/running.ts'),
    import('#foundation/export-runs.ts'),
    import('#foundation/foundation.ts'),
    sharedTable(),
  ])
  const base = foundation('test')
  const config = await exportConfigStore(base).find(workspace.id, config_id)
  if (config === undefined) throw new Error(`There is no configuration ${config_id}.`)
  const order = { workspace_id: workspace.id, config_id, scheduled_at }
  const worker = exportRunning({
    ...base,
    ...exportRunsFoundation(base),
    maxAttempts: queues['export-runs'].maxReceives,
    make: async () => ({
      filename: 'Täglich.csv',
      mime_type: 'text/csv; charset=utf-8',
      selection_sha256: selectionDigest(config),
      bytes: Readable.from([Buffer.from(text)]),
      rowCount: () => 1,
    }),
  })
  await worker.run(order, new AbortController().signal)
  return { id: runKeyOf(order).id }
}
