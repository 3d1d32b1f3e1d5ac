import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { messageKey } from '#correspondence/keys.ts'
import { bucketFiles } from '#files/bucket.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { readMail } from '#mail/read-mail.ts'
import { type Answer, api } from '#test/support/api.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { type Signature, signMail } from '#test/support/signed-mail.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

/** `POST /api/v1/email/inbound`: what a mail service delivers (I1). */
const anybody = api(sharedService().baseUrl, undefined)
const path = '/api/v1/email/inbound'

type File = { name: string; filename: string; type: string; bytes: Uint8Array<ArrayBuffer> }
type Fields = Record<string, string | string[]>

const pairsOf = (fields: Fields) =>
  Object.entries(fields).flatMap(([name, values]) => [values].flat().map((value) => [name, value] as const))
function urlencoded(fields: Fields) {
  const form = new URLSearchParams()
  for (const [name, value] of pairsOf(fields)) form.append(name, value)
  return anybody('POST', path, { raw: form })
}
function multipart(fields: Fields, files: File[] = []) {
  const form = new FormData()
  for (const [name, value] of pairsOf(fields)) form.append(name, value)
  for (const { name, filename, type, bytes } of files)
    form.append(name, new Blob([bytes], { type }), filename)
  return anybody('POST', path, { raw: form })
}
const post = (fields: Fields) => urlencoded({ ...signMail(), ...fields })
const fieldsTo = (firm: Firm, changes: Fields = {}): Fields => ({
  from: '"Müller, Max" <max@mueller.example>',
  recipient: firm.workspace.inbound_address,
  subject: 'Termin am 3. Dezember',
  'body-plain': 'Guten Tag',
  'Message-Id': `<${crypto.randomUUID()}@mueller.example>`,
  ...changes,
})
const outcome = ({ status, body }: Answer) => [status, body.error?.code ?? body.status]
const accepted = [200, 'ok']
const refused = [401, 'MAIL_SIGNATURE_INVALID']

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they state themselves
const mailsOf = async ({ owner }: Firm): Promise<any[]> =>
  (await owner('GET', '/api/v1/correspondence?limit=100')).body.data
async function rawOf(firm: Firm, id: string): Promise<Uint8Array> {
  Object.assign(process.env, sharedService().environment)
  return bucketFiles().read(messageKey({ workspace_id: firm.workspace.id, id }))
}

describe('a mail that is delivered', () => {
  it.each([
    ['urlencoded', urlencoded],
    ['multipart', multipart],
  ])('%s is a record with all that was sent when the answer comes', async (_, send) => {
    const firm = await newFirm()
    const { status, body } = await send({
      ...signMail(),
      ...fieldsTo(firm, { Cc: 'cc@cc.example', 'body-html': '<p>Größe</p>' }),
    })

    expect([status, body]).toEqual([
      200,
      { status: 'ok', correspondence_id: expect.stringMatching(/^corr_/) },
    ])
    const { body: record } = await firm.owner('GET', `/api/v1/correspondence/${body.correspondence_id}`)
    expect(record).toMatchObject({
      direction: 'inbound',
      status: expect.stringMatching(/^(received|processed)$/),
      from: { name: 'Müller, Max', email: 'max@mueller.example' },
      to: [firm.workspace.inbound_address],
      cc: ['cc@cc.example'],
      subject: 'Termin am 3. Dezember',
      received_at: expect.any(String),
    })
    const message = await readMail(await rawOf(firm, body.correspondence_id))
    expect([message.text.trim(), message.html?.trim()]).toEqual(['Guten Tag', '<p>Größe</p>'])
  })

  it('has its attachments byte for byte', async () => {
    const firm = await newFirm()
    const bytes = new Uint8Array(randomBytes(300_000))
    const files = [
      { name: 'attachment-1', filename: 'Größe "1".pdf', type: 'application/pdf', bytes },
      {
        name: 'attachment-2',
        filename: 'Termin.ics',
        type: 'text/calendar',
        bytes: new Uint8Array(Buffer.from('A\r\n\r\n')),
      },
      { name: 'anything', filename: 'leer.bin', type: '', bytes: new Uint8Array() },
    ]

    const { body } = await multipart({ ...signMail(), ...fieldsTo(firm), 'attachment-count': '1' }, files)

    const { attachments } = await readMail(await rawOf(firm, body.correspondence_id))
    const digest = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')
    expect(attachments.map((one) => [one.filename, digest(one.bytes)])).toEqual(
      files.map((one) => [one.filename, digest(one.bytes)]),
    )
  })

  it.each([
    ['recipient', (address: string) => ({ recipient: address })],
    ['to', (address: string) => ({ to: address })],
    ['To', (address: string) => ({ To: `"Kanzlei, Erste" <${address}>` })],
    [
      'recipient beside others',
      (address: string) => ({ recipient: `x@in.example, ${address}`, To: 'y@in.example' }),
    ],
    [
      'a +tag in upper case',
      (address: string) => ({ recipient: address.toUpperCase().replace('@', '+AKTE@') }),
    ],
  ])('finds its workspace by %s', async (_, recipientOf) => {
    const firm = await newFirm()
    const { recipient: __, ...fields } = fieldsTo(firm)

    expect(outcome(await post({ ...fields, ...recipientOf(firm.workspace.inbound_address) }))).toEqual(
      accepted,
    )
    expect(await mailsOf(firm)).toHaveLength(1)
  })

  it('to two workspaces is one in each, and the answer is that of the recipient of the envelope', async () => {
    const [one, other] = [await newFirm(), await newFirm()]
    const fields = fieldsTo(one, {
      To: `${other.workspace.inbound_address}, ${one.workspace.inbound_address}`,
    })

    const { body } = await post(fields)
    const again = await post({ ...fields, recipient: other.workspace.inbound_address })

    const [ofOne, ofOther] = [await mailsOf(one), await mailsOf(other)]
    expect(ofOne.map(({ id }) => id)).toEqual([body.correspondence_id])
    expect(ofOther.map(({ id }) => id)).toEqual([again.body.correspondence_id])
  })

  it('thrice is one record, also with new tokens', async () => {
    const firm = await newFirm()
    const fields = fieldsTo(firm)

    const answers = [await post(fields), await post(fields), await multipart({ ...signMail(), ...fields })]

    expect(new Set(answers.map(({ body }) => body.correspondence_id)).size).toBe(1)
    expect(await mailsOf(firm)).toHaveLength(1)
  })

  it('without Message-ID and Date is a mail of its own with each token', async () => {
    const firm = await newFirm()
    const { 'Message-Id': _, ...fields } = fieldsTo(firm)

    const answers = [await post(fields), await post(fields)]

    expect(new Set(answers.map(({ body }) => body.correspondence_id)).size).toBe(2)
  })

  it('may have five hundred attachments', async () => {
    const firm = await newFirm()
    const files = Array.from({ length: 500 }, (_, at) => ({
      name: `attachment-${at + 1}`,
      filename: `${at}.txt`,
      type: 'text/plain',
      bytes: new Uint8Array(Buffer.from(`${at}`)),
    }))

    const { body } = await multipart({ ...signMail(), ...fieldsTo(firm) }, files)

    expect((await readMail(await rawOf(firm, body.correspondence_id))).attachments).toHaveLength(500)
  })

  it('may be in Windows-1252', async () => {
    const firm = await newFirm()
    const signed = new URLSearchParams({ ...signMail(), recipient: firm.workspace.inbound_address })
    const raw = `${signed}&from=a%40b.example&subject=Gr%F6%DFe+5+%80&body-plain=${encodeURIComponent('Größe')}`

    const { body } = await anybody('POST', path, {
      raw,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    })

    expect(await readMail(await rawOf(firm, body.correspondence_id))).toMatchObject({
      subject: 'Größe 5 €',
      text: expect.stringContaining('Größe'),
    })
  })
})

describe('the signature of a call', () => {
  const minutes = (count: number) => new Date(epochMilliseconds() + count * 60_000)

  it.each<[string, () => Partial<Signature>]>([
    ['missing', () => ({})],
    ['without token', () => ({ ...signMail(), token: '' })],
    ['of another key', () => signMail({ key: 'x'.repeat(64) })],
    [
      'of the key as bytes',
      () =>
        signMail({
          key: Buffer.from(sharedService().credentials.mail_signing_key, 'hex').toString('latin1'),
        }),
    ],
    [
      'in capital letters',
      () => ((signed) => ({ ...signed, signature: signed.signature.toUpperCase() }))(signMail()),
    ],
    ['of another token', () => ({ ...signMail(), token: 'a'.repeat(50) })],
    ['cut off', () => ((signed) => ({ ...signed, signature: signed.signature.slice(0, 63) }))(signMail())],
    [
      'with a long tail',
      () => ((signed) => ({ ...signed, signature: signed.signature + 'a'.repeat(100_000) }))(signMail()),
    ],
    ['six minutes old', () => signMail({ at: minutes(-6) })],
    ['of a time to come', () => signMail({ at: minutes(6) })],
    ['of no time', () => signMail({ at: new Date(Number.NaN) })],
  ])('that is %s is refused before anything else is looked at', async (_, signature) => {
    const firm = await newFirm()

    const answers = [
      await urlencoded({ ...signature(), ...fieldsTo(firm) }),
      await multipart({ ...signature(), ...fieldsTo(firm) }),
      // Neither sender nor recipient: the signature comes first (G3).
      await urlencoded({ ...signature(), subject: 'x' }),
      await urlencoded({ ...signature(), ...fieldsTo(firm, { recipient: 'nobody@in.example' }) }),
    ]

    expect(answers.map(outcome)).toEqual([refused, refused, refused, refused])
    expect(await mailsOf(firm)).toEqual([])
  })

  it('that is four minutes away is good', async () => {
    const firm = await newFirm()

    const answers = [
      await urlencoded({ ...signMail({ at: minutes(-4) }), ...fieldsTo(firm) }),
      await urlencoded({ ...signMail({ at: minutes(4) }), ...fieldsTo(firm) }),
    ]

    expect(answers.map(outcome)).toEqual([accepted, accepted])
  })

  it('is refused where a field of it is there twice', async () => {
    const signature = signMail()

    const answer = await urlencoded({
      ...signature,
      signature: [signature.signature, signature.signature],
      ...fieldsTo(await newFirm()),
    })

    expect(outcome(answer)).toEqual(refused)
  })
})

describe('the token of a call', () => {
  it('gives the same answer to the same content, also when eight come at once', async () => {
    const firm = await newFirm()
    const { 'Message-Id': _, ...fields } = fieldsTo(firm)
    const call = { ...signMail(), ...fields }
    const file = {
      name: 'attachment-1',
      filename: 'a.pdf',
      type: 'application/pdf',
      bytes: new Uint8Array([1, 2]),
    }

    const answers = await Promise.all(Array.from({ length: 8 }, () => multipart(call, [file])))
    answers.push(await multipart(call, [{ ...file }]))

    expect(answers.map(outcome)).toEqual(Array(9).fill(accepted))
    expect(new Set(answers.map(({ body }) => body.correspondence_id)).size).toBe(1)
    expect(await mailsOf(firm)).toHaveLength(1)
  })

  it('is refused with other content: another field, another byte of a file, one field less', async () => {
    const firm = await newFirm()
    const { subject = '', ...without } = { ...fieldsTo(firm), ...signMail() } as Fields
    const call = { ...without, subject }
    const file = {
      name: 'attachment-1',
      filename: 'a.pdf',
      type: 'application/pdf',
      bytes: new Uint8Array([1, 2]),
    }
    expect(outcome(await multipart(call, [file]))).toEqual(accepted)

    const answers = [
      await multipart({ ...call, subject: 'Anders' }, [file]),
      await multipart({ ...call, 'X-Other': '' }, [file]),
      await multipart(call, [{ ...file, bytes: new Uint8Array([1, 3]) }]),
      await multipart(call, []),
      await multipart(without, [file]),
      await multipart({ ...call, from: '' }, [file]),
      await multipart({ ...call, recipient: 'nobody@in.example' }, [file]),
    ]

    expect(answers.map(outcome)).toEqual(Array(7).fill(refused))
    expect(await mailsOf(firm)).toHaveLength(1)
  })

  it('of two contents at once serves one of them', async () => {
    const firm = await newFirm()
    const signature = signMail()

    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, at) =>
        urlencoded({ ...signature, ...fieldsTo(firm, { subject: `${at % 2}` }) }),
      ),
    )

    const taken = answers.filter(({ status }) => status === 200)
    expect(new Set(taken.map(({ body }) => body.correspondence_id)).size).toBe(1)
    expect(answers.filter(({ status }) => status !== 200).map(outcome)).toEqual(
      Array(4 - taken.length).fill(refused),
    )
    expect(await mailsOf(firm)).toHaveLength(1)
  })

  it('is still free after a call that was refused', async () => {
    const firm = await newFirm()
    const signature = signMail()
    const { from: _, ...withoutSender } = fieldsTo(firm)
    const { recipient: __, ...withoutRecipient } = fieldsTo(firm)

    const answers = [
      await urlencoded({ ...signature, ...withoutSender }),
      await urlencoded({ ...signature, ...withoutRecipient }),
      await urlencoded({ ...signature, ...fieldsTo(firm, { recipient: 'nobody@in.example' }) }),
      await urlencoded({ ...signature, ...fieldsTo(firm, { recipient: 'kein Postfach' }) }),
      await urlencoded({ ...signature, ...fieldsTo(firm, { recipient: `${'x'.repeat(5_000)}@in.example` }) }),
      await urlencoded({ ...signature, ...fieldsTo(firm) }),
    ]

    expect(answers.map(outcome)).toEqual([
      [400, 'VALIDATION_ERROR'],
      [400, 'VALIDATION_ERROR'],
      [406, 'RECIPIENT_UNKNOWN'],
      [406, 'RECIPIENT_UNKNOWN'],
      [406, 'RECIPIENT_UNKNOWN'],
      accepted,
    ])
  })
})

describe('a form that is too much', () => {
  it.each([
    [
      'twenty thousand fields',
      400,
      () => Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`X-${at}`, 'x'])),
    ],
    ['one field twenty thousand times', 400, () => ({ Received: Array(20_000).fill('x') })],
    ['more than 4.4 MiB in one field', 413, () => ({ 'body-plain': 'x'.repeat(4_700_000) })],
  ])('with %s is refused with %i at once', async (_, status, extra) => {
    const firm = await newFirm()
    const startedAt = performance.now()

    const answer = await post({ ...fieldsTo(firm), ...extra() })

    expect([answer.status, performance.now() - startedAt < 30_000]).toEqual([status, true])
    expect(await mailsOf(firm)).toEqual([])
  })

  it.each([
    ['a megabyte in one field', () => ({ 'body-plain': 'Größe '.repeat(150_000) })],
    [
      'three hundred header fields',
      () => Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`X-${at}`, 'x'.repeat(500)])),
    ],
    [
      'header fields of a megabyte',
      () => ({ 'message-headers': JSON.stringify(Array(10_000).fill(['X-A', 'y'.repeat(100)])) }),
    ],
    [
      'thousands of fields',
      () => Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`X-${at}`, 'x'])),
    ],
    ['one field thousands of times', () => ({ Received: Array(5_000).fill('x') })],
    ['no From of its own', () => ({ from: '', sender: 'bounce@b.example', 'message-headers': '[]' })],
    ['names of objects', () => ({ constructor: 'x', toString: 'x', hasOwnProperty: 'x' })],
  ])('but not too much is accepted: %s', async (_, extra) => {
    const firm = await newFirm()

    expect(outcome(await post({ ...fieldsTo(firm), ...extra() }))).toEqual(accepted)
  })
})
