import { expect, it } from 'vitest'
import { codeForm } from '#functions/sign/signer-forms.ts'
import { verifyErrorPage } from '#functions/sign/verify-page.ts'
import { sizeText, timeText } from '#functions/size-and-time.ts'

const day = 86_400_000
const moments = Array.from({ length: 800 }, (_, number) => new Date(1.78e12 + number * (day + 3_541_000)))

it.each([
  ['de', 'Europe/Berlin', 'de-DE'],
  ['en', 'Europe/Berlin', 'en-GB'],
  ['de', 'America/St_Johns', 'de-DE'],
  ['en', 'Asia/Kathmandu', 'en-GB'],
] as const)('a time in %s and %s has the same text as from Intl.DateTimeFormat', (language, timeZone, locale) => {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone })
  const expected = moments.map((moment) => `${format.format(moment)}${language === 'de' ? ' Uhr' : ''}`)

  const shown = moments.map((moment) => timeText(moment.toISOString(), language, timeZone))

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
  expect([sizeText(bytes, 'de'), sizeText(bytes, 'en')]).toEqual([german, english])
})

it('only a code that was compared reduces the attempts left, not an empty or a very long one', () => {
  const formAfter = (code: string) =>
    codeForm(5, { language: 'de', token: 'a', root: '../', refused: { invalid: ['code'], fields: { code } } })

  expect(formAfter('falsch')).toContain('noch 4 Versuche')
  expect(formAfter('')).toContain('noch 5 Versuche')
  expect(formAfter(' ')).toContain('noch 5 Versuche')
  expect(formAfter('x'.repeat(201))).toContain('noch 5 Versuche')
})

it('the page that verifies reports only a malformed request as a malformed digest', () => {
  expect(verifyErrorPage(400, 'de')).toContain('Das ist kein SHA-256')
  expect(verifyErrorPage(503, 'de')).not.toContain('Das ist kein SHA-256')
})
