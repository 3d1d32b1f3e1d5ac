import MiniSearch from 'minisearch'
import { describe, expect, it } from 'vitest'
import { analyse } from '#search/analyse.ts'
import { aRecord, found, segmentOf } from './an-index.ts'

/** Title and text of documents of a firm. */
const texts: Record<string, [title: string, text: string]> = {
  mietvertrag: [
    'Mietvertrag Schmidt.pdf',
    'Mietvertrag über Wohnraum. Die Miete beträgt 950,00 EUR. Die Kaution beträgt drei Monatsmieten. Kündigungsfrist nach § 573c BGB.',
  ],
  kuendigungMiete: [
    'Kündigung Wohnung.pdf',
    'Wir kündigen das Mietverhältnis fristlos wegen Zahlungsverzugs, hilfsweise ordentlich. Die Kündigung stützt sich auf § 543 Abs. 2 BGB.',
  ],
  kuendigungArbeit: [
    'Kündigung Arbeitsverhältnis.pdf',
    'Hiermit kündigen wir das Arbeitsverhältnis ordentlich zum 31.03.2026. Der Betriebsrat wurde gehört.',
  ],
  klage: [
    'Kündigungsschutzklage.docx',
    'Es wird beantragt festzustellen, dass das Arbeitsverhältnis durch die Kündigung nicht aufgelöst ist. Die soziale Rechtfertigung wird bestritten. Arbeitsgericht Köln.',
  ],
  raeumung: [
    'Räumungsklage.docx',
    'Der Beklagte wird verurteilt, die Wohnung zu räumen und herauszugeben. Der Mietrückstand beträgt 2.850,00 EUR.',
  ],
  urteilBgh: [
    'BGH VII ZR 12_26.pdf',
    'Urteil des Bundesgerichtshofs vom 12.02.2026, VII ZR 12/26. Werkvertrag, Abnahme, Mängel. Die Verjährung beginnt mit der Abnahme.',
  ],
  gutachtenBau: [
    'Gutachten Sachverständiger.pdf',
    'Der Sachverständige stellt Mängel am Dach und Feuchtigkeit im Keller fest. Die Beseitigung der Mängel kostet 18.400,00 EUR.',
  ],
  gutachtenUnfall: [
    'Gutachten Unfall.pdf',
    'Gutachten zum Verkehrsunfall. Der Schaden am Fahrzeug beträgt 7.320,50 EUR, die Wertminderung 600,00 EUR.',
  ],
  versicherung: [
    'Schreiben Versicherung.pdf',
    'Die Haftpflichtversicherung reguliert den Schaden aus dem Unfall zu 70 Prozent. Eine Mithaftung wird eingewandt.',
  ],
  rechnung: [
    'Rechnung 2026-0042.pdf',
    'Kostenrechnung Nr. 0042/26. Geschäftsgebühr 1,3, Auslagenpauschale, Umsatzsteuer. Bitte überweisen Sie auf DE89 3704 0044 0532 0130 00.',
  ],
  mahnung: [
    'Mahnung.pdf',
    'Trotz Fälligkeit haben Sie unsere Rechnung nicht bezahlt. Wir mahnen und setzen eine Frist bis zum 15.04.2026.',
  ],
  testament: [
    'Testament.pdf',
    'Ich setze meine Tochter Anna zur Alleinerbin ein. Mein Sohn erhält den Pflichtteil. Das Haus in Bonn geht an Anna.',
  ],
  erbschein: [
    'Erbscheinsantrag.docx',
    'Antrag auf Erteilung eines Erbscheins beim Amtsgericht, Nachlassgericht. Der Erblasser verstarb am 02.01.2026.',
  ],
  scheidung: [
    'Scheidungsantrag.docx',
    'Die Ehe der Beteiligten wird geschieden. Der Versorgungsausgleich ist durchzuführen. Zugewinn wird gesondert geltend gemacht.',
  ],
  unterhalt: [
    'Unterhalt Berechnung.xlsx',
    'Berechnung des Kindesunterhalts nach der Düsseldorfer Tabelle. Zahlbetrag 486,00 EUR monatlich.',
  ],
  vollmacht: [
    'Vollmacht.pdf',
    'Hiermit erteile ich Rechtsanwältin Müller Vollmacht in der Sache Schmidt gegen Hausverwaltung GmbH.',
  ],
  protokoll: [
    'Protokoll Verhandlung.pdf',
    'Protokoll der mündlichen Verhandlung. Die Parteien schließen einen Vergleich. Der Vergleich wird widerruflich geschlossen.',
  ],
  vergleich: [
    'Vergleich.pdf',
    'Die Parteien schließen folgenden Vergleich. Der Beklagte zahlt eine Abfindung von 12.000,00 EUR.',
  ],
  beschluss: [
    'Beschluss Kosten.pdf',
    'Kostenfestsetzungsbeschluss. Die Kosten werden auf 1.876,23 EUR festgesetzt, nebst Zinsen in Höhe von fünf Prozentpunkten.',
  ],
  akteneinsicht: [
    'Akteneinsicht.pdf',
    'Wir bitten um Einsicht in die Ermittlungsakte 110 Js 345/26 der Staatsanwaltschaft Köln.',
  ],
  fristsache: [
    'Fristverlängerung.pdf',
    'Wir beantragen, die Frist zur Begründung der Berufung um einen Monat zu verlängern.',
  ],
  berufung: [
    'Berufungsbegründung.docx',
    'Die Berufung rügt die Verletzung materiellen Rechts. Das Landgericht hat die Verjährung zu Unrecht verneint.',
  ],
}

/** Queries, each with the documents of which a lawyer expects one first. */
const judged: [question: string, wanted: (keyof typeof texts)[]][] = [
  ['Mietvertrag', ['mietvertrag']],
  ['Kündigung Wohnung', ['kuendigungMiete']],
  ['Kündigung Arbeitsverhältnis', ['kuendigungArbeit', 'klage']],
  ['Kündigungsschutzklage', ['klage']],
  ['Mängel', ['gutachtenBau', 'urteilBgh']],
  ['Mängel Dach', ['gutachtenBau']],
  ['Gutachten Unfall', ['gutachtenUnfall']],
  ['Schaden Versicherung', ['versicherung']],
  ['Rechnung', ['rechnung']],
  ['Mahnung Rechnung', ['mahnung']],
  ['VII ZR 12/26', ['urteilBgh']],
  ['Verjährung Abnahme', ['urteilBgh']],
  ['Pflichtteil', ['testament']],
  ['Erbscheins Amtsgericht', ['erbschein']],
  ['Vergleich', ['vergleich', 'protokoll']],
  ['Vergleich Abfindung', ['vergleich']],
  ['Berufung', ['berufung', 'fristsache']],
  ['Frist Berufung', ['fristsache']],
  ['Kosten Zinsen', ['beschluss']],
  ['Vollmacht Schmidt', ['vollmacht']],
]

describe('the ranking of twenty queries with known best results', () => {
  it('is as good as the ranking of another engine, and mostly has the best document first', async () => {
    const records = Object.entries(texts).map(([id, [title, text]]) =>
      aRecord(String(id), text, { titles: [title] }),
    )
    const segments = [await segmentOf(...records.slice(0, 9)), await segmentOf(...records.slice(9))]
    const terms = (text: string) => analyse(text).map(({ term }) => term)
    const other = new MiniSearch<{ id: string; title: string; text: string }>({
      fields: ['title', 'text'],
      tokenize: terms,
      processTerm: (term) => term,
      searchOptions: { boost: { title: 2 }, combineWith: 'AND' },
    })
    other.addAll(Object.entries(texts).map(([id, [title, text]]) => ({ id, title, text })))

    const ours = judged.map(([question, wanted]) => reciprocalRank(found(segments, question), wanted))
    const theirs = judged.map(([question, wanted]) =>
      reciprocalRank(
        other.search(question).map(({ id }) => String(id)),
        wanted,
      ),
    )

    expect(judged.length).toBe(20)
    expect(mean(ours)).toBeGreaterThanOrEqual(0.9)
    expect(mean(ours)).toBeGreaterThanOrEqual(mean(theirs))
  })
})

describe('the rank of a record', () => {
  it('grows with the occurrences of a word; a title counts more than two, a compound less than one', async () => {
    const others = 'Miete und Frist, sonst steht hier nichts von Belang'
    const segment = await segmentOf(
      aRecord('compound', `Mietvertrag ${others} Text Text`),
      aRecord('once', `Vertrag ${others} Text Text`),
      aRecord('title', `${others} Text Text`, { titles: ['Vertrag'] }),
      aRecord('twice', `Vertrag Vertrag ${others} Text`),
    )

    expect(found([segment], 'Vertrag')).toEqual(['title', 'twice', 'once', 'compound'])
    expect(found([segment], 'Vertr*').slice(0, 3)).toEqual(['title', 'twice', 'once'])
  })
})

function reciprocalRank(ids: string[], wanted: readonly (string | number)[]): number {
  const at = ids.findIndex((id) => wanted.includes(id))
  return at === -1 ? 0 : 1 / (at + 1)
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
