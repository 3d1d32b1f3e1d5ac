import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { inParallel } from '#kernel/in-parallel.ts'
import { readMail } from '#mail/read-mail.ts'
import { type Answer, type Api, api } from '#test/support/api.ts'
import { newDataFolder } from '#test/support/data-folder.ts'
import { type Service, startService } from '#test/support/service.ts'
import { signMail } from '#test/support/signed-mail.ts'

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

/** A call of the mail service, which repeats it until it is answered. */
type Call = {
  messageId: string
  attached: Buffer
  signature: ReturnType<typeof signMail>
  to: string[]
  answers: string[]
}

function newCall({ credentials }: Service): Call {
  const addresses = credentials.workspaces.map(({ inbound_address }) => inbound_address)
  return {
    messageId: `<${crypto.randomUUID()}@mueller.example>`,
    attached: randomBytes(Math.ceil(Math.random() * 100_000)),
    signature: signMail({ key: credentials.mail_signing_key }),
    to: Math.random() < 0.3 ? addresses : addresses.slice(0, 1),
    answers: [],
  }
}

async function make({ baseUrl }: Service, { messageId, attached, signature, to }: Call): Promise<Answer> {
  const form = new FormData()
  const fields = { ...signature, from: 'max@mueller.example', to: to.join(', '), 'Message-Id': messageId }
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('attachment-1', new Blob([new Uint8Array(attached)]), 'Anlage.bin')
  return api(baseUrl, undefined)('POST', '/api/v1/email/inbound', { raw: form })
}

type Mail = { id: string; message_id: string }

async function allMails(owner: Api): Promise<Mail[]> {
  const mails: Mail[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = `limit=100${cursor && `&cursor=${cursor}`}`
    const { body }: Answer = await owner('GET', `/api/v1/correspondence?${query}`)
    mails.push(...body.data)
    cursor = body.pagination.cursor
  }
  return mails
}

/** The line went dead, or the answer took too long: the caller does not know what became of its request. */
const isLostAnswer = (error: unknown) =>
  error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError')

describe('a service killed while it receives mail', () => {
  it('has every mail that it accepted once in each workspace, whole, and the same answer for it', async () => {
    const dataDir = newDataFolder()
    ending.push(() => rmSync(dataDir, { recursive: true, force: true }))
    const start = () => startService({ dataDir, commandLine: ['--empty'] })
    const calls: Call[] = []

    for (let round = 0; round < 2; round += 1) {
      const service = await start()
      let answered = 0
      let isKilled = false
      const callers = Array.from({ length: 3 }, async () => {
        while (!isKilled) {
          const old = calls[Math.floor(Math.random() * calls.length)]
          const call = old !== undefined && Math.random() < 0.4 ? old : newCall(service)
          if (call !== old) calls.push(call)
          try {
            const { status, body } = await make(service, call)
            expect(status).toBe(200)
            call.answers.push(body.correspondence_id)
            answered += 1
          } catch (error) {
            if (!isLostAnswer(error)) throw error
          }
        }
      })
      const dead = Promise.allSettled(callers)
      await vi.waitFor(() => expect(answered).toBeGreaterThan(3), { timeout: 120_000 })
      await sleep(Math.random() * 300)
      isKilled = true
      await service.kill()
      for (const one of await dead) expect(one).toMatchObject({ status: 'fulfilled' })
    }

    const service = await start()
    ending.push(() => service.stop())
    await inParallel(calls, async (call) => {
      const { status, body } = await make(service, call)
      expect(status).toBe(200)
      call.answers.push(body.correspondence_id)
    })
    for (const { answers } of calls) expect(new Set(answers).size).toBe(1)
    for (const { users, inbound_address } of service.credentials.workspaces) {
      const owner = api(service.baseUrl, users[0]?.api_key)
      const mails = await allMails(owner)
      const expected = calls.filter(({ to }) => to.includes(inbound_address))
      expect(mails.map(({ message_id }) => message_id).toSorted()).toEqual(
        expected.map(({ messageId }) => messageId).toSorted(),
      )
      for (const { id, message_id } of mails) {
        const { bytes } = await owner('GET', `/api/v1/correspondence/${id}/raw`)
        const { attachments } = await readMail(bytes)
        const call = expected.find(({ messageId }) => messageId === message_id)
        expect(Buffer.from(attachments[0]?.bytes ?? [])).toEqual(call?.attached)
      }
    }
  })
})
