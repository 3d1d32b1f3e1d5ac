import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { delivery } from '#correspondence/delivery.ts'
import type { MailEvent } from '#correspondence/event-schema.ts'
import { sendStateOf, shownStatus } from '#correspondence/send-state.ts'
import { sendResultOf } from '#correspondence/sending.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import { mailInMemory, workspaceId } from './in-memory-mail.ts'

const accepted = { kind: 'accepted', provider_message_id: 'ses-1' } as const
const refused = { kind: 'refused', refusal: { kind: 'other', message: 'Throttled.' } } as const
const unknown = { kind: 'unknown', cause: new Error('The connection was lost.') } as const

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'sent',
    (error: { code?: string }) => error.code ?? String(error),
  )

function only<Item>(items: Iterable<Item>): Item {
  const [item, ...others] = items
  if (item === undefined || others.length > 0) throw new Error('There is not exactly one.')
  return item
}

function eventOf(id: string, eventType: string, more: Partial<MailEvent> = {}): MailEvent {
  return {
    eventType,
    mail: {
      timestamp: '2026-11-20T14:03:01.000Z',
      messageId: 'ses-event',
      tags: { workspace: [workspaceId], correspondence: [id] },
    },
    ...more,
  }
}

describe('a send', () => {
  it('is recorded with its message before the provider is asked, and is sent once', async () => {
    const mail = mailInMemory()
    let before: unknown
    mail.answer(async () => {
      const record = only(mail.records.values())
      before = [record.status, [...mail.files.keys()].length, mail.timeline.length]
      return accepted
    })
    // Act
    const record = await mail.sendWith('k1')
    // Assess
    expect(before).toEqual(['sending', 2, 0])
    expect([record.status, record.message_id, mail.calls.length]).toEqual(['sent', 'ses-1', 1])
    expect(mail.calls[0]?.recipients).toEqual(['anna@example.com', 'akte@example.org'])
    expect(mail.timeline.map(({ entry }) => [entry.type, entry.ref?.id])).toEqual([['mail.sent', record.id]])
  })

  it.each([
    ['leaves nothing behind if its record is refused', notFound('CASE_NOT_FOUND'), 0],
    [
      'keeps its message if its record is uncertain',
      new Failure('unavailable', 'SERVICE_UNAVAILABLE', ''),
      2,
    ],
    ['keeps its message if its record meets a fault', new Error('The table does not answer.'), 2],
  ])('%s', async (_, failure, files) => {
    const mail = mailInMemory()
    mail.failBegin(failure)

    await expect(mail.sendWith('k1')).rejects.toBe(failure)

    expect([mail.files.size, mail.calls.length]).toEqual([files, 0])
  })

  it('of links shows their names without characters that turn the address after them', async () => {
    const mail = mailInMemory()
    mail.addDocument('doc_1', 'Rechnung \u202efdp.exe', 1)
    // Act
    await mail.sendWith('k1', { attachments_as: 'links', document_ids: ['doc_1'] })
    // Assess
    const message = Buffer.from(only(mail.calls).raw).toString()
    expect(message).toMatch(/\/shared\/[^>]*>Rechnung fdp\.exe</)
  })

  it('has the same answer if its key is repeated, and calls the provider only once', async () => {
    const mail = mailInMemory()
    const first = sendResultOf(await mail.sendWith('k1'))
    mail.passMinutes(60)
    expect(sendResultOf(await mail.sendWith('k1'))).toEqual(first)
    expect([mail.calls.length, mail.timeline.length]).toEqual([1, 1])
  })

  it('of fifty concurrent ones with one key calls the provider once; the others get its outcome or SEND_IN_PROGRESS', async () => {
    const mail = mailInMemory()
    mail.answer(() => setTimeout(50, accepted))
    const codes = await Promise.all(Array.from({ length: 50 }, () => codeOf(mail.sendWith('k1'))))
    expect(mail.calls.length).toBe(1)
    expect(codes.toSorted()).toEqual([...Array.from({ length: 49 }, () => 'SEND_IN_PROGRESS'), 'sent'])
    // The messages of the losers are gone.
    expect(mail.files.size).toBe(2)
  })

  it('that was definitely refused is tried again with the same key and the same message', async () => {
    const mail = mailInMemory()
    mail.answer(async () => refused)
    expect(await codeOf(mail.sendWith('k1'))).toBe('MAIL_NOT_SENT')
    expect(shownStatus(only(mail.records.values()), mail.now())).toBe('failed')
    mail.answer(async () => accepted)
    // Act
    const record = await mail.sendWith('k1')
    // Assess
    expect([record.status, record.attempts, mail.timeline.length]).toEqual(['sent', 2, 1])
    expect(mail.calls[1]?.raw).toEqual(mail.calls[0]?.raw)
  })

  it('that was refused, and whose message was erased later, is not sent again', async () => {
    const mail = mailInMemory()
    mail.answer(async () => refused)
    await codeOf(mail.sendWith('k1'))
    mail.files.clear()
    mail.answer(async () => accepted)

    expect(await codeOf(mail.sendWith('k1'))).toBe('MAIL_NOT_SENT')
    expect([mail.calls.length, only(mail.records.values()).status]).toEqual([1, 'failed'])
  })

  it('that was refused is not sent again after an attached document was deleted', async () => {
    const mail = mailInMemory()
    mail.addDocument('doc_1', 'Falsche Anlage.pdf', 20)
    const send = () => codeOf(mail.sendWith('k1', { document_ids: ['doc_1'] }))
    mail.answer(async () => refused)
    await send()
    mail.deleteDocument('doc_1')
    mail.answer(async () => accepted)

    expect(await send()).toBe('DOCUMENT_NOT_FOUND')
    expect(mail.calls.length).toBe(1)
  })

  it('whose mail was disposed of with its case is not repeated with its key', async () => {
    const mail = mailInMemory()
    await mail.sendWith('k1')
    mail.records.clear()

    expect(await codeOf(mail.sendWith('k1'))).toBe('IDEMPOTENCY_KEY_REUSED')
    expect(mail.calls.length).toBe(1)
  })

  it('to an address that the provider refused is invalid input, with the name of the field', async () => {
    const mail = mailInMemory()
    mail.answer(async () => ({ kind: 'refused', refusal: { kind: 'address', message: 'Illegal address.' } }))
    await expect(mail.sendWith('k1')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'body.to', message: 'Illegal address.' }],
    })
  })

  it('does not change a later attempt if its refusal arrives after that has begun', async () => {
    const mail = mailInMemory()
    mail.answer(async () => {
      const record = only(mail.records.values())
      mail.records.set(record.id, { ...record, attempts: 2, version: record.version + 2 })
      return refused
    })

    await codeOf(mail.sendWith('k1'))

    expect(only(mail.records.values())).toMatchObject({ status: 'sending', attempts: 2, refusal: null })
  })

  it('stays lost if its refusal arrives after ten minutes, and its key sends nothing', async () => {
    const mail = mailInMemory()
    mail.answer(async () => {
      mail.passMinutes(10)
      return refused
    })
    await codeOf(mail.sendWith('k1'))
    mail.answer(async () => accepted)

    expect(await codeOf(mail.sendWith('k1'))).toBe('MAIL_NOT_SENT')
    expect(mail.calls.length).toBe(1)
    expect(only(mail.records.values())).toMatchObject({ status: 'sending', refusal: null })
  })

  it('names the first message of its thread and the 19 latest ones', async () => {
    const mail = mailInMemory()
    const references = Array.from({ length: 30 }, (_, index) => `<${index}@example.com>`)

    const record = await mail.sendWith('k1', { references })

    expect(record.references).toEqual([references[0], ...references.slice(11)])
  })

  it('with a lost answer is in progress for ten minutes, then has finally failed, and is never repeated', async () => {
    const mail = mailInMemory()
    mail.answer(async () => unknown)
    await expect(mail.sendWith('k1')).rejects.toMatchObject({
      code: 'SEND_IN_PROGRESS',
      retryAfterSeconds: 5,
    })
    mail.answer(async () => accepted)
    mail.passMinutes(9.9)
    expect(await codeOf(mail.sendWith('k1'))).toBe('SEND_IN_PROGRESS')
    mail.passMinutes(0.1)
    expect(await codeOf(mail.sendWith('k1'))).toBe('MAIL_NOT_SENT')
    mail.passMinutes(100_000)
    expect(await codeOf(mail.sendWith('k1'))).toBe('MAIL_NOT_SENT')
    expect(mail.calls.length).toBe(1)
    expect(shownStatus(only(mail.records.values()), mail.now())).toBe('failed')
  })

  it('with a lost answer is recorded by an event of the provider, with one entry in the timeline', async () => {
    const mail = mailInMemory()
    mail.answer(async () => unknown)
    await codeOf(mail.sendWith('k1'))
    const { id } = only(mail.records.values())
    const events = delivery({ store: mail.store, log: { warn: () => {} } })
    // Act
    await events.record(eventOf(id, 'Send'))
    await events.record(eventOf(id, 'Send'))
    // Assess
    const answer = sendResultOf(await mail.sendWith('k1'))
    expect(answer.message_id).toBe('ses-event')
    expect([mail.calls.length, mail.timeline.length]).toEqual([1, 1])
  })

  it('that is lost is shown as sent after a late event proves it', async () => {
    const mail = mailInMemory()
    mail.answer(async () => unknown)
    await codeOf(mail.sendWith('k1'))
    mail.passMinutes(11)
    const { id } = only(mail.records.values())
    await delivery({ store: mail.store, log: { warn: () => {} } }).record(eventOf(id, 'Send'))
    expect(sendStateOf(only(mail.records.values()), mail.now())).toBe('sent')
  })

  it('that was accepted but could not be recorded is in progress until an event records it', async () => {
    const mail = mailInMemory()
    mail.answer(async () => {
      mail.failChanges(true)
      return accepted
    })
    expect(await codeOf(mail.sendWith('k1'))).toBe('SEND_IN_PROGRESS')
    mail.failChanges(false)
    expect(await codeOf(mail.sendWith('k1'))).toBe('SEND_IN_PROGRESS')
    const { id } = only(mail.records.values())
    await delivery({ store: mail.store, log: { warn: () => {} } }).record(eventOf(id, 'Send'))
    expect(await codeOf(mail.sendWith('k1'))).toBe('sent')
    expect(mail.calls.length).toBe(1)
  })

  it('is recorded once if its event comes before the answer of the provider', async () => {
    const mail = mailInMemory()
    mail.answer(async () => {
      const { id } = only(mail.records.values())
      await delivery({ store: mail.store, log: { warn: () => {} } }).record(eventOf(id, 'Send'))
      return { kind: 'accepted', provider_message_id: 'ses-event' }
    })
    const record = await mail.sendWith('k1')
    expect([record.status, record.message_id, mail.timeline.length]).toEqual(['sent', 'ses-event', 1])
  })

  it('has every mailbox once, and needs a recipient, a subject, and at most fifty recipients', async () => {
    const mail = mailInMemory()
    await mail.sendWith('k1', { cc: ['ANNA@EXAMPLE.COM'] as never[] })
    expect(mail.calls[0]?.recipients).toEqual(['anna@example.com', 'akte@example.org'])
    await expect(mail.sendWith('k2', { to: [], subject: '' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'body.to' }, { path: 'body.subject' }],
    })
    const many = Array.from({ length: 50 }, (_, at) => `a${at}@example.com`)
    expect(await codeOf(mail.sendWith('k3', { to: many }))).toBe('VALIDATION_ERROR')
    expect(await codeOf(mail.sendWith('k4', { body_html: 'ä'.repeat(600_000) }))).toBe('PAYLOAD_TOO_LARGE')
    expect(mail.calls.length).toBe(1)
  })
})

describe('events of the provider', () => {
  const to = 'anna@example.com'
  const bounce = {
    bounce: {
      timestamp: '2026-11-20T14:05:00.000Z',
      bounceType: 'Permanent',
      bounceSubType: 'General',
      bouncedRecipients: [{ emailAddress: `Anna Meier <${to}>`, diagnosticCode: 'smtp; 550 5.1.1 unknown' }],
    },
  }
  const delivered = { delivery: { timestamp: '2026-11-20T14:04:00.000Z', recipients: ['ANNA@example.com'] } }
  const delayed = {
    deliveryDelay: {
      timestamp: '2026-11-20T14:03:30.000Z',
      delayType: 'MailboxFull',
      delayedRecipients: [{ emailAddress: to }],
    },
  }

  const after = async (events: [string, Partial<MailEvent>][]) => {
    const mail = mailInMemory()
    const { id } = await mail.sendWith('k1')
    const { record } = delivery({ store: mail.store, log: { warn: () => {} } })
    for (const [type, more] of events) await record(eventOf(id, type, more))
    return { mail, delivery: only(mail.records.values()).delivery }
  }

  it('are kept for each recipient: a bounce replaces a delivery, and a delay replaces nothing, in any order', async () => {
    const orders: [string, Partial<MailEvent>][][] = [
      [
        ['DeliveryDelay', delayed],
        ['Delivery', delivered],
        ['Bounce', bounce],
      ],
      [
        ['Bounce', bounce],
        ['Delivery', delivered],
        ['DeliveryDelay', delayed],
      ],
    ]
    for (const order of orders) {
      const result = await after([...order, ...order])
      expect(result.delivery).toEqual([
        { email: to, status: 'bounced', at: '2026-11-20T14:05:00.000Z', reason: 'smtp; 550 5.1.1 unknown' },
      ])
    }
  })

  it('show an address as it was written, although the provider reports its domain in ASCII', async () => {
    const mail = mailInMemory()
    const { id } = await mail.sendWith('k1', { to: ['Jörg <joerg@müller.example>'] })
    const recipients = ['joerg@xn--mller-kva.example']
    await delivery({ store: mail.store, log: { warn: () => {} } }).record(
      eventOf(id, 'Delivery', { delivery: { timestamp: '2026-11-20T14:04:00.000Z', recipients } }),
    )
    expect(only(mail.records.values()).delivery.map(({ email }) => email)).toEqual(['joerg@müller.example'])
  })

  it('record a bounce in the timeline, once', async () => {
    const { mail } = await after([
      ['Bounce', bounce],
      ['Bounce', bounce],
    ])
    expect(mail.timeline.map(({ entry }) => entry.type)).toEqual(['mail.sent', 'mail.bounced'])
    expect(mail.timeline[1]?.entry.summary).toContain('anna@example.com wurde nicht zugestellt')
  })

  it('about other recipients, with other tags or of an unknown type change nothing', async () => {
    const stranger = { delivery: { timestamp: '2026-11-20T14:04:00.000Z', recipients: ['x@example.net'] } }
    const { mail, delivery: known } = await after([
      ['Delivery', stranger],
      ['Click', {}],
    ])
    const { record } = delivery({ store: mail.store, log: { warn: () => {} } })
    await record({ ...eventOf('corr_unknown', 'Send') })
    await record({ ...eventOf('x', 'Send'), mail: { ...eventOf('x', 'Send').mail, tags: {} } })
    expect([known, only(mail.records.values()).version]).toEqual([[], 2])
  })
})
