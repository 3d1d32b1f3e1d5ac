import { describe, expect, it } from 'vitest'
import { nextDeliveryAt, retryAfterOf } from '#webhooks/deliveries/attempts.ts'

/** E4, E10: when a delivery is tried again. */

const now = new Date('2027-01-04T07:00:00.000Z')
const after = (seconds: number) => new Date(now.getTime() + seconds * 1_000)

describe('the next attempt', () => {
  it('comes after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and there is no eleventh', () => {
    const times = Array.from({ length: 11 }, (_, failed) =>
      nextDeliveryAt(now, failed + 1, undefined, () => 0),
    )

    const hours = [2, 5, 10, 14, 20, 24].map((count) => after(count * 3_600))
    expect(times).toEqual([after(5), after(300), after(1_800), ...hours, undefined, undefined])
  })

  it('comes up to a tenth later by chance, with the minute in which the sweep finds it', () => {
    const latest = [1, 2, 3, 4].map((failed) => nextDeliveryAt(now, failed, undefined, () => 1))

    expect(latest).toEqual([after(5.5), after(330), after(1_800 * 1.1 - 60), after(7_200 * 1.1 - 60)])
  })

  it.each([
    ['a later time is waited for', after(600), after(600)],
    ['an earlier one does not hurry it', after(60), after(300)],
    ['nor does one that has passed', after(-60), after(300)],
  ])('%s', (_, asked, expected) => {
    expect(nextDeliveryAt(now, 2, asked, () => 0)).toEqual(expected)
  })

  it('does not come after the tenth attempt, whatever the endpoint asks for', () => {
    expect(nextDeliveryAt(now, 10, after(60))).toBeUndefined()
  })
})

describe('Retry-After', () => {
  it.each([
    [429, '120', after(120)],
    [503, ' 120 ', after(120)],
    [429, '0', after(0)],
    [503, 'Mon, 04 Jan 2027 07:10:00 GMT', after(600)],
    [429, '99999999', after(86_400)],
    [503, '999999999999999', after(86_400)],
    [503, 'Tue, 04 Jan 2028 07:10:00 GMT', after(86_400)],
    [500, '120', undefined],
    [200, '120', undefined],
    [429, null, undefined],
    [429, '', undefined],
    [429, '-5', undefined],
    [429, '1e3', undefined],
    [429, 'soon 2027', undefined],
    [503, 'Mon, 99 Jan 2027 07:10:00 GMT', undefined],
  ])('of %i with %j is read, up to a day', (status, header, expected) => {
    expect(retryAfterOf({ status, header }, now)).toEqual(expected)
  })
})
