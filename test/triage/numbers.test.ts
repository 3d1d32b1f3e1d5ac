import { describe, expect, it } from 'vitest'
import { courtReferenceKey, findCourtReferences } from '#triage/court-references.ts'
import { caseNumberKey, fileNumberKey, findFileNumbers } from '#triage/file-numbers.ts'
import { readNumbers } from '#triage/numbers.ts'

const form = '0010/26'
const numbersIn = (line: string, place: 'body' | 'attachment' = 'body') =>
  readNumbers([{ place, lines: line.split('\n'), isForwarded: false }], form)

describe('file numbers', () => {
  it.each([
    ['0010/26', '10/26'],
    ['10/26', '10/26'],
    ['10/2026', '10/26'],
    ['0010-26', '10/26'],
    ['0010 / 26', '10/26'],
    ['0010/26 AL', '10/26'],
    ['10-26-AL', '10/26'],
  ])('%s is %s', (written, key) => {
    expect(fileNumberKey(written, form)).toBe(key)
  })

  it.each([
    '10.10.26',
    '24/12/26',
    '0221/26 55 31',
    '089 555 0117/26',
    '215/5123/4567',
    '26-448811/3',
    '84302//0012345',
    '0000/26',
    '10/199',
    '1,10/26',
  ])('%s is none', (written) => {
    expect(fileNumberKey(written, form)).toBeNull()
  })

  it('an office that writes the year first is read so', () => {
    expect(fileNumberKey('2026/0010', '2026/0001')).toBe('10/26')
    expect(caseNumberKey('2026/0010')).toBe('10/26')
    expect(caseNumberKey('26/0010')).toBe('10/26')
    expect(caseNumberKey('10/2026')).toBe('10/26')
    expect(caseNumberKey('2000/26')).toBe('2000/26')
    expect(fileNumberKey('0010/26', '2000/26')).toBe('10/26')
    expect(caseNumberKey('Altakte Meier')).toBeNull()
    expect(fileNumberKey('26-00117', '26-00001')).toBe('117/26')
    expect(findFileNumbers('Akte 2026/0117 LO', '2026/0001')[0]).toMatchObject({
      key: '117/26',
      suffix: 'LO',
    })
  })

  it.each([
    ['Ihr Zeichen: 10/26', 'ours', true],
    ['Ihr Zeichen:\n10/26', 'ours', true],
    ['zu Ihrem Aktenzeichen 10/26 teilen wir mit', 'ours', true],
    ['your ref. 10/26', 'ours', true],
    ['Az. 10-26 AL', 'reference', true],
    ['zur Akte 10/26', 'reference', true],
    ['meine Akte 10/26', 'none', false],
    ['wegen 0010/26', 'reference', true],
    ['– 145/26 –', 'none', true],
    ['145/26', 'none', true],
    ['Halle 31/26', 'none', false],
    ['Mahnung 145/26', 'none', false],
    ['Az. 0012/26/AY', 'reference', true],
    ['Stand der Dinge 10/26', 'none', false],
    ['unser Zeichen: 10/26', 'theirs', false],
    ['Mein Az.: 0010/26', 'theirs', false],
  ])('%s: it is called %s', (line, label, counts) => {
    expect(numbersIn(line).file_numbers).toMatchObject([{ label, counts }])
  })

  it.each([
    'Rechnung Nr. 0010/26',
    'Rechnungsnummer: 0010/26',
    'Versicherungsschein 0010/26',
    'Police 0010/26',
    'Schaden-Nr. 0010/26',
    'Kundennummer 0010/26',
    'Flurstück Nr. 0010/26',
    'Heft 10/26',
    'NJW 10/26',
    'Miete 10/26',
    'Nr. 0010/26',
  ])('%s is no file number', (line) => {
    expect(numbersIn(line).file_numbers).toEqual([])
  })

  it('a number that the sender calls his own is his wherever it stands, but not where he calls it ours', () => {
    expect(numbersIn('Sache 0042/26\nUnser Zeichen: 0042/26').file_numbers).toMatchObject([
      { label: 'theirs' },
    ])
    expect(numbersIn('Unser Zeichen: 0042/26\nIhr Zeichen: 0042/26').file_numbers).toMatchObject([
      { label: 'ours' },
    ])
  })

  it.each([
    'Es geht nicht um Az. 0020/26, sondern um eine neue Sache.',
    'Es geht nicht um die Akte Krause, Az.\n0020/26.',
    'Diese Nachricht gehört nicht zu dieser Akte 0020/26.',
    'Ich schreibe nicht zum Az. 0020/26.',
    'Gemeint ist nicht das Verfahren 0020/26.',
    'Es besteht kein Bezug zu Az. 0020/26.',
    'Das hat nichts mit Az. 0020/26 zu tun.',
    'Anders als in Az. 0020/26 bin ich hier der Kläger.',
    'Abweichend von Az. 0020/26 will ich klagen.',
    'Bitte legen Sie es neu an statt in Akte 0020/26.',
    'Um Az. 0020/26 geht es nicht.',
    'Az. 0020/26\nEs geht nicht um Az. 0020/26.',
  ])('%s: a number that is denied is suggested and does not count', (text) => {
    expect(numbersIn(text).file_numbers).toMatchObject([{ key: '20/26', counts: false }])
  })

  it.each([
    'Klick <https://x.example/?az=0020/26>',
    'https://x.example/Zeichen:0020/26',
    'www.x.example/?az=0020/26',
  ])('%s: a number in an address, which few readers see, is suggested and does not count', (text) => {
    expect(numbersIn(text).file_numbers).toMatchObject([{ key: '20/26', counts: false }])
  })

  it('a court’s reference that is denied does not count', () => {
    expect(numbersIn('Es geht nicht um 3 O 45/26.').court_references).toMatchObject([{ counts: false }])
  })

  it.each([
    'Es geht nicht um den Kauf, sondern um die Akte 0020/26.',
    'Ich verstehe das nicht. Es geht um die Akte 0020/26.',
    'Ich habe noch nicht zu Ihrem Az. 0020/26 geantwortet.',
    'Es geht nicht nur um die Akte 0020/26.',
    'Haben Sie nicht das Schreiben zur Akte 0020/26 erhalten?',
    'Ihr Az. 0020/26 ist für mich nicht verständlich.',
  ])('%s: a number that is not denied counts', (text) => {
    expect(numbersIn(text).file_numbers).toMatchObject([{ key: '20/26', counts: true }])
  })

  it('one line may name ours and theirs', () => {
    const { file_numbers } = numbersIn('Ihr Zeichen: 0010/26; unser Zeichen: 117/26')

    expect(file_numbers).toMatchObject([
      { key: '10/26', label: 'ours', counts: true },
      { key: '117/26', label: 'theirs', counts: false },
    ])
  })

  it('in an attachment only a number that is called ours counts, and only in the head of the letter', () => {
    const deep = `${'Text der Anlage. '.repeat(60)}\n`.repeat(3)

    expect(numbersIn('Ihr Zeichen: 0010/26', 'attachment').file_numbers).toMatchObject([{ counts: true }])
    expect(numbersIn('Aktenzeichen: 0010/26', 'attachment').file_numbers).toMatchObject([{ counts: false }])
    expect(numbersIn('Betreff: Wagner 0010/26', 'attachment').file_numbers).toMatchObject([{ counts: false }])
    expect(numbersIn(`${deep}Ihr Zeichen: 0010/26`, 'attachment').file_numbers).toMatchObject([
      { counts: false },
    ])
  })
})

describe('court references', () => {
  it.each([
    ['3 O 45/26', '3o45/26'],
    ['3O45/26', '3o45/26'],
    ['3 O 45/2026', '3o45/26'],
    ['3 O 45 / 26', '3o45/26'],
    ['1 BvR 1/26', '1bvr1/26'],
    ['VII ZR 12/26', 'viizr12/26'],
    ['IXa ZB 7/26', 'ixazb7/26'],
    ['S 12 AS 345/25', 's12as345/25'],
    ['S 12 AS 345/25 ER', 's12as345/25er'],
    ['L 7 AS 99/26 B ER', 'l7as99/26ber'],
    ['NotZ(Brfg) 2/25', 'notz(brfg)2/25'],
    ['NotZ (Brfg) 2/25', 'notz(brfg)2/25'],
    ['12 Js 345/26', '12js345/26'],
    ['M 12 K 26.1234', 'm12k26.1234'],
    ['5 K 321/26 E', '5k321/26'],
    ['5 K 1290/26.A', '5k1290/26'],
    ['54 F 1234/26 SO', '54f1234/26'],
    ['XVII 88/26', 'xvii88/26'],
    ['62 VI 451/26', '62vi451/26'],
    ['36 IN 77/26', '36in77/26'],
    ['36a IN 77/26', '36ain77/26'],
    ['36 XVII 88/26', '36xvii88/26'],
    ['36a XVII 88/26', 'xvii88/26'],
    ['5 HK O 12/26', '5hko12/26'],
    ['5 HKO 12/26', '5hko12/26'],
    ['1 HK T 3/26', '1hkt3/26'],
    ['12 Ca 3456/26', '12ca3456/26'],
    ['5 AZR 123/26', '5azr123/26'],
  ])('%s is %s', (written, key) => {
    expect(courtReferenceKey(written)).toBe(key)
  })

  it.each([
    '10/26',
    'Haus 3 10/26',
    'O 45/26',
    '3 Q 45/26',
    '3 HK Q 45/26',
    'HK O 45/26',
    '2 Kinder 10/26',
    'HRB 12345',
    '3 O 45/1826',
  ])('%s is none', (written) => {
    expect(courtReferenceKey(written)).toBeNull()
  })

  it('a criminal court’s reference gives the prosecutor’s as well', () => {
    const keys = findCourtReferences('532 Ds 12 Js 345/26').map(({ key }) => key)

    expect(keys).toEqual(['12js345/26', '532ds12js345/26'])
  })

  it('a court reference is no file number', () => {
    expect(numbersIn('Az. 3 O 45/26')).toMatchObject({
      file_numbers: [],
      court_references: [{ key: '3o45/26' }],
    })
  })

  it.each([
    'vgl. BGH, Az. VII ZR 12/26',
    'BGH, Urteil vom 12.03.2025 – VII ZR 88/24, NJW 2025, 1201',
    'OLG München, Beschl. v. 3. Mai 2024 - 9 U 12/24',
    'so auch LG Köln 3 O 45/26',
    'nach ständiger Rechtsprechung (BAG 5 AZR 123/26)',
    '3 O 45/26, juris Rn. 14',
  ])('%s is cited, and nothing of it is read', (line) => {
    expect(numbersIn(line)).toEqual({ file_numbers: [], court_references: [] })
  })

  it.each([
    'In Sachen Wagner übersenden wir das Urteil vom 12.11.2026, 3 O 45/26',
    'Hiermit übersenden wir das Urteil vom 12.11.2026, 3 O 45/26',
    'Wir überreichen den Beschluss vom 12.11.2026 – 3 O 45/26',
    'gegen das Urteil vom 12.11.2026 – 3 O 45/26 legen wir Berufung ein',
    'im Verfahren 3 O 45/26 bitten wir um Rückruf',
  ])('%s is text, which only suggests', (line) => {
    expect(numbersIn(line).court_references).toMatchObject([{ key: '3o45/26', counts: false, is_own: false }])
  })

  it.each([
    'Az.: 3 O 45/26',
    'Unser Zeichen: 3 O 45/26',
    'Geschäfts-Nr.: 3 O 45/26',
    'Geschäfts-Nr.:\n3 O 45/26',
    'Unsere Geschäfts-Nr. 3 O 45/26',
    'Gesch.-Nr.: 3 O 45/26',
    'Gesch.Nr.: 3 O 45/26',
    'GeschNr.: 3 O 45/26',
    'Gesch.-Z.: 3 O 45/26',
    'Geschaeftszeichen: 3 O 45/26',
    '3 O 45/26',
    'Sommer ./. Kies GmbH, 3 O 45/26',
  ])('%s in the head is the sender’s own, and counts', (line) => {
    expect(numbersIn(line).court_references).toMatchObject([{ key: '3o45/26', counts: true, is_own: true }])
  })

  it.each([
    'Ihre Geschäfts-Nr.: 0010/26',
    'Ihre Gesch.-Nr. 0010/26',
    'Ihr Geschaeftszeichen: 0010/26',
  ])('%s is our file number', (line) => {
    expect(numbersIn(line).file_numbers).toMatchObject([{ key: '10/26', label: 'ours', counts: true }])
  })
})
