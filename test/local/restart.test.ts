import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SESClient, SendRawEmailCommand } from '@aws-sdk/client-ses'
import { afterAll, expect, it } from 'vitest'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { newDataFolder } from '#test/support/data-folder.ts'
import { type Service, startService } from '#test/support/service.ts'

const dataDir = newDataFolder()
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

async function control(url: string | undefined, command: object) {
  const answer = await fetch(`${url}control`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(command),
  })
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

/** Sends a mail with SES, without our service. */
async function sendMail({ environment }: Service): Promise<void> {
  const client = new SESClient({
    endpoint: environment.AWS_ENDPOINT_URL_SES ?? '',
    region: 'eu-central-1',
    credentials: {
      accessKeyId: environment.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? '',
    },
  })
  await client.send(
    new SendRawEmailCommand({
      Source: 'eingang@kanzlei.example',
      Destinations: ['mandant@example.com'],
      RawMessage: { Data: Buffer.from('From: a@b.de\r\nSubject: Probe & mehr\r\n\r\nText') },
      ConfigurationSetName: environment.MAIL_CONFIGURATION_SET,
    }),
  )
}

it('npm start has a beA network of its own and prints where sent mail is; both survive a kill until --fresh', async () => {
  const start = (...more: string[]) => startService({ dataDir, commandLine: ['--empty', ...more], bea: true })
  const first = await start()
  const { BEA_GATEWAY_URL, BEA_GATEWAY_IDENT, BEA_LOGIN_VERSION } = first.environment
  const { lindner, demir } = safeIds
  const seeded = await control(BEA_GATEWAY_URL, { seed: { from: demir, to: lindner, subject: 'Bleibt' } })
  await sendMail(first)
  await first.kill()
  const second = await start()
  const [, address = ''] = /^Sent mail: (.*)$/m.exec(second.output()) ?? []
  const keptMail = await (await fetch(address)).text()
  const kept = await control(second.environment.BEA_GATEWAY_URL, { postbox: lindner })
  await second.stop()
  const fresh = await start('--fresh')
  const anew = await control(fresh.environment.BEA_GATEWAY_URL, { postbox: lindner })
  const noMail = await (await fetch(`${fresh.baseUrl}/local/mail`)).text()
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
  expect(address).toBe(`${second.baseUrl}/local/mail`)
  expect(keptMail).toContain('Probe &#38; mehr')
  expect(noMail).toContain('There is none.')
})
