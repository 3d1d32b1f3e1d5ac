import { expect, it } from 'vitest'
import { nextReminderAt } from '#signing/envelopes/reminders.ts'

const envelope = {
  reminders: { first_after_days: 3, repeat_every_days: 2 },
  sent_at: '2026-03-01T10:00:00.000Z',
  sends_emails: true,
}

it.each([
  ['just after sending', '2026-03-01T10:00:00.000Z', '2026-03-04T10:00:00.000Z'],
  ['a moment before the first', '2026-03-04T09:59:59.999Z', '2026-03-04T10:00:00.000Z'],
  ['at the first', '2026-03-04T10:00:00.000Z', '2026-03-06T10:00:00.000Z'],
  ['after a week without a schedule', '2026-03-11T12:00:00.000Z', '2026-03-12T10:00:00.000Z'],
])('the next reminder at %s', (_, now, expected) => {
  expect(nextReminderAt(envelope, new Date(now))).toBe(expected)
})

it('there are no automatic reminders for a draft, without the setting, or without mails', () => {
  const now = new Date('2026-03-02T10:00:00.000Z')
  const others = [
    { ...envelope, reminders: null },
    { ...envelope, sent_at: null },
    { ...envelope, sends_emails: false },
  ]

  expect(others.map((other) => nextReminderAt(other, now))).toEqual([null, null, null])
})
