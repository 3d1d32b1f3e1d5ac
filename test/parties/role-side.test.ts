import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { inRepository } from '#infra/in-repository.ts'
import { sideOfRole, sides, wordsOfSides } from '#parties/role-side.ts'
import { GivenSide, ShownSide, sidesIn } from '#parties/side-schema.ts'
import fc from '#test/support/properties.ts'

/**
 * Which side the words of a role say (C11). If the words alone do not name a side, it is null, and counts as possible.
 */

const roles = {
  client: `Mandant|Mandantin|MANDANT|Mandant:in|Mandant*in|Mandant_in|Mandant/in|Mandant/-in|Mandant(in)|MandantInnen|Mandanten
Mandantschaft|unsere Mandantin|ehemaliger Mandant|Altmandant|Ex-Mandant|Mit-Mandantin|Mandantin zu 1)|Mandant (Kläger)|Klägerin und Mandantin
Mandantin, Widerbeklagte|Antragsteller (Mandant)|Auftraggeber|Auftraggeberin|Auftraggeber (Bauherr)|Klient|Klientin|Vollmachtgeber|Mdt.
eigene Partei|unsere Seite|client|our client|Client (plaintiff)|Mandantin gegen Müller|Mandant?`,
  opponent: `Gegner|Gegnerin|GEGNER|Gegner:in|Gegenseite|Gegenpartei|Unfallgegner|Unfall-Gegner|Prozessgegnerin|Prozeßgegner|gegnerische Partei
gegnerische Versicherung|Beklagter (Gegner)|Gegner, Kläger|Gegner der Mandantin|Gegner unseres Mandanten|Gegnerin zu 2|opponent|opposing party`,
  other: `Zeuge|Zeugin|Tatzeugen|Zeuge der Gegenseite|Sachverständige|gerichtlicher Sachverständiger|Gutachter|Amtsgericht|Richterin|Notar
Prozessbevollmächtigter des Klägers|Prozeßbevollmächtigte der Mandantin|Rechtsanwältin|gegnerischer Anwalt|Anwalt der Gegenseite|Klägervertreter
Mandantenvertreterin|Pflichtverteidiger|Dolmetscherin|Rechtsschutzversicherung|witness|opposing counsel`,
  nothing: `Kläger|Klägerin|Beklagte zu 1|Beklagte/r|Antragsteller|Antragsgegner|Antrags-Gegner|Beschwerdegegnerin|Anspruchsgegner|Schuldner
Streithelfer|Nebenkläger|Nebenintervenientin der Beklagten|Beigeladene|Beschuldigter|Erbe|Versicherungsnehmer|Haftpflichtversicherer|Vertragspartner
Ehefrau der Mandantin|Geschäftsführer des Auftraggebers|Vertreter des Mandanten|Versicherer des Gegners|client's wife
kein Mandant|nicht Gegner|Nichtmandant|Mandant oder Gegner|Mandant/Gegner|gegnerischer Mandant|Mandant der Gegenseite|client of opposing counsel
Gegner?|vielleicht Gegner|früherer Gegner|Gegner (Zeuge)|Zeuge, Kläger|Zeuge Müller|Fahrzeughalter|Fahrzeuge|Halter|x|§|🙂`,
} as const

describe.each(Object.entries(roles))('the words of these roles say %s', (side, listed) => {
  it.each(listed.split(/[\n|]/))('%s', (role) => {
    expect(sideOfRole(role)).toBe(side === 'nothing' ? null : side)
  })
})

describe.each(sides)('the published words for %s', (side) => {
  const words = wordsOfSides[side]

  it.each(words)('say it: %s', (word) => {
    expect(sideOfRole(word)).toBe(side)
  })

  it('are in the description of the interface and in the README, all of them', () => {
    const list = words.join(', ')
    const readme = readFileSync(inRepository('packages/parties/README.md'), 'utf8')

    for (const schema of [GivenSide, ShownSide])
      expect(schema.unwrap().description).toContain(`\`${side}\`: ${list}`)
    expect(readme).toContain(`| \`${side}\` | ${list} |`)
  })
})

it.each([
  ['client', 'Mandatgeber'],
  ['opponent', 'adversary'],
  ['other', 'Schlichter'],
  ['other', 'judge'],
  ['other', 'lawyer'],
  ['other', 'Klägervertreter'],
] as const)('%s: the rare word %s is published too', (side, word) => {
  expect(wordsOfSides[side]).toContain(word)
})

it('a procedural role never says a side, in whatever form and with whatever number', () => {
  const stems = [
    'Kläger',
    'Beklagt',
    'Antragsteller',
    'Antragsgegner',
    'Schuldner',
    'Gläubiger',
    'Beschwerdeführer',
  ]
  const endings = ['', 'in', ':in', '*innen', '/-in', '(in)', 'e', 'er', 'en']
  const after = ['', ' zu 1)', ' und Widerkläger', ' (Widerbeklagte)', ' I', ', Berufungskläger']
  for (const stem of stems)
    for (const ending of endings)
      for (const end of after)
        expect([stem + ending + end, sideOfRole(stem + ending + end)]).toEqual([stem + ending + end, null])
})

it('any text has a side or none, quickly', () => {
  const words = fc.constantFrom(
    'Mandant',
    'Gegner',
    'Zeuge',
    'der',
    'des',
    '(',
    ')',
    '/',
    '-',
    ':in',
    'nicht',
    'und',
    '  ',
    'ß',
    'Ä',
  )
  const text = fc.oneof(
    fc.string({ maxLength: 100, unit: 'grapheme' }),
    fc.array(words, { maxLength: 25 }).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(text, (role) => ['client', 'opponent', 'other', null].includes(sideOfRole(role))),
    { numRuns: 2_000 },
  )
})

it.each([
  [['Mandant', 'Kläger'], ['client']],
  [['Gegner', 'Beklagter'], ['opponent']],
  [
    ['Mandant', 'Gegner', 'Kläger'],
    ['client', 'opponent'],
  ],
  [
    ['Zeuge', 'Beklagter'],
    ['other', 'unknown'],
  ],
  [['Beklagter'], ['unknown']],
])('a party in the roles %j of a case stands on the sides %j', (itsRoles, expected) => {
  const others = { id: 'pty_2', role: 'Mandant' }
  const parties = [others, ...itsRoles.map((role) => ({ id: 'pty_1', role }))]

  expect([...sidesIn(parties, 'pty_1')].toSorted()).toEqual(expected)
})
