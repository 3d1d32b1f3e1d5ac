import { expect, it } from 'vitest'
import { colognePhonetics } from '#german-names/cologne-phonetics.ts'
import { fold } from '#kernel/fold.ts'

/** Words and their codes from Wikipedia and the tests of Apache Commons Codec. */
const published: [word: string, code: string][] = [
  ['Müller-Lüdenscheidt', '65752682'],
  ['bergisch-gladbach', '174845214'],
  ['Müller', '657'],
  ['schmidt', '862'],
  ['schneider', '8627'],
  ['fischer', '387'],
  ['weber', '317'],
  ['wagner', '3467'],
  ['becker', '147'],
  ['hoffmann', '0366'],
  ['schäfer', '837'],
  ['Breschnew', '17863'],
  ['Wikipedia', '3412'],
  ['peter', '127'],
  ['pharma', '376'],
  ['mönchengladbach', '664645214'],
  ['deutsch', '28'],
  ['deutz', '28'],
  ['hamburg', '06174'],
  ['hannover', '0637'],
  ['christstollen', '478256'],
  ['Xanthippe', '48621'],
  ['Zacharias', '8478'],
  ['Holzbau', '0581'],
  ['matsch', '68'],
  ['matz', '68'],
  ['Arbeitsamt', '071862'],
  ['Eberhard', '01772'],
  ['Eberhardt', '01772'],
  ['Celsius', '8588'],
  ['Ace', '08'],
  ['shch', '84'],
  ['xch', '484'],
  ['heithabu', '021'],
  ['Test test', '28282'],
  ['mella', '65'],
  ['moulla', '65'],
  ['muehle', '65'],
  ['Meier', '67'],
  ['Maier', '67'],
  ['Mair', '67'],
  ['Meyer', '67'],
  ['Meyr', '67'],
  ['acl', '085'],
  ['cl', '45'],
  ['cx', '48'],
  ['ax', '048'],
  ['mn', '6'],
]

it.each(published)('%s has the published code %s', (word, code) => {
  expect(colognePhonetics(fold(word))).toBe(code)
})

it('a word without letters has no code', () => {
  expect(['', '12', 'Анна'].map(colognePhonetics)).toEqual(['', '', ''])
})
