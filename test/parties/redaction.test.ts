import { describe, expect, it } from 'vitest'
import { namesOf, type PartyData, withoutParty } from '#parties/redaction.ts'

const anna: PartyData = {
  type: 'person',
  name: 'Anna Müller',
  email: 'mueller@gmx.example',
  phone: '+49 30 1234567',
  address: 'Lindenstraße 7\n10969 Berlin',
}
const redacted = (text: string, party: Partial<PartyData> = {}) => withoutParty({ ...anna, ...party })(text)

describe('the data of a party in a text', () => {
  it.each([
    ['Frau Anna Müller kam.', 'Frau [gelöscht] kam.'],
    ['Müller, Anna und MUELLER ANNA', '[gelöscht] und [gelöscht]'],
    ['anna  muller, Anna\u00a0Mu\u0308ller', '[gelöscht], [gelöscht]'],
    ['Mail an Mueller@GMX.example.', 'Mail an [gelöscht].'],
    ['Tel. +49 30 1234567, Lindenstrasse 7, Berlin', 'Tel. [gelöscht], [gelöscht], Berlin'],
    ['Lindenstraße 7, 10969 Berlin', '[gelöscht]'],
    ['Brief_Anna_Müller_2.txt', 'Brief_[gelöscht]_2.txt'],
  ])('is taken out of „%s“', (text, expected) => {
    expect(redacted(text)).toBe(expected)
  })

  it.each([
    'Annemarie und Anna Müller-Schulze',
    'Karla-Anna Müller',
    'Anna Müllerin und Joanna Müller',
    'x.mueller@gmx.example und mueller@gmx.example.org, a-mueller@gmx.example',
    'Amtsgericht Berlin, 10969 Berlin',
    'Müller wegen Kaufpreis',
    'Lindenstraße 71, +49 30 12345678',
  ])('does not change what only contains it: „%s“', (text) => {
    expect(redacted(text)).toBe(text)
  })

  it('is also the family name alone where that is asked for, but no part of a double name', () => {
    const redact = withoutParty(anna, { familyName: true })

    expect(redact('Mueller ./. Schulze')).toBe('[gelöscht] ./. Schulze')
    expect(redact('Müller-Lüdenscheidt ./. Schulze')).toBe('Müller-Lüdenscheidt ./. Schulze')
  })

  it('of a firm is its whole name', () => {
    const bank = { type: 'organization', name: 'Bank AG (Köln) + Co.', email: null } as const

    expect(redacted('Bank AG (Koeln) + Co.', bank)).toBe('[gelöscht]')
    expect(redacted('Co. Bank', bank)).toBe('Co. Bank')
  })
})

describe('a party', () => {
  it.each([
    'Termin mit Anna Müller',
    'MUELLER, ANNA',
    'an mueller@gmx.example',
  ])('is named by „%s“', (text) => {
    expect(namesOf(anna)([null, text])).toBe(true)
  })

  it.each([
    'Johanna Müller',
    'Anna Müllermann',
    'anna-mueller@gmx.example',
    'Lindenstraße 7',
  ])('is not named by „%s“', (text) => {
    expect(namesOf(anna)([text])).toBe(false)
  })

  it('whose name has accents alone is named by no text, and no text changes', () => {
    const nobody = { ...anna, name: '\u0301', email: null, phone: null, address: null }

    expect([namesOf(nobody)(['Brief']), withoutParty(nobody)('Brief')]).toEqual([false, 'Brief'])
  })
})
