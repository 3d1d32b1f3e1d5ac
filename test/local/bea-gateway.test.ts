import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { newDataFolder } from '#test/support/data-folder.ts'
import { startService } from '#test/support/service.ts'

let folder: string
let dataDir: string
beforeAll(() => {
  folder = newDataFolder()
  dataDir = join(folder, 'data')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const startEmpty = (environment: NodeJS.ProcessEnv = {}) =>
  startService({ dataDir, commandLine: ['--empty'], environment, bea: true })

async function control(url: string | undefined, command: object) {
  const answer = await fetch(`${url}control`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(command),
  })
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

it('npm start has a beA network of its own, whose certificates and messages survive a restart until --fresh', async () => {
  const first = await startEmpty()
  const { BEA_GATEWAY_URL, BEA_GATEWAY_IDENT, BEA_LOGIN_VERSION } = first.environment
  const { lindner, demir } = safeIds
  const seeded = await control(BEA_GATEWAY_URL, { seed: { from: demir, to: lindner, subject: 'Bleibt' } })
  await first.kill()
  const second = await startEmpty()
  const kept = await control(second.environment.BEA_GATEWAY_URL, { postbox: lindner })
  await second.stop()
  const fresh = await startService({ dataDir, commandLine: ['--empty', '--fresh'], bea: true })
  const anew = await control(fresh.environment.BEA_GATEWAY_URL, { postbox: lindner })
  await fresh.stop()

  expect(BEA_GATEWAY_URL).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
  expect([BEA_GATEWAY_IDENT, BEA_LOGIN_VERSION]).toEqual(['demo-ident', '2'])
  expect(first.output()).toContain(`beA simulator: ${BEA_GATEWAY_URL}`)
  expect(first.credentials.bea?.map(({ label, safe_id }) => [label, safe_id])).toEqual([
    ['Dr. Katharina Lindner', safeIds.lindner],
    ['Aylin Demir', safeIds.demir],
    ['Jonas Petersen (Karte)', safeIds.petersen],
  ])
  expect(
    first.credentials.bea?.map(({ passphrase, private_key_pem }) => [
      passphrase !== '',
      private_key_pem !== undefined,
    ]),
  ).toEqual([
    [true, false],
    [true, false],
    [false, true],
  ])
  expect(second.credentials.bea).toEqual(first.credentials.bea)
  for (const file of ['certificates/certificates.json', 'certificates/lindner.p12', 'network.sqlite'])
    expect(statSync(join(dataDir, 'bea', file)).mode & 0o777).toBe(0o600)
  expect(seeded.status).toBe(200)
  expect(JSON.stringify(kept.body)).toContain('Bleibt')
  expect(fresh.credentials.bea?.[0]?.certificate_base64).not.toBe(
    first.credentials.bea?.[0]?.certificate_base64,
  )
  expect(JSON.stringify(anew.body)).not.toContain('Bleibt')
})

it('npm start starts none if BEA_GATEWAY_URL names a gateway, and offers no demo certificates for it', async () => {
  const other = join(folder, 'other')
  const service = await startService({
    dataDir: other,
    commandLine: ['--empty'],
    environment: { BEA_GATEWAY_URL: 'http://127.0.0.1:9/' },
  })
  await service.stop()

  expect(service.credentials.bea).toBeUndefined()
  expect(service.environment.BEA_GATEWAY_URL).toBeUndefined()
  expect(existsSync(join(other, 'bea'))).toBe(false)
})
