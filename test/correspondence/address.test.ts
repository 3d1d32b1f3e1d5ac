import { describe, expect, it } from 'vitest'
import {
  asciiEmail,
  mailAddressText,
  mailboxOf,
  readMailAddress,
  writeMailAddress,
} from '#correspondence/address-schema.ts'
import { cpuMilliseconds } from '#test/support/cpu-time.ts'
import fc from '#test/support/properties.ts'

const parsed = (written: string) => mailAddressText.safeParse(written)
const accepted = (written: string) => parsed(written).data
const faults = (written: string) => parsed(written).error?.issues.map(({ message }) => message)

describe('an address of a mail (M3)', () => {
  it.each([
    ['a@b.de', null, 'a@b.de'],
    ['  a@b.de  ', null, 'a@b.de'],
    ['<a@b.de>', null, 'a@b.de'],
    ['"" <a@b.de>', null, 'a@b.de'],
    ['Anna Meier <a@b.de>', 'Anna Meier', 'a@b.de'],
    ['Anna Meier<a@b.de>', 'Anna Meier', 'a@b.de'],
    ['Meier, Anna <a@b.de>', 'Meier, Anna', 'a@b.de'],
    ['"Meier, Anna; RAin" <a@b.de>', 'Meier, Anna; RAin', 'a@b.de'],
    ['"Die \\"Chefin\\" \\\\ sie" <a@b.de>', 'Die "Chefin" \\ sie', 'a@b.de'],
    ['"a <b@c.de>" <a@b.de>', 'a <b@c.de>', 'a@b.de'],
    ['Jürgen Groß 🦊 <j.gross+akte@kanzlei-groß.de>', 'Jürgen Groß 🦊', 'j.gross+akte@kanzlei-groß.de'],
    ['王五 <info@例え.テスト>', '王五', 'info@例え.テスト'],
    ["O'Neill (Büro) <o'neill@b.co>", "O'Neill (Büro)", "o'neill@b.co"],
  ])('%j is read', (written, name, email) => {
    expect(readMailAddress(written)).toEqual({ name, email })
    expect(accepted(written)).toBe(writeMailAddress({ name, email }))
  })

  it.each([
    '\u202aa@b.de\u202c',
    '\u200ba@b.de',
    'a@b\u00ad.de',
    'Anna Meier \u202a<a@b.de>\u202c',
  ])('%j is read without the invisible characters that were copied with it', (written) => {
    expect(accepted(written)).toMatch(/^(Anna Meier <a@b\.de>|a@b\.de)$/)
  })

  it('may have an emoji of several code points in its name', () => {
    expect(accepted('Jörg 👩\u200d💻 <a@b.de>')).toBe('Jörg 👩\u200d💻 <a@b.de>')
  })

  it.each([
    ['a group', 'Gruppe: a@b.de, c@d.de;'],
    ['an empty group', 'undisclosed-recipients:;'],
    ['a group with one member', 'Gruppe: Anna <a@b.de>;'],
    ['two addresses', 'a@b.de, c@d.de'],
    ['two addresses with a semicolon', 'a@b.de; c@d.de'],
    ['two addresses with names', 'Anna <a@b.de>, Bernd <c@d.de>'],
    ['an address as the name of another', 'a@b.de, Bernd <c@d.de>'],
    ['an address beside another', 'a@b.de c@d.de'],
    ['two in brackets', '<a@b.de><c@d.de>'],
    ['two in one pair of brackets', '<a@b.de,c@d.de>'],
    ['something behind the brackets', '<a@b.de> c@d.de'],
    ['an open bracket', 'Anna <a@b.de'],
    ['an open quote', '"Anna <a@b.de>'],
    ['a quote in the middle', 'Anna "die <a@b.de>'],
    ['a quoted name and more', '"Anna" Meier" <a@b.de>'],
    ['no domain', 'anna'],
    ['a domain without a dot', 'a@b'],
    ['no local part', '@b.de'],
    ['two @', 'a@b@c.de'],
    ['an empty label', 'a@b..de'],
    ['a dot at the end', 'a@b.de.'],
    ['a dot at the start', '.a@b.de'],
    ['a hyphen at the start of a label', 'a@-b.de'],
    ['an IPv4 address', 'a@127.0.0.1'],
    ['an address literal', 'a@[127.0.0.1]'],
    ['a path behind the domain', 'a@b.de/c'],
    ['a port', 'a@b.de:25'],
    ['an escaped domain', 'a@b%2ede'],
    ['a local part with an umlaut', 'jürgen@b.de'],
    ['a quoted local part', '"a b"@b.de'],
    ['a comment', 'a(Anna)@b.de'],
    ['a local part of 65 characters', `${'a'.repeat(65)}@b.de`],
    ['a label of 64 characters', `a@${'b'.repeat(64)}.de`],
    ['a domain of more than 253 characters', `a@${'abcdefghi.'.repeat(26)}de`],
    ['a name of 321 characters', `${'n'.repeat(321)} <a@b.de>`],
    ['nothing', ''],
    ['a null character', 'An\0na <a@b.de>'],
    ['half of a surrogate pair', 'An\ud83dna <a@b.de>'],
  ])('%s is refused', (_, written) => {
    expect(accepted(written)).toBeUndefined()
  })

  it.each([
    '\n',
    '\r',
    '\r\n',
    '\v',
    '\f',
    '\x85',
    '\u2028',
    '\u2029',
  ])('the line break %j is refused at every position', (lineBreak) => {
    for (const written of [
      `Anna${lineBreak}Bcc: c@d.de <a@b.de>`,
      `"Anna${lineBreak}Meier" <a@b.de>`,
      `Anna <a@b.de${lineBreak}>`,
      `a@b.de${lineBreak}`,
      `${lineBreak}a@b.de`,
      `a@b.de${lineBreak} Bcc: c@d.de`,
    ])
      expect(faults(written)).toEqual(['A line break is not allowed here.'])
  })

  it('may have the longest name and the longest address, even if every character needs a backslash', () => {
    const email = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.de`

    expect(accepted(email)).toBe(email)
    const name = '"'.repeat(320)
    const written = writeMailAddress({ name, email })
    expect(accepted(written)).toBe(written)
    expect(readMailAddress(written)).toEqual({ name, email })
  })

  it('is read as the same address after it was written, and accepted unchanged', () => {
    fc.assert(
      fc.property(names, emails, (name, email) => {
        const written = writeMailAddress({ name, email })

        expect(readMailAddress(written)).toEqual({ name, email })
        expect(accepted(written)).toBe(written)
      }),
      { numRuns: 1_000 },
    )
  })

  it('is one address without control characters if the input is accepted, and does not change when it is read again', () => {
    const parts = fc.constantFrom(...'"\\<>@,;:()[] .\n\r\t=?-aä', 'a@b.de', 'xn--', '<a@b.de>', '\u2028')
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (written) => {
        const address = accepted(written.join(''))
        if (address === undefined) return

        expect(address).not.toMatch(/\p{Cc}|[\u2028\u2029]/u)
        expect(accepted(address)).toBe(address)
        expect(readMailAddress(address)?.email).toMatch(/^[^@\s]+@[^@\s]+$/)
      }),
      { numRuns: 5_000 },
    )
  })

  it('is refused at once if the input is a hostile text of a mebibyte', () => {
    const startedAt = cpuMilliseconds()
    for (const part of ['"', '"a', '\\"', '<', 'a@', 'a.', '\u0301', '"\\'])
      expect(accepted(part.repeat(1024 * 1024))).toBeUndefined()

    expect(cpuMilliseconds() - startedAt).toBeLessThan(2_000)
  })

  it('has the same mailbox in upper and lower case, and in every spelling of its domain', () => {
    const written = ['Info@Kanzlei-Groß.de', 'info@kanzlei-groß.de', asciiEmail('INFO@kanzlei-groß.de')]

    expect(new Set(written.map(mailboxOf)).size).toBe(1)
    expect(mailboxOf('info@kanzlei-gross.de')).not.toBe(mailboxOf('info@kanzlei-groß.de'))
  })

  it('has its domain in ASCII, and its local part unchanged, in headers and envelopes', () => {
    expect(asciiEmail('J.Meier@Büro.example')).toBe('J.Meier@xn--bro-hoa.example')
  })
})

const visible = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .map((text) => text.normalize('NFC').trim())
  .filter((text) => text !== '' && !/[\p{Cc}\u2028\u2029\ufffd]/u.test(text) && text.isWellFormed())
const special = fc
  .array(fc.constantFrom(...'"\\<>@,;:()[]=? aäß', '🦊'), { minLength: 1, maxLength: 30 })
  .map((characters) => characters.join('').trim())
  .filter((name) => name !== '')
const names = fc.option(fc.oneof(visible, special), { nil: null })
const atoms = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,15}$/)
const labels = fc.oneof(
  fc.stringMatching(/^[a-z]([a-z0-9]{0,10}[a-z0-9])$/),
  fc.stringMatching(/^[äöüéλж]{2,8}$/),
)
const emails = fc
  .tuple(fc.array(atoms, { minLength: 1, maxLength: 3 }), fc.array(labels, { minLength: 1, maxLength: 3 }))
  .map(([local, domain]) => `${local.join('.')}@${domain.join('.')}.example`)
