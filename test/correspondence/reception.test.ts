import { describe, expect, it } from 'vitest'
import { messageKey } from '#correspondence/keys.ts'
import { type ArrivedMail, reception } from '#correspondence/reception.ts'
import { Failure, failureOf } from '#kernel/failure.ts'
import { cpuMilliseconds } from '#test/support/cpu-time.ts'
import { now, receptionInMemory } from './in-memory-reception.ts'

/** One use case accepts every received mail (I1, I2, D1). */
const verdicts = {
  spam: 'unknown',
  virus: 'unknown',
  spf: 'unknown',
  dkim: 'unknown',
  dmarc: 'unknown',
} as const
const bytes = (text: string) => new TextEncoder().encode(text.replaceAll('\n', '\r\n'))
const message = bytes(`From: "Müller, Ö." <oe@mueller.example>
To: Kanzlei <kanzlei@in.example>, b@b.example
Cc: c@c.example
Reply-To: Büro <buero@mueller.example>
Subject: Termin am 3.
Date: Fri, 20 Nov 2026 09:30:00 +0100
Message-ID: <1@mueller.example>
In-Reply-To: <0@in.example>
References: <r@in.example> <0@in.example>

Guten Tag
`)
const arrived = (changes: Partial<ArrivedMail> = {}): ArrivedMail => ({
  raw: message,
  recipients: ['kanzlei@in.example'],
  received_at: now,
  checks: { verdicts, envelope_from: null, authserv_id: null },
  token: null,
  delivery: 'delivery 1',
  ...changes,
})
const token = (digest = 'content') => ({ token_sha256: 't', digest, expires_at: '2026-11-20T08:40:00.000Z' })
const firms = { 'kanzlei@in.example': 'ws_1', 'zweite@in.example': 'ws_2' }
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: unknown) => failureOf(error)?.code ?? error,
  )

describe('a mail that is accepted', () => {
  it('becomes a record with the data of its header, and its message is stored unchanged', async () => {
    const { deps, records, files } = receptionInMemory(firms)

    const id = await reception(deps).receive(arrived())

    expect(records).toMatchObject([
      {
        id,
        workspace_id: 'ws_1',
        direction: 'inbound',
        status: 'received',
        from: { name: 'Müller, Ö.', email: 'oe@mueller.example' },
        to: ['Kanzlei <kanzlei@in.example>', 'b@b.example'],
        cc: ['c@c.example'],
        reply_to: [{ name: 'Büro', email: 'buero@mueller.example' }],
        subject: 'Termin am 3.',
        header_message_id: '<1@mueller.example>',
        message_id: '<1@mueller.example>',
        in_reply_to: '<0@in.example>',
        references: ['<r@in.example>', '<0@in.example>'],
        received_at: now.toISOString(),
        verdicts,
        inbox: { state: 'open', at: now.toISOString(), is_decided: false, is_judged: false },
      },
    ])
    expect([...files]).toEqual([[messageKey({ workspace_id: 'ws_1', id }), message]])
  })

  it('belongs to the workspace of any of its recipients, in upper or lower case and with any +tag', async () => {
    const { deps, records } = receptionInMemory(firms)

    await reception(deps).receive(
      arrived({ recipients: ['nobody@in.example', 'KANZLEI+Akte-10/26@In.Example'] }),
    )

    expect(records.map(({ workspace_id }) => workspace_id)).toEqual(['ws_1'])
  })

  it('becomes a record in each workspace that receives it; the answer is the id in the first one', async () => {
    const { deps, records, files } = receptionInMemory(firms)

    const id = await reception(deps).receive(
      arrived({ recipients: ['zweite@in.example', 'kanzlei@in.example', 'zweite+b@in.example'] }),
    )

    expect(records.map(({ workspace_id }) => workspace_id).toSorted()).toEqual(['ws_1', 'ws_2'])
    expect(records.find(({ workspace_id }) => workspace_id === 'ws_2')?.id).toBe(id)
    expect([...files.keys()].toSorted()).toEqual(records.map(messageKey).toSorted())
  })

  it('is refused with 406 if no workspace receives it', async () => {
    const { deps, files } = receptionInMemory(firms)

    expect(await codeOf(reception(deps).receive(arrived({ recipients: ['x@in.example'] })))).toBe(
      'RECIPIENT_UNKNOWN',
    )
    expect(await codeOf(reception(deps).receive(arrived({ recipients: [] })))).toBe('RECIPIENT_UNKNOWN')
    expect(files.size).toBe(0)
  })

  it.each([
    ['nothing', new Uint8Array()],
    ['zeros', new Uint8Array(300_000)],
    ['a body alone', bytes('\n\nText')],
    ['a header that never ends', bytes(`From: a@b.example\nX: ${'x'.repeat(400_000)}`)],
    ['a header of lines that begin parts', bytes('--\n'.repeat(60_000))],
    ['a line of 256 KiB of blanks', bytes(`Subject:${' '.repeat(250_000)}`)],
    ['angle brackets', bytes(`References: ${'<'.repeat(200_000)}\nFrom: ${'<'.repeat(50_000)}\n\n`)],
    ['recipients without end', bytes(`To: ${'"x" <a@b.example>, '.repeat(12_000)}\n\n`)],
    ['groups in groups', bytes(`To: ${'a:'.repeat(60_000)}${';'.repeat(60_000)}\n\n`)],
  ])('is recorded in little time though it is %s', async (_, raw) => {
    const { deps, records } = receptionInMemory(firms)
    const startedAt = cpuMilliseconds()

    const id = await reception(deps).receive(arrived({ raw }))

    expect(cpuMilliseconds() - startedAt).toBeLessThan(5_000)
    expect(records.map((record) => record.id)).toEqual([id])
    expect(JSON.stringify(records).length).toBeLessThan(200_000)
  })

  it('fits into an item of the table, even with very long names', async () => {
    const { deps, records } = receptionInMemory(firms)
    const long = '€'.repeat(2_000)
    const raw = bytes(
      `From: ${long} <a@b.example>\nSubject: ${long}\nTo: ${`${long} <a@b.example>,`.repeat(30)}\n\n`,
    )

    await reception(deps).receive(arrived({ raw }))

    expect(Buffer.byteLength(JSON.stringify(records))).toBeLessThan(150_000)
    expect(records[0]?.from.email).toBe('a@b.example')
  })
})

describe('a message that lies in the bucket', () => {
  it('is copied, and recorded once however often it is delivered', async () => {
    const { deps, records, files } = receptionInMemory(firms)
    files.set('received/1', message)
    const raw = { key: 'received/1', etag: 'e' }

    const ids = [
      await reception(deps).receive(arrived({ raw })),
      await reception(deps).receive(arrived({ raw, delivery: 'delivery 2' })),
    ]

    expect(new Set(ids).size).toBe(1)
    expect(records).toHaveLength(1)
    expect([...files.keys()].toSorted()).toEqual([...records.map(messageKey), 'received/1'])
  })
})

describe('messages without Message-ID', () => {
  const plain = bytes('From: a@b.example\n\nok')
  const dated = bytes('From: a@b.example\nDate: Fri, 20 Nov 2026 09:30:00 +0100\n\nok')
  const countOf = async (...mails: Partial<ArrivedMail>[]) => {
    const { deps, records, files } = receptionInMemory(firms)
    files.set('received/1', dated)
    for (const mail of mails) await reception(deps).receive(arrived(mail))
    return records.length
  }

  it('are the same if date, sender, subject and body are, whatever the entry point', async () => {
    expect(
      await countOf(
        { raw: dated },
        { raw: dated, delivery: 'delivery 2' },
        { raw: { key: 'received/1', etag: 'e' }, delivery: 'delivery 3' },
      ),
    ).toBe(1)
  })

  it('have a record with the id by which a copy is recognised', async () => {
    const { deps, records } = receptionInMemory(firms)
    for (const raw of [dated, message]) await reception(deps).receive(arrived({ raw }))

    const ids = records.map(({ header_message_id, known_as }) => [header_message_id, known_as])
    expect(ids).toEqual([
      ['', expect.stringMatching(/^sha256:[0-9a-f]{64}$/)],
      ['<1@mueller.example>', undefined],
    ])
  })

  it('and without a date are the same only if the delivery is, because two people may write the same text', async () => {
    expect(await countOf({ raw: plain }, { raw: plain })).toBe(1)
    expect(await countOf({ raw: plain }, { raw: plain, delivery: 'delivery 2' })).toBe(2)
  })

  it('are different if their bodies are', async () => {
    const other = bytes('From: a@b.example\nDate: Fri, 20 Nov 2026 09:30:00 +0100\n\nOK!')
    expect(await countOf({ raw: dated }, { raw: other })).toBe(2)
  })
})

describe('the token of a call', () => {
  it('gets the same answer with the same content, and is refused with other content', async () => {
    const { deps, records, files } = receptionInMemory(firms)
    const { answered, receive } = reception(deps)

    expect(await answered(token())).toBeUndefined()
    const id = await receive(arrived({ token: token() }))

    expect(await answered(token())).toBe(id)
    expect(await codeOf(answered(token('other')))).toBe('MAIL_SIGNATURE_INVALID')
    // Like two concurrent calls that have both found it unused.
    expect(await receive(arrived({ token: token() }))).toBe(id)
    const other = arrived({ raw: bytes('From: a@b.example\n\nAnderes'), token: token('other') })
    expect(await codeOf(receive(other))).toBe('MAIL_SIGNATURE_INVALID')
    expect(records).toHaveLength(1)
    expect([...files.keys()]).toEqual(records.map(messageKey))
  })

  it('is recorded with the last workspace: the repeated call completes what a crash left out', async () => {
    const { deps, records, failures, tokens, files } = receptionInMemory(firms)
    const mail = arrived({ recipients: Object.keys(firms), token: token() })
    failures.receive = (record) => (record.workspace_id === 'ws_1' ? new Error('killed') : undefined)
    expect(await codeOf(reception(deps).receive(mail))).toEqual(new Error('killed'))
    expect([records.length, tokens.size]).toEqual([1, 0])

    delete failures.receive
    const id = await reception(deps).receive(mail)

    expect(records.map(({ workspace_id }) => workspace_id)).toEqual(['ws_2', 'ws_1'])
    expect(tokens.get('t')?.correspondence_id).toBe(id)
    for (const record of records) expect(files.has(messageKey(record))).toBe(true)
  })

  it('can be used again after its call was refused', async () => {
    const { deps, tokens } = receptionInMemory(firms)

    await codeOf(reception(deps).receive(arrived({ recipients: ['x@in.example'], token: token() })))

    expect(tokens.size).toBe(0)
  })
})

describe('a record that is not written', () => {
  it('leaves no message behind if the store refuses it, but keeps the message if the record may exist', async () => {
    const { deps, failures, files } = receptionInMemory(firms)
    failures.receive = () => new Failure('conflict', 'VALIDATION_ERROR', 'Refused.')
    await codeOf(reception(deps).receive(arrived()))
    expect(files.size).toBe(0)

    failures.receive = () => new Failure('unavailable', 'SERVICE_UNAVAILABLE', 'No answer.')
    await codeOf(reception(deps).receive(arrived()))
    expect(files.size).toBe(1)
  })
})
