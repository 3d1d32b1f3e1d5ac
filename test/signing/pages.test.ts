import { expect, it } from 'vitest'
import { momentOf, sizeOf } from '#functions/sign/page-frame.ts'

const day = 86_400_000
const moments = Array.from({ length: 800 }, (_, number) => new Date(1.78e12 + number * (day + 3_541_000)))

it.each([
  ['de', 'Europe/Berlin', 'de-DE'],
  ['en', 'Europe/Berlin', 'en-GB'],
  ['de', 'America/St_Johns', 'de-DE'],
  ['en', 'Asia/Kathmandu', 'en-GB'],
] as const)('a moment in %s of %s reads as the runtime writes it', (language, timeZone, locale) => {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone })
  const expected = moments.map((moment) => `${format.format(moment)}${language === 'de' ? ' Uhr' : ''}`)

  const shown = moments.map((moment) => momentOf(moment.toISOString(), language, timeZone))

  expect(shown).toEqual(expected)
})

it.each([
  [1, '1 kB', '1 kB'],
  [1_001, '2 kB', '2 kB'],
  [999_000, '999 kB', '999 kB'],
  [999_001, '1 MB', '1 MB'],
  [1_450_000, '1,5 MB', '1.5 MB'],
  [52_428_800, '52,4 MB', '52.4 MB'],
])('%i bytes are %s', (bytes, german, english) => {
  expect([sizeOf(bytes, 'de'), sizeOf(bytes, 'en')]).toEqual([german, english])
})
