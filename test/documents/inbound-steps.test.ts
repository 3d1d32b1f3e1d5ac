import { describe, expect, it } from 'vitest'
import { bodyKey } from '#correspondence/keys.ts'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import { bytesKey } from '#documents/keys.ts'
import { newId } from '#kernel/id.ts'
import { arrivalsOnTable } from '#test/support/arrivals.ts'
import { judgement } from '../correspondence/in-memory-arrivals.ts'

const judge = async () => judgement

const sent = [
  { name: 'Klage.txt', type: 'text/plain', content: 'Klage' },
  { name: 'Termin.ics', type: 'text/calendar', content: 'BEGIN:VCALENDAR\nEND:VCALENDAR\r\n' },
  { name: 'leer.bin', type: 'application/octet-stream', content: '' },
]

function message(): Buffer {
  const parts = sent.map(
    ({ name, type, content }) =>
      `--b\r\nContent-Type: ${type}; name="${name}"\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(content).toString('base64')}\r\n`,
  )
  const text = '--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nGuten Tag\r\n'
  const head =
    'From: Max <max@mueller.de>\r\nSubject: Klage\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n'
  return Buffer.from(`${head}${text}${parts.join('')}--b--\r\n`)
}

/** Simulates a worker that dies right after its n-th call of a port. */
function deathAfter(number: number) {
  const death = Promise.withResolvers<'dead'>()
  let calls = 0
  const wrap = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get: (target, name) => {
        const method = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        return async (...inputs: unknown[]) => {
          calls += 1
          const isLast = calls === number
          const output = await method.apply(target, inputs)
          if (!isLast) return output
          death.resolve('dead')
          return new Promise(() => {})
        }
      },
    })
  return { wrap, dead: death.promise }
}

/** The final state of the mail, as users see it. */
async function outcomeOf(
  arrivals: Awaited<ReturnType<typeof arrivalsOnTable>>,
  { workspace_id: workspaceId, id }: { workspace_id: string; id: string },
) {
  const record = (await arrivals.mail.store.find(workspaceId, id)) as CorrespondenceRecord
  const { files, store } = arrivals.documents
  const found = await store.findAll(
    workspaceId,
    record.attachments.map(({ document_id }) => document_id),
  )
  const bytes = await Promise.all(
    found.map(async (document) => {
      const stored = Buffer.from(await files.read(bytesKey(document))).toString()
      return [document.filename, document.mime_type, document.status_reason, stored]
    }),
  )
  const { data } = await store.page(workspaceId, { limit: 100 })
  return {
    status: record.status,
    category: record.inbox?.category,
    attachments: record.attachments.map(({ filename }) => filename),
    bytes: bytes.toSorted(),
    listed: data.map(({ filename }) => filename).toSorted(),
    body: JSON.parse(
      Buffer.from(await arrivals.mail.files.read(bodyKey(record))).toString(),
    ).body_text.trim(),
  }
}

describe('a worker that is killed while it reads a mail', () => {
  it('after any step leaves a mail that the next worker completes, with each attachment once', async () => {
    const calm = await arrivalsOnTable({ judge })
    const expected = {
      status: 'processed',
      category: 'client',
      attachments: sent.map(({ name }) => name),
      bytes: [
        ['Klage.txt', 'text/plain', null, 'Klage'],
        ['Termin.ics', 'text/calendar', 'unsupported_type', 'BEGIN:VCALENDAR\nEND:VCALENDAR\r\n'],
        ['leer.bin', 'application/octet-stream', 'empty', ''],
      ],
      listed: ['Klage.txt', 'Termin.ics', 'leer.bin'],
      body: 'Guten Tag',
    }
    let deaths = 0

    for (; ; deaths += 1) {
      const mail = await calm.receive(newId('workspace'), message())
      const { wrap, dead } = deathAfter(deaths + 1)
      const mortal = await arrivalsOnTable({ judge, wrap })
      const end = await Promise.race([mortal.work(mail), dead])

      await calm.work(mail)

      expect(await outcomeOf(calm, mail), `killed after step ${deaths + 1}`).toEqual(expected)
      if (end !== 'dead') break
    }

    expect(deaths).toBeGreaterThan(10)
  })

  it('does no harm to concurrent workers that read the same mail', async () => {
    const calm = await arrivalsOnTable({ judge })
    const arrival = await calm.receive(newId('workspace'), message())
    const mortals = await Promise.all(
      [4, 7, 9].map(async (step) => {
        const { wrap, dead } = deathAfter(step)
        const { work } = await arrivalsOnTable({ judge, wrap })
        return { work, dead }
      }),
    )

    await Promise.all([
      ...mortals.map(({ work, dead }) => Promise.race([work(arrival), dead])),
      ...Array.from({ length: 3 }, () => calm.work(arrival).catch(() => {})),
    ])
    await calm.work(arrival)

    expect(await outcomeOf(calm, arrival)).toMatchObject({
      status: 'processed',
      attachments: sent.map(({ name }) => name),
      listed: ['Klage.txt', 'Termin.ics', 'leer.bin'],
    })
  })
})
