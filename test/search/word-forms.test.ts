import { describe, expect, it } from 'vitest'
import { aRecord, found, segmentOf } from './an-index.ts'

describe('a search', () => {
  it.each([
    ['Kündigung', 'Die Kündigungen gingen zu.'],
    ['kündigungen', 'Die Kündigung ging zu.'],
    ['Kuendigung', 'Die Kündigung ging zu.'],
    ['Kundigung', 'Die KÜNDIGUNG ging zu.'],
    ['Kündigung', 'Die Kuendigung ging zu.'],
    ['Verträge', 'Der Vertrag ist wirksam.'],
    ['Vertrages', 'Mehrere Verträge liegen vor.'],
    ['Vertraege', 'des Vertrags'],
    ['Häuser', 'Das Haus ist verkauft.'],
    ['Haeuser', 'Die Häuser sind verkauft.'],
    ['Mieter', 'Die Mieten der Mieterin'],
    ['Straße', 'in der Hauptstrasse, Strasse 5'],
    ['STRASSE', 'in der Straße'],
    ['neuen', 'ein neuer Termin'],
    ['neue', 'neues Gutachten'],
    ['blaues', 'ein blauer Wagen'],
    ['ausgeuebt', 'Das Recht wurde ausgeübt.'],
    ['Anwälte', 'Der Anwalt rügt.'],
    ['Klagen', 'Die Klage ist zulässig.'],
    ['Fristen', 'Die Frist läuft ab.'],
    ['fristlosen', 'eine fristlose Kündigung'],
    ['Schäden', 'des Schadens'],
    ['Müller', 'Herr Mueller schreibt'],
    ['Mueller', 'Frau Müller schreibt'],
    ['Muller', 'Frau Müller schreibt'],
    ['Łukasz', 'Herr Lukasz Nowak'],
    ['Renée', 'Frau Renee'],
    ['Steuer', 'Die Steuern sind bezahlt.'],
    ['Bauer', 'Der Bauer, des Bauern'],
    ["O'Brien", 'Herr O’Brien'],
    ['E-Mail', 'Die E-Mail kam an.'],
    ['Ku\u0308ndigung', 'Kündigung'],
    ['Kün\u00addigung', 'Kündigung'],
    ['Кравченко', 'Herr Кравченко'],
  ])('for %s finds "%s"', async (query, text) => {
    expect(found([await segmentOf(aRecord('a', text))], query)).toEqual(['a'])
  })

  it.each([
    ['Kunde', 'Die Kündigung ging zu.'],
    ['Erbe', 'Der Werbevertrag, ein Gewerbe.'],
    ['Teil', 'Das Urteil und der Vorteil'],
    ['Art', 'Der Partner im Garten'],
    ['Miete', 'Er vermied es.'],
    ['neun', 'ein neuer Termin'],
  ])('for %s does not find "%s"', async (query, text) => {
    expect(found([await segmentOf(aRecord('a', text))], query)).toEqual([])
  })

  it.each([
    ['Beklagten', 'Anlage BE12 vom Beklagten vorgelegt'],
    ['3.05.2026', 'Anlage BE12 vom 3.05.2026 an den Kläger'],
    ['"Anlage BE 12 vom Beklagten"', 'Anlage BE12 vom Beklagten vorgelegt'],
    ['Zeugen', 'hat es 20 Zeugen vor und nach'],
  ])('for %s finds "%s", which is no IBAN', async (query, text) => {
    expect(found([await segmentOf(aRecord('a', text))], query)).toEqual(['a'])
  })

  it.each([
    ['2026', '2 026 Fälle'],
    ['2026', '2 026 europäische Fälle'],
    ['20100', 'am 20 100 Zeugen'],
  ])('for %s does not find "%s", which is no amount', async (query, text) => {
    expect(found([await segmentOf(aRecord('a', text))], query)).toEqual([])
  })

  it.each([
    ['§ 573c Abs. 2 BGB', 'nach § 573 c Abs. 2 BGB'],
    ['§573c Abs.2 BGB', 'nach § 573c Abs. 2 BGB'],
    ['§ 573c', 'nach §§ 573c, 574 BGB'],
    ['VII ZR 12/26', 'Urteil VIIZR12/26'],
    ['VIIZR12/26', 'BGH, VII ZR 12 / 26'],
    ['viizr12/26', 'BGH VII ZR 12/26'],
    ['VIIZR 12/26', 'BGH, VII ZR 12/26'],
    ['BGH viizr 12 / 26', 'BGH VIIZR12/26'],
    ['5AZR123/26', 'BAG, 5 AZR 123/26'],
    ['12O345/26', 'LG Köln 12 O 345/26'],
    ['0012/26', 'Unser Zeichen: 0012 / 26'],
    ['0012 / 26', 'Unser Zeichen: 0012/26'],
    ['DE89 3704 0044 0532 0130 00', 'IBAN DE89370400440532013000, BIC'],
    ['DE89370400440532013000', 'IBAN: DE89 3704 0044 0532 0130 00 BIC COBADEFF'],
    ['de89 37040044 0532013000', 'DE89 3704 0044 0532 0130 00'],
    ['NL91ABNA0417164300', 'NL91 ABNA 0417 1643 00'],
    ['nl 91 abna 0417 1643 00', 'IBAN NL91ABNA0417164300'],
    ['DE89370400440532013000', 'IBAN: DE 89 3704 0044 0532 0130 00'],
    ['DE 89 3704 0044 0532 0130 00', 'DE89370400440532013000'],
    ['DE89370400440532013000', 'IBAN: DE89  3704  0044  0532  0130  00'],
    ['DE12 3456 7890 1234 5678 90', 'mit Schreibfehler: DE12345678901234567890'],
    ['MT84MALT011000012345MTLCAST001S', 'MT84 MALT 0110 0001 2345 MTLC AST0 01S.'],
    ['12345,67', 'über 12.345,67 €'],
    ['12.345,67', 'über 12345,67 Euro'],
    ['12 345,67', 'EUR 12.345,67'],
    ['12.345,67 €', 'EUR 12 345,67'],
    ['1234567,89', '1.234.567,89 EUR'],
    ['12345', 'CHF 12’345.00'],
    ['98 765 EUR', 'EUR 98.765'],
    ['98 765 eur', '98.765 EUR'],
    ['EUR 98 765', 'über 98.765,00 EUR'],
    ['98765', 'in Höhe von EUR 98 765 und'],
    ['98765', 'in Höhe von 98 765,- EUR'],
    ['98.765', 'in Höhe von 98 765,– EUR'],
    ['20 000 €', 'über 20.000 €'],
    ['4 723 €', 'über 4723 €'],
    ['€ 1 234 567', '1.234.567,00 €'],
    ['"mit 98 765 Euro"', 'mit 98.765 Euro'],
    ['27.11.2026', 'am 27. 11. 2026'],
  ])('for %s finds "%s", however it is spaced', async (query, text) => {
    const others = aRecord(
      'b',
      '§ 573d Abs. 3 VIII ZR 13/26 0013/26 12.346,67 DE88 3704 0044 0532 0130 01 28.11.2026',
    )

    expect(found([await segmentOf(aRecord('a', text), others)], query)).toEqual(['a'])
  })
})

describe('a compound', () => {
  /** Texts of a firm that contain the parts as separate words. */
  const parts =
    'Miete Vertrag Kündigung Frist Arbeit Gericht Schaden Ersatz Haus Verwaltung Wohnung Raum Recht Anwalt Amt Erbe Schein Tag Satz Betrieb Kosten Abrechnung Versicherung Nehmer Partner Werk Bund Verfassung Beschwerde Zahlung Befehl Grund Stück Kauf Preis Minderung Unfall Flucht Eigentum Wohnen'

  it.each([
    ['Vertrag', 'Mietvertrag'],
    ['Verträge', 'Mietverträgen'],
    ['Miete', 'Mietvertrag'],
    ['Frist', 'Kündigungsfrist'],
    ['Kündigung', 'Kündigungsfristen'],
    ['kündigungen', 'Kündigungsfrist'],
    ['Gericht', 'Arbeitsgericht'],
    ['Gericht', 'Amtsgerichts'],
    ['Amt', 'Amtsgericht'],
    ['Ersatz', 'Schadensersatz'],
    ['Schaden', 'Schadenersatz'],
    ['Verwaltung', 'Hausverwaltung'],
    ['Wohnraum', 'Wohnraummietvertrag'],
    ['Miete', 'Wohnraummietvertrag'],
    ['Vertrag', 'Wohnraummietvertrag'],
    ['Mietvertrag', 'Wohnraummietvertrag'],
    ['Anwalt', 'Rechtsanwälte'],
    ['Erbe', 'Erbschein'],
    ['Tag', 'Tagessatz'],
    ['Betriebskosten', 'Betriebskostenabrechnung'],
    ['Abrechnung', 'Betriebskostenabrechnungen'],
    ['Nehmer', 'Versicherungsnehmer'],
    ['Partner', 'Vertragspartner'],
    ['Werk', 'Werkvertrag'],
    ['Verfassung', 'Bundesverfassungsgericht'],
    ['Beschwerde', 'Verfassungsbeschwerde'],
    ['Zahlung', 'Zahlungsbefehl'],
    ['Grundstück', 'Grundstückskaufvertrag'],
    ['Kauf', 'Grundstückskaufvertrag'],
    ['Preis', 'Kaufpreisminderung'],
    ['Unfall', 'Unfallflucht'],
    ['Wohnung', 'Wohnungseigentum'],
  ])('is found by %s: %s', async (query, compound) => {
    const segment = await segmentOf(aRecord('a', `Hier steht ${compound} im Text.`), aRecord('parts', parts))

    expect(found([segment], query)).toContain('a')
  })

  it('is not found by a part if the other part is not a word of the texts', async () => {
    const segment = await segmentOf(aRecord('a', 'Der Leasingvertrag läuft.'), aRecord('b', 'Ein Vertrag'))

    expect(found([segment], 'Vertrag')).toEqual(['b'])
  })

  it('is found as soon as another segment contains the other part', async () => {
    const first = await segmentOf(aRecord('a', 'Der Leasingvertrag läuft.'), aRecord('b', 'Ein Vertrag'))
    const later = await segmentOf(aRecord('c', 'Leasing ist teuer.'))

    expect(found([first, later], 'Vertrag').toSorted()).toEqual(['a', 'b'])
  })

  it('is not found if its other part occurs only in records that the caller may not read', async () => {
    const mine = await segmentOf(aRecord('a', 'Der Leasingvertrag läuft.'), aRecord('b', 'Ein Vertrag'))
    const secret = await segmentOf(aRecord('c', 'Leasing ist teuer.', { access: 'confidential' }))
    const mayRead = (access: string) => access === 'documents'

    expect(found([mine, secret], 'Vertrag', { mayRead })).toEqual(['b'])
  })

  it('does not match a phrase', async () => {
    const segment = await segmentOf(aRecord('a', 'Der Mietvertrag'), aRecord('b', 'Miete, Vertrag'))

    expect(found([segment], '"Vertrag"')).toEqual(['b'])
  })
})
