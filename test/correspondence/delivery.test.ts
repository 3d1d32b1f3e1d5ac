import { describe, expect, it } from 'vitest'
import { afterEvent } from '#correspondence/delivery.ts'
import { MailEvent } from '#correspondence/event-schema.ts'
import { dismissed, reopened } from '#correspondence/filing.ts'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import { mailRecord } from '#test/support/mail-records.ts'

const here = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'
const sent = mailRecord('ws_1', {
  status: 'sent',
  sent_at: '2026-03-16T08:30:00.000Z',
  to: ['Max Müller <max@mueller.de>', 'eva@example.com'],
  case_id: here,
})

const bounceOf = (email: string, minutes: number, reason = '550 5.1.1 user unknown') =>
  MailEvent.parse({
    eventType: 'Bounce',
    mail: { timestamp: '2026-03-16T08:30:00.000Z', messageId: 'ses-1' },
    bounce: {
      timestamp: `2026-03-16T08:${30 + minutes}:00.000Z`,
      bounceType: 'Permanent',
      bouncedRecipients: [{ emailAddress: email, diagnosticCode: reason }],
    },
  })

const after = (record: CorrespondenceRecord, event: MailEvent) => afterEvent(record, event)?.record ?? record

describe('mail that could not be delivered', () => {
  it('is in the inbox, with a notice that names the recipient and the reason', () => {
    const { inbox, case_id } = after(sent, bounceOf('max@mueller.de', 1))

    expect(case_id).toBe(here)
    expect(inbox).toEqual({
      state: 'open',
      at: '2026-03-16T08:31:00.000Z',
      category: null,
      assigned_to: null,
      notice: 'Nicht zugestellt an max@mueller.de: 550 5.1.1 user unknown',
      is_decided: false,
      is_judged: true,
    })
  })

  it('has a reason of bounded length', () => {
    const { delivery } = after(sent, bounceOf('max@mueller.de', 1, `x${'😀'.repeat(600)}`))

    expect(delivery[0]?.reason?.isWellFormed()).toBe(true)
  })

  it('does not include a mail with an automatic reply, which SES reports as a bounce after the delivery', () => {
    const mail = { timestamp: '2026-03-16T08:30:00.000Z', messageId: 'ses-1' }
    const timestamp = '2026-03-16T08:31:00.000Z'
    const delivered = after(
      sent,
      MailEvent.parse({
        eventType: 'Delivery',
        mail,
        delivery: { timestamp, recipients: ['max@mueller.de'] },
      }),
    )
    const outOfOffice = (report: object) =>
      MailEvent.parse({
        eventType: 'Bounce',
        mail,
        bounce: {
          timestamp,
          bounceType: 'Transient',
          bounceSubType: 'General',
          bouncedRecipients: [{ emailAddress: 'max@mueller.de', ...report }],
        },
      })

    expect(afterEvent(delivered, outOfOffice({}))).toBeUndefined()
    // The events come in any order.
    const delivery = MailEvent.parse({
      eventType: 'Delivery',
      mail,
      delivery: { timestamp, recipients: ['max@mueller.de'] },
    })
    const arrived = after(after(sent, outOfOffice({})), delivery)
    expect(arrived).toMatchObject({
      delivery: [{ status: 'delivered' }],
      inbox: { state: 'dismissed', notice: null },
    })
    // Somebody who saw it in the inbox may still file or reopen it.
    const by = { actor: { type: 'user' as const, id: 'usr_1', name: 'Vogt' }, at: timestamp }
    expect(reopened(arrived, by)?.record?.inbox?.state).toBe('open')
    const both = after(after(sent, outOfOffice({})), bounceOf('eva@example.com', 2, '552 mailbox full'))
    expect(after(both, delivery).inbox).toMatchObject({
      state: 'open',
      notice: 'Nicht zugestellt an eva@example.com: 552 mailbox full',
    })
    const away = { ...both, inbox: both.inbox && { ...both.inbox, state: 'dismissed' as const } }
    expect(after(away, delivery).inbox?.state).toBe('dismissed')
    // The envelope of the mail has got the report of a bounce.
    const of = { type: 'envelope', id: 'env_1', signer_id: null } as const
    const about = { ...of, mail: 'invitation', key: 'env_1/invitation', link_sha256: null }
    expect(afterEvent(after({ ...sent, about }, outOfOffice({})), delivery)?.jobs).toHaveLength(1)
    // A bounce without a delivery, or with the report of a mail server, is real.
    expect(after(sent, outOfOffice({})).delivery).toMatchObject([{ status: 'bounced' }])
    const report = { diagnosticCode: 'smtp; 451 4.3.0 Try again' }
    expect(after(delivered, outOfOffice(report)).delivery).toMatchObject([{ status: 'bounced' }])
  })

  it('is in the inbox also if the service sent it, such as an invitation to sign', () => {
    const invitation = {
      ...sent,
      about: {
        type: 'envelope' as const,
        id: 'env_1',
        signer_id: 'signer_1',
        mail: 'invitation',
        key: 'k',
        link_sha256: 'a',
      },
    }

    expect(after(invitation, bounceOf('max@mueller.de', 1)).inbox?.state).toBe('open')
  })

  it('is in the inbox again after it was dismissed if the mail to another recipient bounces, and names both', () => {
    const by = { actor: { type: 'user' as const, id: 'usr_1', name: 'Vogt' }, at: '2026-03-16T09:00:00.000Z' }
    const first = after(sent, bounceOf('max@mueller.de', 1))
    const away = dismissed(first, by)?.record ?? first

    const again = after(away, bounceOf('eva@example.com', 2, '552 mailbox full'))

    expect(away.inbox?.state).toBe('dismissed')
    expect(again.inbox).toMatchObject({
      state: 'open',
      at: '2026-03-16T08:32:00.000Z',
      notice: 'Nicht zugestellt an max@mueller.de: 550 5.1.1 user unknown; eva@example.com: 552 mailbox full',
    })
  })

  it('stays dismissed if the same event comes again', () => {
    const first = after(sent, bounceOf('max@mueller.de', 1))
    const away = { ...first, inbox: first.inbox && { ...first.inbox, state: 'dismissed' as const } }

    expect(afterEvent(away, bounceOf('max@mueller.de', 1))).toBeUndefined()
  })

  it('has a notice of bounded length if many recipients bounce', () => {
    const recipients = Array.from({ length: 50 }, (_, at) => `empfaenger-${at}@example.com`)
    const many = { ...sent, to: recipients }

    const record = recipients.reduce((one, email) => after(one, bounceOf(email, 1, 'x'.repeat(500))), many)

    expect(record.inbox?.notice?.length).toBe(1_000)
  })
})

it('mail that was delivered, delayed or complained about is not in the inbox', () => {
  const delivered = MailEvent.parse({
    eventType: 'Delivery',
    mail: { timestamp: '2026-03-16T08:30:00.000Z', messageId: 'ses-1' },
    delivery: { timestamp: '2026-03-16T08:31:00.000Z', recipients: ['max@mueller.de'] },
  })

  expect(after(sent, delivered).delivery).toHaveLength(1)
  expect(after(sent, delivered).inbox).toBeNull()
})
