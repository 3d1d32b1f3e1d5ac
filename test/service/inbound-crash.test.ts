import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { allOf } from '#test/support/api.ts'
import { deliver, type MessageFile, rawMail } from '#test/support/inbound-mail.ts'
import { restarts } from '#test/support/restarts.ts'

const { started, kill } = restarts()

const kills = 2

describe('a service that is killed while mail arrives', () => {
  it('has every accepted mail as one record with all its attachments, each once and with its bytes', async () => {
    const accepted = new Map<string, { raw: string; files: MessageFile[] }>()
    const delivered: { raw: string; files: MessageFile[]; ids: Set<string> }[] = []

    for (let round = 0; round < kills; round += 1) {
      const { service } = await started()
      const by = { baseUrl: service.baseUrl, key: service.credentials.mail_signing_key }
      const to = service.credentials.workspaces[0]?.inbound_address ?? ''
      const before = accepted.size
      let isKilled = false
      // Each sender delivers new mail, and every third time what was delivered before, until the line goes dead.
      const senders = Array.from({ length: 3 }, async (_, sender) => {
        for (let at = 0; !isKilled && at < 6; at += 1) {
          const old = delivered[Math.floor(Math.random() * delivered.length)]
          const mail = old !== undefined && at % 3 === 2 ? old : newMail(`${round}-${sender}-${at}`)
          if (mail !== old) delivered.push(mail)
          const id = await deliver(by, to, mail.raw)
          mail.ids.add(id)
          accepted.set(id, mail)
        }
      })
      const dead = Promise.allSettled(senders)
      await vi.waitFor(() => expect(accepted.size - before).toBeGreaterThan(3), { timeout: 60_000 })
      await sleep(Math.random() * 1_500)
      isKilled = true
      await kill()
      await dead
    }

    const { owner } = await started()
    await vi.waitFor(
      async () => {
        const mails = await allOf(owner, '/api/v1/correspondence?direction=inbound')
        expect(mails.filter(({ status }) => status !== 'processed')).toEqual([])
      },
      { timeout: 180_000, interval: 1_000 },
    )

    const mails = await allOf(owner, '/api/v1/correspondence?direction=inbound')
    expect(accepted.size).toBeGreaterThan(kills * 3)
    expect(new Set(mails.map(({ id }) => id)).size).toBe(mails.length)
    for (const id of accepted.keys()) expect(mails.map((mail) => mail.id)).toContain(id)
    // A message that was delivered again is the same record, and every record belongs to a delivered message.
    for (const { ids } of delivered) expect(ids.size).toBeLessThanOrEqual(1)
    expect(mails.length).toBeLessThanOrEqual(delivered.length)
    const documents = await allOf(owner, '/api/v1/documents')
    expect(documents).toHaveLength(mails.length * 3)
    for (const [id, { raw, files }] of accepted) {
      const found = mails.find((mail) => mail.id === id)
      expect(found.attachments.map(({ filename }: { filename: string }) => filename)).toEqual(
        files.map(({ name }) => name),
      )
      for (const [at, { document_id }] of found.attachments.entries()) {
        const file = await owner('GET', `/api/v1/documents/${document_id}/download`)
        expect(Buffer.compare(file.bytes, files[at]?.bytes ?? Buffer.from('?'))).toBe(0)
      }
      const message = await owner('GET', `/api/v1/correspondence/${id}/raw`)
      expect(Buffer.from(message.bytes).toString('latin1')).toBe(raw)
    }
    const inbox = await allOf(owner, '/api/v1/inbox')
    expect(inbox.map(({ id }) => id).toSorted()).toEqual(mails.map(({ id }) => id).toSorted())
  }, 600_000)
})

function newMail(name: string) {
  const files = [
    { name: 'Brief.txt', type: 'text/plain', bytes: Buffer.from(`Sehr geehrte Damen und Herren, ${name}`) },
    { name: 'Termin.ics', type: 'text/calendar', bytes: Buffer.from(`BEGIN:VCALENDAR\nUID:${name}\r\nEND`) },
    { name: 'Daten.bin', type: 'application/x-data', bytes: Buffer.alloc(20_000, name) },
  ]
  return { files, raw: rawMail({ subject: `Nachricht ${name}`, files }), ids: new Set<string>() }
}
