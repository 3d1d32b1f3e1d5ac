import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { hexDigest } from '#kernel/hex-digest.ts'
import { createClient } from '#store/client.ts'
import { signingLink } from '#store/signing/signing-link-entity.ts'
import { type Api, api } from '#test/support/api.ts'
import { newDataFolder } from '#test/support/data-folder.ts'
import { form } from '#test/support/documents.ts'
import { type FaultySes, faultySes, type MailFault, taken } from '#test/support/faulty-ses.ts'
import { newAddress, type SentMail, sentTo, until } from '#test/support/sent-mail.ts'
import { type Service, startService } from '#test/support/service.ts'

/** The mails of envelopes when SES fails, and when the service is killed while it sends them (M5, S3). */
const ending: (() => unknown)[] = []
afterAll(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

async function startOn(dataDir: string, ses: FaultySes): Promise<{ service: Service; owner: Api }> {
  vi.unstubAllEnvs()
  const environment = { AWS_ENDPOINT_URL_SES: ses.url }
  const service = await startService({ dataDir, commandLine: ['--empty'], environment })
  await ses.serve(service)
  return { service, owner: api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key) }
}

type Signer = { email: string; delivery: string | null }

async function sendEnvelope(owner: Api, addresses: string[]): Promise<string> {
  const case_id: string = (await owner('POST', '/api/v1/cases', { body: { name: 'Absturz' } })).body.id
  const file = { bytes: `Vollmacht Nummer ${Math.random()}.`, filename: 'Vollmacht.txt' }
  const document = (await owner('POST', '/api/v1/documents', { raw: form({ file }, { case_id }) })).body.id
  const signers = addresses.map((email, at) => ({ name: `Mandantin ${at}`, email }))
  const body = { title: 'Vollmacht', document_ids: [document], send_emails: true, signers }
  const created = await owner('POST', `/api/v1/cases/${case_id}/signing-envelopes`, { body })
  expect(created.status).toBe(201)
  return `/api/v1/signing/envelopes/${created.body.id}`
}

const deliveriesOf = ({ signers }: { signers: Signer[] }) => signers.map(({ delivery }) => delivery)
const tokenIn = ({ mail }: SentMail): string => /\/sign\/([\w-]{43})/.exec(mail.html ?? '')?.[1] ?? ''

/** Whether the table of the service knows a magic link with this token. */
async function isValid({ environment }: Service, token: string): Promise<boolean> {
  const db = { client: createClient(), table: environment.TABLE_NAME ?? '' }
  const { data } = await signingLink(db)
    .get({ token_sha256: hexDigest(token) })
    .go({ consistent: true })
  return data !== null
}

const refusal: MailFault = {
  take: false,
  answer: {
    status: 400,
    body: '<ErrorResponse xmlns="http://ses.amazonaws.com/doc/2010-12-01/"><Error><Type>Sender</Type><Code>MessageRejected</Code><Message>Not now.</Message></Error><RequestId>1</RequestId></ErrorResponse>',
  },
}

describe('the mails of an envelope', () => {
  it('that SES refuses, or answers for too late, arrive once, each with the link that is valid', async () => {
    // Prepare
    const dataDir = newDataFolder()
    ending.push(() => rmSync(dataDir, { recursive: true, force: true }))
    const ses = await faultySes()
    ending.push(() => ses.close())
    const { service, owner } = await startOn(dataDir, ses)
    ending.push(() => service.stop())
    const [refused, dropped] = [newAddress('refused'), newAddress('dropped')]
    ses.fault = ([address], attempt) => {
      if (address === refused && attempt === 1) return refusal
      return address === dropped ? { take: true, answer: 'drop' } : taken
    }

    // Act
    const path = await sendEnvelope(owner, [refused, dropped])

    // Assess
    await until(owner, path, (body) => deliveriesOf(body).every((delivery) => delivery === 'sent'), 90)
    for (const address of [refused, dropped]) {
      const mails = await sentTo(address, dataDir)
      expect(mails).toHaveLength(1)
      expect(await isValid(service, tokenIn(mails[0] as SentMail))).toBe(true)
    }
    const asked = ses.asked.map(([address]) => address)
    expect(asked.filter((address) => address === refused)).toHaveLength(2)
    expect(asked.filter((address) => address === dropped)).toHaveLength(1)
    const found = (await owner('GET', '/api/v1/correspondence')).body.data
    expect(found.map(({ status }: { status: string }) => status)).toEqual(['sent', 'sent'])
    for (const mail of await sentTo(refused, dataDir)) expect(service.output()).not.toContain(tokenIn(mail))
  })

  it('go out once each when the service is killed while it sends them, and their links are valid', async () => {
    // Prepare
    const dataDir = newDataFolder()
    ending.push(() => rmSync(dataDir, { recursive: true, force: true }))
    const ses = await faultySes()
    ending.push(() => ses.close())
    // SES takes its time, so that the service dies between its lines.
    ses.fault = () => ({
      take: true,
      after: Math.random() * 300,
      answer: 'as SES',
      answerAfter: Math.random() * 300,
    })
    // It says which events it keeps.
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const paths: string[] = []
    const addresses: string[] = []

    // Act
    for (let round = 0; round < 2; round += 1) {
      const { service, owner } = await startOn(dataDir, ses)
      const more = Array.from({ length: 8 }, () => newAddress())
      paths.push(await sendEnvelope(owner, more))
      addresses.push(...more)
      await sleep(Math.random() * 2_000)
      await service.kill()
    }
    const { service, owner } = await startOn(dataDir, ses)
    ending.push(() => service.stop())
    await ses.emitAgain()

    // Assess: whatever was not in the hands of SES when the service died goes out now.
    const unsettled = async () => {
      const mails = (await owner('GET', '/api/v1/correspondence?limit=100')).body.data
      return new Set(
        mails
          .filter(({ status }: { status: string }) => status === 'sending')
          .flatMap(({ to }: { to: string[] }) => to.map((one) => /<(.*)>/.exec(one)?.[1])),
      )
    }
    await vi.waitFor(
      async () => {
        const open = await unsettled()
        for (const path of paths) {
          const { signers } = (await owner('GET', path)).body as { signers: Signer[] }
          for (const { email, delivery } of signers)
            expect(delivery, email).toBe(open.has(email) ? 'queued' : 'sent')
        }
      },
      { timeout: 120_000, interval: 500 },
    )
    const open = await unsettled()
    let arrived = 0
    for (const address of addresses) {
      const mails = await sentTo(address, dataDir)
      if (!open.has(address)) expect(mails, address).toHaveLength(1)
      expect(mails.length).toBeLessThan(2)
      arrived += mails.length
      for (const mail of mails) expect(await isValid(service, tokenIn(mail))).toBe(true)
    }
    expect(arrived).toBeGreaterThan(addresses.length / 2)
    const asked = ses.asked.map(([address]) => address)
    expect(new Set(asked).size).toBe(asked.length)
  }, 600_000)
})
