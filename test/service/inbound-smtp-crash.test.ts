import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { inParallel } from '#kernel/in-parallel.ts'
import { api } from '#test/support/api.ts'
import { newDataFolder } from '#test/support/data-folder.ts'
import { rawMessage, rawOf, receivedBy } from '#test/support/delivered-mail.ts'
import { type Service, startService } from '#test/support/service.ts'
import { smtpClient } from '#test/support/smtp-client.ts'

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
  vi.unstubAllEnvs()
})

const kills = 2

/** A message of its own subject; `isAccepted` once it was answered with 250. */
type Sent = { subject: string; raw: string; isAccepted: boolean }

it('a service that is killed while it receives has every mail that it accepted once, and takes the others again', async () => {
  const dataDir = newDataFolder()
  ending.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const sent: Sent[] = []

  for (let round = 0; round < kills; round += 1) {
    const service = await startOn(dataDir)
    const to = addressesOf(service)
    let isKilled = false
    const senders = Array.from({ length: 2 }, async (_, sender) => {
      while (!isKilled) {
        const subject = `Nachricht ${round}/${sender}/${sent.length}`
        const one: Sent = {
          subject,
          raw: rawMessage({ Subject: subject }, 'x'.repeat(60_000)),
          isAccepted: false,
        }
        sent.push(one)
        one.isAccepted = await offer(service, to, one.raw).catch(() => false)
      }
    })
    const before = accepted(sent).length
    // Not before one is recorded, at any moment of the next one: in the middle of its bytes, before or after its record.
    await vi.waitFor(() => expect(accepted(sent).length).toBeGreaterThan(before), { timeout: 60_000 })
    await sleep(Math.random() * 400)
    await service.kill()
    isKilled = true
    await Promise.all(senders)
  }

  const service = await startOn(dataDir)
  const owners = ownersOf(service)
  const subjectsOf = async () => Promise.all(owners.map(async (owner) => subjects(await receivedBy(owner))))
  const afterKills = await subjectsOf()
  const to = addressesOf(service)
  const again: boolean[] = []
  await inParallel(sent, async ({ raw }) => void again.push(await offer(service, to, raw)))
  const inTheEnd = await subjectsOf()

  for (const found of afterKills) {
    expect(new Set(found).size, 'no mail is there twice').toBe(found.length)
    expect(found).toEqual(expect.arrayContaining(subjects(accepted(sent))))
  }
  expect(again).toEqual(sent.map(() => true))
  for (const found of inTheEnd) expect(found.toSorted()).toEqual(subjects(sent).toSorted())
  for (const owner of owners) await holdsBytesOf(owner, sent)
})

async function startOn(dataDir: string): Promise<Service> {
  vi.unstubAllEnvs()
  const service = await startService({ dataDir, commandLine: ['--empty'] })
  ending.push(() => service.stop())
  return service
}

const accepted = (sent: Sent[]) => sent.filter(({ isAccepted }) => isAccepted)
const subjects = (mails: { subject: string }[]) => mails.map(({ subject }) => subject)

const addressesOf = ({ credentials }: Service) =>
  credentials.workspaces.map(({ inbound_address }) => inbound_address)

const ownersOf = ({ baseUrl, credentials }: Service) =>
  credentials.workspaces.map(({ users }) => api(baseUrl, users[0]?.api_key))

/** Offers a message slowly, so that a kill may come in the middle of it. @returns whether it was accepted */
async function offer(service: Service, recipients: string[], raw: string): Promise<boolean> {
  const client = await smtpClient(service.credentials.smtp_url ?? '')
  try {
    await client.reply()
    await client.say('EHLO test')
    await client.say('MAIL FROM:<anna.meier@example.com>')
    for (const recipient of recipients) await client.say(`RCPT TO:<${recipient}>`)
    await client.say('DATA')
    const middle = Math.floor(raw.length / 2)
    client.write(raw.slice(0, middle))
    await sleep(5)
    client.write(raw.slice(middle, -2))
    client.write('\r\n.\r\n')
    return (await client.reply()).startsWith('250 ')
  } finally {
    client.end()
  }
}

/** A sample of the messages, since each takes a request. */
async function holdsBytesOf(owner: ReturnType<typeof api>, sent: Sent[]): Promise<void> {
  const mails = await receivedBy(owner)
  for (const { id, subject } of mails.filter((_, at) => at % 3 === 0))
    expect((await rawOf(owner, id)).toString(), subject).toBe(
      sent.find((one) => one.subject === subject)?.raw,
    )
}
