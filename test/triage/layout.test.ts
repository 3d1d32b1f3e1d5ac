import { describe, expect, it } from 'vitest'
import { letterLines, readLayout } from '#triage/layout.ts'

const own = (body: string) =>
  readLayout(body)
    .filter(({ kind, text }) => kind === 'own' && text !== '')
    .map(({ text }) => text)

describe('what the sender says now', () => {
  it.each([
    ['Apple Mail', 'Ja.\n\nAm 18.11.2026 um 09:12 schrieb Kanzlei <a@b.example>:\n\n> Alt 0010/26\n> mehr'],
    ['Gmail', 'Ja.\n\nAm Mi., 18. Nov. 2026 um 09:12 Uhr schrieb Kanzlei <\na@b.example>:\n\n> Alt 0010/26'],
    [
      'Gmail for Android',
      'Ja.\n\nKanzlei <\na@b.example> schrieb am Mi., 18. Nov. 2026, 09:12:\n\nAlt 0010/26',
    ],
    ['Open-Xchange', 'Ja.\n\nKanzlei <a@b.example> hat am 18.11.2026 09:12 CET geschrieben:\n\nAlt 0010/26'],
    ['a program without umlauts', 'Ja.\n\n-----Urspruengliche Nachricht-----\nVon: Kanzlei\n\nAlt 0010/26'],
    ['Thunderbird', 'Ja.\n\nAm 18.11.26 um 09:12 schrieb Kanzlei:\n> Alt 0010/26'],
    [
      'Outlook',
      'Ja.\n\nVon: Kanzlei <a@b.example>\nGesendet: Mittwoch, 18. November 2026 09:12\nAn: X\nBetreff: Y\n\nAlt 0010/26',
    ],
    ['Outlook, classic', 'Ja.\n\n-----Ursprüngliche Nachricht-----\nVon: Kanzlei\n\nAlt 0010/26'],
    [
      'a forward of Gmail',
      'Ja.\n\n---------- Forwarded message ---------\nVon: Kanzlei\nDate: heute\n\nAlt 0010/26',
    ],
    [
      'a forward of Thunderbird',
      'Ja.\n\n-------- Weitergeleitete Nachricht --------\nBetreff: Y\n\nAlt 0010/26',
    ],
    [
      'a forward of Apple Mail',
      'Ja.\n\nAnfang der weitergeleiteten Nachricht:\n\n> Von: Kanzlei\n>\n> Alt 0010/26',
    ],
    ['a web mailer without marks', 'Ja.\n\nAm 18.11.2026 um 09:12 schrieb a@b.example:\n\nAlt 0010/26'],
    ['an English program', 'Ja.\n\nOn 18 Nov 2026, at 09:12, Kanzlei <a@b.example> wrote:\n\nAlt 0010/26'],
  ])('is without what %s quotes', (_, body) => {
    expect(own(body).filter((line) => !line.startsWith('Anfang'))).toEqual(['Ja.'])
  })

  it.each([
    'LG Köln\n\n3 O 45/26',
    'VG Köln\nAz.: 5 K 12/26',
    'LG München I',
    'LG Köln:',
  ])('goes on below %j', (court) => {
    expect(own(`Anbei\n${court}\nFrist: 15.12.2026`)).toContain('Frist: 15.12.2026')
  })

  it.each([
    'Diese E-Mail ist vertraulich und nur für Sie bestimmt.',
    'Von meinem iPhone gesendet',
  ])('begins at the salutation below %j', (notice) => {
    expect(own(`${notice}\n\nHallo Frau Kunz,\nFrist: 15.12.2026`)).toContain('Frist: 15.12.2026')
  })

  it.each(['LG Thomas', 'LG\nThomas', 'VG Anna'])('ends with %j', (closing) => {
    expect(own(`Anbei\n${closing}\nTel. 0171 555`)).not.toContain('Tel. 0171 555')
  })

  it('goes on below a sentence of the sender that names an address', () => {
    const text = 'Meier <m@x.example> hat am 18.11.2026 gekündigt. Er schrieb:\nNeu 0010/26'

    expect(own(text)).toContain('Neu 0010/26')
  })

  it('goes on below a quote, where the quote is marked', () => {
    expect(own('Am 18.11.26 um 09:12 schrieb Kanzlei:\n> Alt\n\nNeu unten')).toEqual(['Neu unten'])
    expect(own('Oben\n> Alt\nUnten')).toEqual(['Oben', 'Unten'])
  })

  it('ends with the signature, but for a postscript', () => {
    expect(own('Text\n-- \nName\nAz. 0010/26')).toEqual(['Text'])
    expect(own('Text\n\nMit freundlichen Grüßen\nName\nUnser Zeichen 0010/26')).toEqual([
      'Text',
      'Mit freundlichen Grüßen',
    ])
    expect(own('Text\n\nViele Grüße\nName\n\nPS: Auch das noch')).toContain('PS: Auch das noch')
  })

  it('goes on below a line above the salutation, but not below one after it', () => {
    const text =
      'Schaden-Nr. 4711\n__________\n\nSehr geehrte Frau Kunz,\nFrist: 15.12.2026\n__________\nVerteiler'

    expect(own(text)).toContain('Frist: 15.12.2026')
    expect(own(text)).not.toContain('Verteiler')
    expect(own('Anbei.\n__________\nSehr geehrte Frau Kunz,\nAlt')).toEqual(['Anbei.'])
  })

  it.each([
    'Rechtsbehelfsbelehrung',
    'Rechtsmittelbelehrung:',
    'Belehrung über den Einspruch',
  ])('goes on below the closing with %s', (heading) => {
    const text = `Der Antrag wird abgelehnt.\n\nMit freundlichen Grüßen\nKlein\n\n${heading}\nEinspruch binnen eines Monats`

    expect(own(text)).toContain('Einspruch binnen eines Monats')
  })

  it.each([
    'Gruß',
    'Gruss, Thomas',
    'Mit freundlichem Gruß',
    'Besten Gruß',
    'Freundl. Grüße',
    'Herzlichen Gruß',
    'Gruesse',
  ])('ends with the closing %s', (closing) => {
    expect(own(`Text\n\n${closing}\nName\nUnser Zeichen 0010/26`)).toEqual(['Text', closing])
  })

  it.each([
    'Mit Herrn Grußmann besprochen:',
    'Mit Klage gegen Grüßner',
  ])('does not end with the name in %s', (line) => {
    expect(own(`Text\n\n${line}\nFrist bis zum 15.12.2026`)).toContain('Frist bis zum 15.12.2026')
  })

  it('ends with the disclaimer', () => {
    const body = 'Text\n\nDiese E-Mail enthält vertrauliche Informationen.\nInterne Ablage 0010/26'

    expect(own(body)).toEqual(['Text'])
  })

  it('keeps a sentence that only looks like the beginning of a quote', () => {
    const body = 'Am Montag schrieb mir die Versicherung:\nSie zahlt nicht.\nVon: München nach Köln'

    expect(own(body)).toHaveLength(3)
  })

  it('of a fax goes on below the fields of its head', () => {
    const fax =
      'Telefax\nVon: Amtsgericht Köln\nAn: Kanzlei\nDatum: heute\nBetreff: 3 O 45/26\n\nBinnen zwei Wochen'

    expect(letterLines(fax)).toContain('Binnen zwei Wochen')
    expect(letterLines(`${'Text\n'.repeat(10)}${fax}`)).not.toContain('Binnen zwei Wochen')
  })

  it.each([
    'Von: A\nGesendet: heute\nAn: B',
    'Von: A\nAn: b@b.example\nDatum: heute',
    '-----Ursprüngliche Nachricht-----\nVon: A\nAn: B\nDatum: heute',
  ])('of an attached letter goes up to a printed mail with %j', (fields) => {
    const letter = `Ihr Zeichen: 0010/26\nText\n${fields}\nBetreff: 0042/26`

    expect(letterLines(letter)).toEqual(['Ihr Zeichen: 0010/26', 'Text'])
  })
})
