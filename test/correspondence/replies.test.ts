import { describe, expect, it } from 'vitest'
import { prefixed, recipientsOfReply } from '#correspondence/replies.ts'
import { DraftInput } from '#correspondence/schema.ts'

const own = new Set(['akte@kanzlei.example', 'vogt@kanzlei.example'])

describe('the recipients of a reply to a mail that was received', () => {
  const inbound = {
    direction: 'inbound' as const,
    reply_to: [],
    from: { name: 'Meier, Anna', email: 'anna@example.com' },
    to: ['Akte <akte@kanzlei.example>', 'otto@example.com', 'ANNA@example.com'],
    cc: ['Vogt@Kanzlei.example', 'eva@example.com', 'otto@EXAMPLE.com'],
  }

  it('are only the sender', () => {
    expect(recipientsOfReply(inbound, false, own)).toEqual({
      to: ['"Meier, Anna" <anna@example.com>'],
      cc: [],
    })
  })

  it('include all others with reply_all, without duplicates and our own addresses', () => {
    expect(recipientsOfReply(inbound, true, own)).toEqual({
      to: ['"Meier, Anna" <anna@example.com>', 'otto@example.com'],
      cc: ['eva@example.com'],
    })
  })

  it('are the colleague who wrote it', () => {
    const fromColleague = { ...inbound, from: { name: null, email: 'vogt@kanzlei.example' }, to: [], cc: [] }

    expect(recipientsOfReply(fromColleague, true, own)).toEqual({ to: ['vogt@kanzlei.example'], cc: [] })
  })

  it('are the addresses in its Reply-To, and not the sender', () => {
    const reply_to = [
      { name: 'Poststelle', email: 'poststelle@gericht.example' },
      { name: null, email: 'akte@kanzlei.example' },
    ]

    expect(recipientsOfReply({ ...inbound, reply_to }, false, own)).toEqual({
      to: ['Poststelle <poststelle@gericht.example>'],
      cc: [],
    })
    expect(recipientsOfReply({ ...inbound, reply_to }, true, own).to).toEqual([
      'Poststelle <poststelle@gericht.example>',
      'otto@example.com',
      'ANNA@example.com',
    ])
  })

  it('are the sender if Reply-To has only our own addresses, or none to which mail can be sent', () => {
    for (const email of ['akte@kanzlei.example', 'nobody', ''])
      expect(recipientsOfReply({ ...inbound, reply_to: [{ name: null, email }] }, false, own).to).toEqual([
        '"Meier, Anna" <anna@example.com>',
      ])
  })

  it('include none of our addresses with a +tag', () => {
    const to = ['akte+0012-26@kanzlei.example', 'otto@example.com']

    expect(recipientsOfReply({ ...inbound, to }, true, own).to).toEqual([
      '"Meier, Anna" <anna@example.com>',
      'otto@example.com',
    ])
  })

  it('include no address to which mail cannot be sent', () => {
    const to = ['undisclosed-recipients:;', 'jörg@example.com', 'otto@example.com', 'Eva <>']

    expect(recipientsOfReply({ ...inbound, to, cc: ['kaputt'] }, true, own)).toEqual({
      to: ['"Meier, Anna" <anna@example.com>', 'otto@example.com'],
      cc: [],
    })
  })

  it('are refused if the mail has no sender', () => {
    const bounce = { ...inbound, from: { name: null, email: '' } }

    expect(() => recipientsOfReply(bounce, true, own)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    )
  })
})

it.each([
  ['Fristsache', 'Re: Fristsache'],
  ['AW: Fristsache', 'Re: Fristsache'],
  ['Re[2]: aw : FWD:Fristsache', 'Re: Fristsache'],
  ['Rezension: AW', 'Re: Rezension: AW'],
  ['Frist Re: Berufung', 'Re: Frist Re: Berufung'],
  ['', 'Re:'],
])('the subject %s is answered as %s', (subject, answered) => {
  expect(prefixed('Re: ', subject)).toBe(answered)
})

it('a draft of a reply to a mail in a wrong charset can be saved again', () => {
  const received = { name: 'Jörg M\ufffdller', email: 'jm@example.com' }
  const original = { direction: 'inbound' as const, reply_to: [], from: received, to: [], cc: [] }

  const draft = { ...recipientsOfReply(original, false, own), subject: prefixed('Re: ', 'Gr\ufffd\ufffde') }

  expect(DraftInput.parse(draft)).toMatchObject({
    to: ['Jörg M?ller <jm@example.com>'],
    subject: 'Re: Gr??e',
  })
})
