import { describe, expect, it } from 'vitest'
import { findDeadlineHints } from '#triage/deadline-hints.ts'

const today = '2026-11-20'
const hintsIn = (text: string) =>
  findDeadlineHints(text, today).map(({ date, period }) => date ?? `${period?.count} ${period?.unit}`)

describe('hints of time limits', () => {
  it.each([
    ['Stellungnahme binnen zwei Wochen nach Zustellung.', '2 week'],
    ['Die Frist beträgt einen Monat ab Bekanntgabe.', '1 month'],
    ['Es wird eine Frist von einem Monat gesetzt.', '1 month'],
    ['Bitte zahlen Sie innerhalb von 14 Tagen.', '14 day'],
    ['Bitte zahlen Sie innerhalb der nächsten 10 (zehn) Tage.', '10 day'],
    ['Der Widerspruch ist innerhalb eines Monats zu erheben.', '1 month'],
    ['binnen einer Notfrist von zwei Wochen', '2 week'],
    ['Wir erbitten Antwort bis zum 15.12.2026.', '2026-12-15'],
    ['Wir erbitten Antwort bis 15.12.26.', '2026-12-15'],
    ['Wir erbitten Antwort bis spätestens Freitag, den 4. Dezember 2026.', '2026-12-04'],
    ['Wir erbitten Antwort bis zum 5. Jan.', '2027-01-05'],
    ['spätestens am 27.11. hier eingehend', '2026-11-27'],
    ['Die Frist wird bis zum 15. Dezember 2026 verlängert.', '2026-12-15'],
    ['Die Stellungnahmefrist endet am 01.12.2026.', '2026-12-01'],
    ['Frist: 14.12.2026', '2026-12-14'],
    ['Stellungnahmefrist: 14.12.2026', '2026-12-14'],
    ['Fristablauf Montag, 14.12.2026', '2026-12-14'],
    ['Frist: Dienstag, den 15.12.2026', '2026-12-15'],
    ['Die Frist 01.12.2026 wird antragsgemäß bis zum 22.12.2026 verlängert.', '2026-12-22'],
    ['Frist: 1.12.2026, verlängert bis zum 15.12.2026', '2026-12-15'],
    ['Notfrist: 2 Wochen', '2 week'],
    ['Die Frist ist gewahrt. Am 3.12.2026 kommt er.', undefined],
    ['Frist 3. Mahnung vom 1.12.2026', undefined],
    ['Fristverlängerung 14.12.2026', undefined],
    ['Frist: 14.10.2026', undefined],
    ['Die Frist lief am 15.11.2026 ab.', undefined],
    ['Termin am 15.12.2026, 10:30 Uhr', undefined],
    ['Ich bin bis zum 30.11.2026 nicht erreichbar.', undefined],
    ['Ich bin bis zum 30.11.2026 nicht im Buero.', undefined],
    ['Ich bin bis zum 30.11.2026 ausser Haus.', undefined],
    ['Ich bin im Urlaub und bitte, den Antrag bis zum 30.11.2026 zu begruenden.', '2026-11-30'],
    ['Bitte antworten Sie bis spaetestens 15. Maerz 2027.', '2027-03-15'],
    ['spaetestens am 27.11. hier eingehend', '2026-11-27'],
    ['bis einschliesslich 15.12.2026', '2026-12-15'],
    ['Zahlen Sie binnen fuenf Wochen.', '5 week'],
    ['Zahlen Sie binnen dreissig Tagen.', '30 day'],
    ['Zahlen Sie binnen 14 Kalendertagen.', '14 day'],
    ['Frist zur Stellungnahme: 3. März 2027.', '2027-03-03'],
    ['Die Frist endet mit Ablauf des 3. März 2027.', '2027-03-03'],
    ['Am 15.12.2026 läuft die Begründungsfrist ab.', '2026-12-15'],
    ['Mit Ablauf des 15. Dezember 2026 endet die Frist.', '2026-12-15'],
    ['Fristende ist der 15.12.2026.', '2026-12-15'],
    ['Für den Eingang haben wir uns den 15.12.2026 vorgemerkt.', '2026-12-15'],
    ['Die Begründung ist nicht später als am 15.12.2026 einzureichen.', '2026-12-15'],
    ['Der Anspruch verjährt mit Ablauf des 31.12.2026.', '2026-12-31'],
    ['Gelegenheit zur Stellungnahme bis Mittwoch, 09.12.2026', '2026-12-09'],
    ['Gelegenheit zur Stellungnahme bis Fr., 11.12.2026', '2026-12-11'],
    ['Gelegenheit zur Stellungnahme bis Fr 11.12.2026', '2026-12-11'],
    ['Gelegenheit zur Stellungnahme bis Ablauf des 11.12.2026', '2026-12-11'],
    ['Gelegenheit zur Stellungnahme bis inkl. 11.12.2026', '2026-12-11'],
    ['Gelegenheit zur Stellungnahme bis: 11.12.2026', '2026-12-11'],
    ['Gelegenheit zur Stellungnahme binnen Monatsfrist', '1 month'],
    ['Es gilt die Zweiwochenfrist des § 339 ZPO.', '2 week'],
    ['Es gilt eine 2-Wochen-Frist.', '2 week'],
    ['Dem Kläger wird eine dreiwöchige Frist zur Replik gesetzt.', '3 week'],
    ['Dem Kläger wird eine 14-tägige Stellungnahmefrist gesetzt.', '14 day'],
    ['Es wird eine Frist von 2 Wo. gesetzt.', '2 week'],
    ['Die Akten sind binnen drei Werktagen zurückzugeben.', '3 day'],
    ['Die Begründung ist binnen neun Monaten einzureichen.', '9 month'],
    ['Ihre Stellungnahme erbitte ich längstens in zwei Wochen.', '2 week'],
    ['Einspruch ist spätestens zwei Wochen nach Zustellung einzulegen.', '2 week'],
    ['Schriftsätze sind spätestens zwei Wochen vor dem Termin am 15.12.2026 einzureichen.', '2 week'],
    ['Schriftsätze sind bis eine Woche vor dem Termin am 15.12.2026 einzureichen.', undefined],
    ['Schriftsätze sind bis 1 Woche vor dem Termin am 15.12.2026 einzureichen.', '1 week'],
    [
      'Die Klage gilt als zurückgenommen, wenn er das Verfahren länger als zwei Monate nicht betreibt.',
      '2 month',
    ],
    ['Die Frist wird verlängert auf Dienstag, den 15.12.2026.', '2026-12-15'],
    ['Melden Sie sich bis zum 30.11 bei uns.', '2026-11-30'],
    ['Rückruf bis 10.30 Uhr', undefined],
    ['Antwort bis 12.30 mittags am 4.12.2026', '2026-12-04'],
    ['Zinsen bis zu 3.12 Prozent', undefined],
    ['Antwort bis zum 1O.12.2O26.', '2026-12-10'],
    ['Antwort bis zum l5.12.2026.', '2026-12-15'],
    ['Zahlen Sie innerhalb von z w e i Wochen.', '2 week'],
    ['Zahlen Sie innerhalb von z w e i  W o c h e n.', '2 week'],
    ['Zahlen Sie innerhalb von z w e i W o c h e n.', '2 week'],
    ['Sie haben einen Monat Zeit, Widerspruch zu erheben.', '1 month'],
    ['Wir erbitten Ihre Antwort innerhalb der nächsten zehn Tage.', '10 day'],
    ['Bitte senden Sie die Unterlagen binnen zwei weitere Wochen.', '2 week'],
    ['Wir erbitten Antwort bis 2026-12-14.', '2026-12-14'],
    ['Antwort erbeten bis zum 2026-12-14T12:00', '2026-12-14'],
    ['Frist: 2026-12-14', '2026-12-14'],
    ['Abgabe spätestens am 2026-12-14, 12:00 Uhr', '2026-12-14'],
    ['Antwort bis 2026-12-14, nicht erst am 18.12.2026', '2026-12-14'],
    ['Wir erbitten Antwort bis 4/12/2026.', '2026-12-04'],
    ['Frist: 04/12/2026', '2026-12-04'],
    ['Wir erbitten Antwort bis 4/12/26.', '2026-12-04'],
    ['Wir erbitten Antwort bis 04-12-2026.', '2026-12-04'],
    ['Frist: 4-12-2026', '2026-12-04'],
    ['Stellungnahme bis spätestens Az. 4-12-2026', undefined],
    ['Frist zu Az. 4/12/26', undefined],
    ['Stellungnahme bis spätestens Az. 4/12/26', undefined],
    ['Am 15/12/2026 endet die Frist.', '2026-12-15'],
    ['Wir erbitten Antwort bis Freitag, 12/18/2026.', '2026-12-18'],
    ['Wir erbitten Antwort bis 14/15/2026.', undefined],
    ['Die Frist in der Sache 4/12/2026/3 läuft.', undefined],
    ['Frist zu Az. 10/26', undefined],
    ['Am 2026-12-15 endet die Frist.', '2026-12-15'],
    ['Frist: 2026-10-14', undefined],
    ['Antwort bis 2026-11-31', undefined],
    ['Antwort bis 2026-13-14', undefined],
    ['Artikel bis 2026-12-1400', undefined],
    ['Geben Sie die Erklärung binnen 24 Stunden ab.', '1 day'],
    ['Wir erwarten Ihre Antwort innerhalb von achtundvierzig (48) Stunden.', '2 day'],
    ['Rückmeldung binnen 72 Std. nach Zugang', '3 day'],
    ['Zahlen Sie binnen 12 Stunden.', '1 day'],
    ['Es gilt eine 24-Stunden-Frist.', '1 day'],
    ['Sie haben 36 Stunden Zeit, den Antrag zurückzunehmen.', '1 day'],
    ['Innerhalb der letzten 24 Stunden kam niemand.', undefined],
    ['Der Gläubiger hat die Vollstreckung länger als ein Jahr nicht betrieben.', undefined],
    ['Die Sache gilt als erledigt, wenn sie länger als drei Monate nicht betrieben wird.', '3 month'],
    ['Bitte senden Sie uns die Unterlagen vor dem 14.12. zu.', '2026-12-13'],
    ['Die Unterlagen müssen noch vor dem 1. Dezember 2026 hier eingehen.', '2026-11-30'],
    ['Wir bitten, den Betrag vor Ablauf des 14.12.2026 zu überweisen.', '2026-12-14'],
    ['Wenn Sie nicht vor dem 14.12.2026 zahlen, müssen Sie mit einer Klage rechnen.', '2026-12-13'],
    ['Bitte reichen Sie die Unterlagen nicht vor dem 14.12. ein.', undefined],
    ['Der Vertrag wird vor dem 14.12.2026 geschlossen.', undefined],
    ['Vor dem 14.12. kann ich nicht liefern.', undefined],
    ['Bitte zahlen Sie spätestens eine Woche vor dem 14.12.2026.', '1 week'],
    ['Vor dem 2. Senat müssen Sie Stellung nehmen.', undefined],
    ['Ich muss in 2 Wochen auf den Bescheid antworten.', '2 week'],
    ['Bitte überweisen Sie den Betrag in zehn Tagen.', '10 day'],
    ['In drei Tagen läuft die Frist ab.', '3 day'],
    ['Bitte überweisen Sie den Betrag in den nächsten 10 Tagen.', '10 day'],
    ['Ich bin in den nächsten zwei Wochen im Büro.', undefined],
    ['Wir bitten um etwas Geduld und nehmen in den nächsten zwei Wochen Stellung.', undefined],
    ['Ich bin in zwei Wochen wieder im Büro.', undefined],
    ['Bitte melden Sie sich in zwei Wochen wieder.', undefined],
    ['In zwei Wochen beginnt die Verhandlung.', undefined],
    ['Frist zur Stellungnahme auf die Klageerwiderung der Beklagten vom 2.11.2026 von drei Wochen', '3 week'],
    ['Die Kündigungsfrist beträgt drei Monate zum Quartalsende.', undefined],
    ['Wir löschen Ihre Daten nach der Aufbewahrungsfrist von zehn Jahren.', undefined],
    ['Innerhalb der letzten zwei Wochen kam niemand.', undefined],
    ['Die Frist beginnt am 15.12.2026.', undefined],
    ['Die Zahlung ist bis heute nicht eingegangen. Sie ist am 15.12.2026 fällig.', undefined],
    ['Vielen Dank und bis bald', undefined],
    ['bis zum 31.02.2027', undefined],
    ['drei Tage Akteneinsicht', undefined],
    ['Die Kündigungsfrist beträgt drei Monate. Das Arbeitsverhältnis endet am 31.12.2026.', undefined],
    ['Wir kündigen fristgerecht. Das Arbeitsverhältnis endet am 31.12.2026.', undefined],
    ['Am 31.12.2026 endet die Kündigungsfrist.', undefined],
    ['Bitte bestätigen Sie: Ich habe mir den 15.12.2026 um 10 Uhr notiert.', undefined],
    ['Bitte geben Sie mir noch zwei Wochen Zeit.', undefined],
    ['Zahlen Sie binnen 2 (in Worten: zwei) Wochen.', '2 week'],
    ['Der Widerspruch ist bis zum Ablauf eines Monats einzulegen.', '1 month'],
    ['Die Beschwerde ist bis zum Ablauf von sechs Monaten nach Zustellung einzulegen.', '6 month'],
    ['Einspruch: zwei Wochen ab Zustellung', '2 week'],
    ['Sie erhalten das Paket zwei Wochen ab Zugang der Zahlung.', undefined],
    ['Melden Sie sich vor dem 14.12. zum Webinar an.', undefined],
    ['Mein letzter Tag ist der 9.12.2026, bitte wenden Sie sich an Frau Lang.', undefined],
    ['Nehmen Sie innerhalb der Frist (15.12.2026) Stellung.', '2026-12-15'],
    ['Frist zur Klageerwiderung – 15.12.2026', '2026-12-15'],
    ['Am Freitag, 4.12.2026, läuft die Frist ab.', '2026-12-04'],
    ['Am 4.12.2026 ist Fristablauf.', '2026-12-04'],
    ['Wir haben uns den 15.12.2026 als Frist notiert.', '2026-12-15'],
    ['Wir haben uns den 15.12.2026 für den Besprechungstermin notiert.', undefined],
    ['Gelegenheit zur Stellungnahme bis incl. 11.12.2026', '2026-12-11'],
    ['Schriftsatzschluss ist der 22.12.2026.', '2026-12-22'],
    [
      'Als Zeitpunkt, bis zu dem gemäß § 128 Abs. 2 Satz 2 ZPO Schriftsätze eingereicht werden können, wird der 22.12.2026 bestimmt.',
      '2026-12-22',
    ],
    ['Ich beantrage, die am 9.12.2026 ablaufende Frist zu verlängern.', '2026-12-09'],
    ['Die am 9.12.2026 ablaufende Frist wird bis zum 23.12.2026 verlängert.', '2026-12-23'],
    ['Die Frist läuft mit dem 9.12.2026 ab.', '2026-12-09'],
    ['Letzter Tag für die Einlegung ist der 9.12.2026.', '2026-12-09'],
    ['Deadline: 9.12.2026', '2026-12-09'],
    ['Melden Sie sich vor dem 14.12. bei uns.', '2026-12-13'],
    ['Der Zeitpunkt für Schriftsätze ist vorbei, Verkündungstermin ist der 22.12.2026.', undefined],
  ])('%s: %s', (text, hint) => {
    expect(hintsIn(text)).toEqual(hint === undefined ? [] : [hint])
  })

  it.each([
    ['Stellungnahme binnen zwei\nWochen ab Zustellung.', '2 week'],
    ['Es gilt eine Notfrist von einem\nMonat.', '1 month'],
    ['binnen zwei\n(2) Wochen', '2 week'],
    ['binnen zwei (2)\nWochen', '2 week'],
    ['binnen zwei weiteren\nWochen', '2 week'],
    ['Wir erbitten Antwort bis\nzum 15.12.2026.', '2026-12-15'],
    ['Wir erbitten Antwort bis\n15.12.2026.', '2026-12-15'],
    ['Wir erbitten Antwort bis\nFreitag, den 4.\nDezember 2026.', '2026-12-04'],
    ['Wir erbitten Antwort bis zum 15.\nDezember 2026.', '2026-12-15'],
    ['Wir erbitten Antwort bis zum 15. Januar\n2028.', '2028-01-15'],
    ['Wir erbitten Antwort bis zum 15. 12.\n2026.', '2026-12-15'],
    ['Wir erbitten Antwort bis zum 15.\n12. 2026.', '2026-12-15'],
    ['Die Frist wird auf\nden 15.12.2026 verlängert.', '2026-12-15'],
    ['Wir erbitten Antwort bis\tzum 15.12.2026.', '2026-12-15'],
    ['Ich bin bis\nzum 30.11.2026 nicht\nerreichbar.', undefined],
    ['Stellungnahme binnen zwei Wo-\nchen ab Zustellung.', '2 week'],
    ['Stellungnahme inner-\nhalb von zwei Wochen.', '2 week'],
    ['Stellungnahme binnen zwei Wo\u00adchen oder zwei Wo\u00ad\nchen.', '2 week'],
    ['Wir erbitten Antwort bis zum 15. De-\nzember 2026.', '2026-12-15'],
    ['Die Frist wird auf den 15.12.2026 verlän-\ngert.', '2026-12-15'],
    ['Die Klage-\nund Begründungsfrist beträgt einen Monat.', '1 month'],
  ])('reads over the end of a printed line in %j: %s', (text, hint) => {
    expect(hintsIn(text)).toEqual(hint === undefined ? [] : [hint])
  })

  it('quotes a broken word as one, and a hanging hyphen as it is printed', () => {
    const text = 'Die Berufungs-\nund Begründungs-\nfrist beträgt zwei Mo\u00ad\nnate.'

    expect(findDeadlineHints(text, today).map((hint) => hint.text)).toEqual([
      'Die Berufungs- und Begründungsfrist beträgt zwei Monate.',
    ])
  })

  it.each([
    ['Antwort binnen zwei\n\nWochen', undefined],
    ['Die Beschwerde ist bis\n\n4. Dezember 2026\n\nzu begründen.', '2026-12-04'],
    ['Mietzeitraum von bis\n01.12.2026 31.12.2026', undefined],
    ['Wir erbitten davon bis\nzum 15.12.2026 zwei Exemplare.', '2026-12-15'],
    ['Antwort bis zum 15.12.\n12 Anlagen', '2026-12-15'],
    ['Antwort bis zum 15. Dezember\n20 Anlagen', '2026-12-15'],
    ['Antwort bis zum 15.12.\t20 Anlagen', '2026-12-15'],
    ['Fristen zum\n1.\n12.12.2026 Klage', '2026-12-12'],
    ['Anlage zur Frist 3\nMonatsmiete', undefined],
    ['Frist siehe Seite 2\nTag der Zustellung: 3.12.2026', undefined],
    ['Die Frist beträgt 2\nTage.', '2 day'],
  ])('does not join paragraphs and table rows in %j: %s', (text, hint) => {
    expect(hintsIn(text)).toEqual(hint === undefined ? [] : [hint])
  })

  it.each([
    ['Bitte nehmen Sie zum Anspruch auf Urlaubsabgeltung bis zum 15.12.2026 Stellung.', '2026-12-15'],
    ['Bitte nehmen Sie zum Anspruch des Klägers auf Urlaub bis zum 15.12.2026 Stellung.', '2026-12-15'],
    ['Dazu, der Kläger habe Urlaub genommen, äußern Sie sich bis zum 15.12.2026.', '2026-12-15'],
    ['Die Frist wird wegen Urlaubs des Sachbearbeiters bis zum 15.12.2026 verlängert.', '2026-12-15'],
    ['Sollten Sie verhindert sein, teilen Sie dies bitte bis zum 10.12.2026 mit.', '2026-12-10'],
    ['Sind Sie am Termin verhindert, teilen Sie dies bitte bis zum 10.12.2026 mit.', '2026-12-10'],
    ['Teilen Sie bis zum 10.12.2026 mit, ob Sie am Termin verhindert sind.', '2026-12-10'],
    ['Ladung\nIst ein Beteiligter verhindert, so hat er dies bis zum 10.12.2026 anzuzeigen.', '2026-12-10'],
    ['Wer ohne Verschulden verhindert war, kann binnen zwei Wochen Antrag stellen.', '2 week'],
    ['Die Räumung kann nur verhindert werden, wenn Sie bis zum 10.12.2026 zahlen.', '2026-12-10'],
    ['Die Frist wird bis zum 15.12.2026 verlängert, weil der Bevollmächtigte in Urlaub ist.', '2026-12-15'],
    ['Falls Ihr Mandant im Urlaub ist, nehmen Sie bitte bis zum 15.12.2026 Stellung.', '2026-12-15'],
    ['Der Beklagte ist abwesend und kann binnen zwei Wochen Einspruch einlegen.', '2 week'],
    ['Der Sachverständige ist am 1.12. verhindert und erhält Frist bis 15.12.2026.', '2026-12-15'],
    ['Der Beamte im Dienst kann binnen eines Monats Widerspruch erheben.', '1 month'],
    ['Bitte melden Sie sich bis zum 15.12. Danach bin ich im Urlaub.', '2026-12-15'],
    ['Die Kanzlei hat einen Vergleich geschlossen, der bis zum 15.12.2026 widerruflich ist.', '2026-12-15'],
    ['Bitte zahlen Sie bis zum 15. Dezember 2026. Danach bin ich im Urlaub.', '2026-12-15'],
    ['Da ich ab dem 21.12. im Urlaub bin, bitte ich um Antwort bis zum 15.12.2026.', '2026-12-15'],
    [
      'Wir bitten um Antwort bis Dienstag, den 15.12.2026, da unser Büro danach geschlossen ist.',
      '2026-12-15',
    ],
    ['Ich bin verhindert und bitte um Antwort bis zum 15.12.2026.', '2026-12-15'],
    ['Der Zeuge ist im Urlaub, Atteste sind bis zum 15.12.2026 vorzulegen.', '2026-12-15'],
    ['Die Klägerin ist krank und hat bis zum 15.12.2026 Klage zu erheben.', '2026-12-15'],
    ['Wegen unserer Betriebsferien bitten wir um Zahlung bis zum 15.12.2026.', '2026-12-15'],
    [
      'Da die Kanzlei vom 23.12. bis 6.1. geschlossen ist, bitten wir um Antwort bis 15.12.2026.',
      '2026-12-15',
    ],
  ])('a time limit stays one in %j: %s', (text, hint) => {
    expect(hintsIn(text)).toEqual([hint])
  })

  it.each([
    [
      'Anzuzeigen ist die Verteidigung binnen zwei Wochen, zu erwidern innerhalb weiterer drei Wochen.',
      ['2 week', '3 week'],
    ],
    [
      'Der Kläger hat bis 30.11.2026, die Beklagte bis 14.12.2026 Stellung zu nehmen.',
      ['2026-11-30', '2026-12-14'],
    ],
    [
      'Es wird eine Frist von zwei Wochen zur Anzeige und von weiteren vier Wochen zur Erwiderung gesetzt.',
      ['2 week', '4 week'],
    ],
    ['Die Frist wird um zwei Monate bis zum 15.02.2027 verlängert.', ['2 month', '2027-02-15']],
    ['Die Frist von zwei Wochen ab Zustellung endet am 03.12.2026.', ['2 week', '2026-12-03']],
    ['Die Frist von zwei Wochen (§ 339 Abs. 1 ZPO) endet am 03.12.2026.', ['2 week', '2026-12-03']],
    ['Bitte senden Sie es binnen vier Wochen zu. Nach dem 18.12.2026 ist Schluss.', ['4 week']],
    [
      'Stellungnahme binnen einer Notfrist von zwei Wochen, spätestens am 15.12.2026',
      ['2 week', '2026-12-15'],
    ],
  ])('names every time limit of %j: %j', (text, hints) => {
    expect(hintsIn(text)).toEqual(hints)
  })

  it.each([
    'Ich bin bis zum 30.11.2026 nicht im Büro.',
    'Ich bin bis zum 30.11.2026 nicht im Dienst.',
    'Ich bin bis 30.11. nicht erreichbar.',
    'Wir sind vom 21.11. bis 30.11. nicht da.',
    'Ich bin bis zum 30.11.2026 im Urlaub.',
    'Ich bin bis zum 30.11.2026 in Urlaub.',
    'Ich bin bis zum 30.11.2026 auf Urlaub.',
    'Bin bis zum 30.11.2026 verhindert.',
    'Ich habe bis zum 30.11.2026 Urlaub.',
    'Ich habe vom 21.11. bis zum 30.11.2026 Urlaub.',
    'Frau Sommer ist vom 21.11. bis 30.11.2026 verhindert.',
    'Ich habe Urlaub bis zum 30.11.2026.',
    'Wir haben bis zum 30.11.2026 Urlaub.',
    'Frau Sommer hat bis 30.11.2026 Urlaub.',
    'Ich mache bis zum 30.11.2026 Urlaub.',
    'Er befindet sich bis 30.11.2026 im Erholungsurlaub.',
    'Betriebsurlaub bis 30.11.2026',
    'Wir sind bis zum 30.11.2026 außer Haus.',
    'Bis zum 30.11.2026 bin ich abwesend und danach wieder im Dienst.',
    'Herr Dr. Kessler ist bis 30.11.2026 verhindert.',
    'Ich bin bis zum 30.11.2026 krank.',
    'Bis zum 30.11.2026 befinde ich mich in Elternzeit.',
    'Ich bin bis zum 30.11.2026 auf einer Fortbildung.',
    'Da ich bis zum 30.11.2026 verhindert bin, vertritt mich Frau Sommer.',
    'Bitte beachten Sie, dass unsere Kanzlei bis zum 6.1.2027 geschlossen ist.',
    'Wir bitten um Verständnis, dass die Zahnarztpraxis bis 6.1.2027 geschlossen bleibt.',
    'Unser Büro bleibt vom 24.12. bis zum 6.1. geschlossen, wir bitten um Verständnis.',
    'Bitte beachten Sie unsere Betriebsferien bis zum 6.1.2027.',
    'Wir sind im Urlaub und bitten Sie um Geduld bis zum 6.1.2027.',
    'Ich bin nicht im Büro, bitte wenden Sie sich bis zum 6.1.2027 an Frau Lang.',
  ])('an absence is no time limit: %s', (text) => {
    expect(hintsIn(text)).toEqual([])
  })

  it('quotes the sentence, not the ones around it', () => {
    const text =
      'Anbei die Klage. Sie können binnen zwei Wochen gem. § 276 ZPO erwidern. Mit freundlichen Grüßen'

    expect(findDeadlineHints(text, today)[0]?.text).toBe(
      'Sie können binnen zwei Wochen gem. § 276 ZPO erwidern.',
    )
  })

  it('names a period once, by the surest of its sentences', () => {
    const text =
      'Die Lieferung kam binnen eines Monats. Die Berufung ist binnen eines Monats einzulegen. Binnen eines Monats war alles weg.'

    expect(findDeadlineHints(text, today)).toEqual([
      {
        text: 'Die Berufung ist binnen eines Monats einzulegen.',
        date: null,
        period: { unit: 'month', count: 1 },
        confidence: 0.9,
      },
    ])
  })

  it('is not sure of the periods in the withdrawal notice of a shop, but of those beside it', () => {
    const notice = `Widerrufsrecht
Sie haben das Recht, binnen vierzehn Tagen ohne Angabe von Gründen diesen Vertrag zu widerrufen. Die Widerrufsfrist
beträgt vierzehn Tage ab dem Tag, an dem Sie die Waren in Besitz genommen haben.
Wenn Sie diesen Vertrag widerrufen, haben wir Ihnen alle Zahlungen unverzüglich und spätestens binnen vierzehn Tagen ab
dem Tag zurückzuzahlen, an dem die Mitteilung über Ihren Widerruf dieses Vertrags bei uns eingegangen ist.
Die Frist ist gewahrt, wenn Sie die Waren vor Ablauf der Frist von vierzehn Tagen absenden.`
    const surenessIn = (text: string) => findDeadlineHints(text, today).map(({ confidence }) => confidence)

    expect(surenessIn(notice)).toEqual([0.4])
    expect(surenessIn(`${notice}\n\nBitte zahlen Sie binnen 14 Tagen.`)).toEqual([0.9])
    expect(surenessIn(`${notice}\n\nDer Widerruf ist bis zum 4.12.2026 möglich.`)).toEqual([0.4, 0.7])
    expect(surenessIn('Die Widerrufsfrist des Vergleichs beträgt vierzehn Tage.')).toEqual([0.9])
  })

  it.each([
    'Wir erwarten Ihre Nachricht bis zum 10.12.2026.',
    'Bis zum 10.12.2026 erwarte ich Ihre Erklärung.',
    'Ihrer Nachricht sehen wir bis zum 10.12.2026 entgegen.',
    'Wir sehen Ihrer Nachricht bis zum 10.12.2026 entgegen.',
    'Sollten wir bis zum 10.12.2026 nichts von Ihnen hören, folgen gerichtliche Schritte.',
    'Für die Erledigung haben wir den 10.12.2026 vorgemerkt.',
    'Der Pkw ist bis zum 10.12.2026 herauszugeben.',
  ])('somebody must act: %s', (text) => {
    const [hint] = findDeadlineHints(text, today)

    expect(hint?.date).toBe('2026-12-10')
    expect(hint?.confidence).toBeGreaterThanOrEqual(0.7)
  })

  it.each([
    'Wir erwarten die Lieferung innerhalb von 5 Tagen.',
    'Der Liefertag ist vorgemerkt und kann innerhalb von 24 Stunden geändert werden.',
    'Wenn wir innerhalb von 5 Tagen nichts von Ihnen hören, schließen wir das Ticket.',
  ])('is less sure of what the sender expects: %s', (text) => {
    expect(findDeadlineHints(text, today)[0]?.confidence).toBe(0.7)
  })

  it.each([
    'DEN PARTEIEN WIRD AUFGEGEBEN, SICH BINNEN ZWEI WOCHEN ZU ÄUSSERN.',
    'Den Parteien wird aufgegeben, sich binnen zwei Wochen zu aeussern.',
    'Sie haben binnen zwei Wochen zu raeumen.',
    'Ihr Mandant wird aufgefordert, dies binnen zwei Wochen zu tun.',
    'Die Forderung ist binnen zwei Wochen auszugleichen.',
    'Die Belege sind binnen zwei Wochen nachzureichen.',
    'Die Vollmacht ist binnen zwei Wochen vorzulegen.',
  ])('is sure also without umlauts: %s', (text) => {
    expect(findDeadlineHints(text, today)[0]?.confidence).toBe(0.9)
  })

  it('is not sure of the time in which a shop delivers', () => {
    const [hint] = findDeadlineHints('Die Zustellung Ihrer Bestellung erfolgt innerhalb von 3 Tagen.', today)

    expect(hint?.confidence).toBe(0.4)
  })

  it.each([
    'Für die Zeit vom 1.11.2026 bis 31.12.2026 wurde keine Miete gezahlt.',
    'Der Vertrag ist befristet bis zum 31.12.2026.',
    'Sie können die Ware innerhalb von 30 Tagen kostenlos zurücksenden.',
  ])('is not sure that somebody must act: %s', (text) => {
    expect(findDeadlineHints(text, today)[0]?.confidence).toBe(0.4)
  })

  it('needs more than an expectation to read when something will be as a time limit', () => {
    expect(hintsIn('In zwei Wochen erwarten wir das Urteil.')).toEqual([])
  })

  it('is not sure of what the reader may expect', () => {
    const [hint] = findDeadlineHints('Sie können Ihr Paket innerhalb von 2 Tagen erwarten.', today)

    expect(hint?.confidence).toBe(0.4)
  })

  it('is not sure of the time in which the sender will act', () => {
    const surenessOf = (text: string) => findDeadlineHints(text, today)[0]?.confidence

    expect(surenessOf('Wir melden uns innerhalb von 24 Stunden bei Ihnen.')).toBe(0.4)
    expect(surenessOf('Ihre Anfrage beantworten wir binnen zwei Werktagen.')).toBe(0.4)
    expect(surenessOf('Bitte antworten Sie binnen 24 Stunden, sonst melden wir uns.')).toBe(0.9)
  })

  it('is not sure that a period of years is a time limit in which somebody must act', () => {
    const [hint] = findDeadlineHints('Die zweijährige Gewährleistungsfrist ist abgelaufen.', today)

    expect(hint).toMatchObject({ period: { unit: 'year', count: 2 }, confidence: 0.4 })
  })

  it('is surer of a period in which somebody must act than of a day on which something ends', () => {
    const [period] = findDeadlineHints('Widerspruch binnen zwei Wochen.', today)
    const [end] = findDeadlineHints('Die Ausstellung läuft bis zum 15.12.2026.', today)

    expect(period?.confidence).toBeGreaterThan(end?.confidence ?? 1)
  })
})
