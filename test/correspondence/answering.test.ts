import { describe, expect, it } from 'vitest'
import { prefixed, recipientsOfReply } from '#correspondence/answering.ts'

const own = new Set(['akte@kanzlei.example', 'vogt@kanzlei.example'])

describe('the recipients of a reply to a mail that was received', () => {
  const inbound = {
    direction: 'inbound' as const,
    from: { name: 'Meier, Anna', email: 'anna@example.com' },
    to: ['Akte <akte@kanzlei.example>', 'otto@example.com', 'ANNA@example.com'],
    cc: ['Vogt@Kanzlei.example', 'eva@example.com', 'otto@EXAMPLE.com'],
  }

  it('are the sender alone', () => {
    expect(recipientsOfReply(inbound, false, own)).toEqual({
      to: ['"Meier, Anna" <anna@example.com>'],
      cc: [],
    })
  })

  it('are all others as well with reply_all, nobody twice, and none of our own', () => {
    expect(recipientsOfReply(inbound, true, own)).toEqual({
      to: ['"Meier, Anna" <anna@example.com>', 'otto@example.com'],
      cc: ['eva@example.com'],
    })
  })

  it('are the colleague who wrote it', () => {
    const fromColleague = { ...inbound, from: { name: null, email: 'vogt@kanzlei.example' }, to: [], cc: [] }

    expect(recipientsOfReply(fromColleague, true, own)).toEqual({ to: ['vogt@kanzlei.example'], cc: [] })
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
