import { describe, expect, it } from 'vitest'
import { composed } from '#kernel/composed.ts'
import { emailText, nameText, text } from '#kernel/text.ts'

const messageOf = (value: string) => text(500).safeParse(value).error?.issues[0]?.message

describe('a text', () => {
  it.each([
    [
      'of the longest length in letters that are sent in four pieces each',
      '\u1f82'.repeat(500).normalize('NFD'),
      500,
    ],
    ['of the longest length in Hangul that is sent in pieces', '\ud55c'.repeat(500).normalize('NFD'), 500],
    ['of the longest length in emoji', '🦄'.repeat(500), 1_000],
    ['between a megabyte of blanks', `${' '.repeat(1_000_000)}Müller${'\n'.repeat(1_000_000)}`, 6],
    ['with 30 marks on a letter', `x${'\u0323'.repeat(30)}`, 31],
  ])('%s is taken', (_, value, length) => {
    expect(text(500).parse(value)).toHaveLength(length)
  })

  it.each([
    ['of one character more', 'ü'.repeat(501), 'At most 500 characters.'],
    ['of one character more, in pieces', 'u\u0308'.repeat(501), 'At most 500 characters.'],
    ['of megabytes', 'x'.repeat(4_000_000), 'At most 500 characters.'],
    ['with 31 marks on a letter', `x${'\u0323'.repeat(31)}`, 'At most 30 combining marks on one character.'],
    ['with half a character', 'M\ud83dller', 'This is not valid Unicode text.'],
    ['that was read in the wrong encoding', 'M\ufffdller', 'This is not valid Unicode text.'],
  ])('%s is refused', (_, value, message) => {
    expect(messageOf(value)).toBe(message)
  })
})

describe('a name', () => {
  it.each([
    ['with soft hyphens of a word processor', 'Ver\u00admie\u00adter', 'Vermieter'],
    ['with ligatures of a PDF', 'P\ufb02egedienst', 'Pflegedienst'],
    ['between zero-width spaces of a web page', '\u200bMeier\ufeff', 'Meier'],
    ['of an emoji in several parts', 'Familie 👩‍👧', 'Familie 👩‍👧'],
  ])('%s is as people type it', (_, value, expected) => {
    expect(nameText().parse(value)).toBe(expected)
  })

  it('of soft hyphens alone is empty', () => {
    expect(nameText().safeParse('\u00ad\u200b').error?.issues[0]?.message).toBe('This must not be empty.')
  })
})

describe('an e-mail address', () => {
  it.each([
    ['with the direction marks of Windows around it', '\u202amax@mueller.example\u202c'],
    ['behind a zero-width space', '\u200bmax@mueller.example'],
    ['with a soft hyphen', 'max@muel\u00adler.example'],
    ['with a direction mark before a blank', '\u202a max@mueller.example'],
  ])('%s is taken without them', (_, value) => {
    expect(emailText().parse(value)).toBe('max@mueller.example')
  })
})

describe('an e-mail address without its invisible characters', () => {
  it('is composed like any text', () => {
    expect(emailText().parse('rene\u200b\u0301@mueller.example')).toBe('ren\u00e9@mueller.example')
  })

  it('has at most 30 combining marks on one character', () => {
    const marks = `${'\u0301'.repeat(20)}\u200b${'\u0301'.repeat(20)}`

    expect(emailText().safeParse(`e${marks}@mueller.example`).success).toBe(false)
  })
})

describe('composing a text', () => {
  it('a second time changes nothing, also in a sequence of marks that was split', () => {
    for (const marks of [29, 30, 31, 60, 61, 100]) {
      const once = composed(`a${'\u0301'.repeat(marks)}b\u0323`)

      expect(composed(once)).toBe(once)
    }
  })
})
