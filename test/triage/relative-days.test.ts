import { describe, expect, it } from 'vitest'
import { findRelativeDays } from '#triage/relative-days.ts'

/** A Friday. */
const today = '2026-11-20'
const daysIn = (text: string) => findRelativeDays(text, today).map(({ date }) => date)

describe('days that only the day of the message tells', () => {
  it.each([
    ['Bitte rufen Sie mich heute noch zurück.', '2026-11-20'],
    ['Rückruf noch heute erbeten', '2026-11-20'],
    ['Können Sie mir heute noch den Entwurf schicken?', '2026-11-20'],
    ['Bitte um Freigabe bis heute 16 Uhr.', '2026-11-20'],
    ['Bitte um Freigabe bis heute Abend.', '2026-11-20'],
    ['Ich bitte um Rückruf bis 12 Uhr.', '2026-11-20'],
    ['Ich bitte um Rückruf bis 12:30 Uhr.', '2026-11-20'],
    ['Guten Morgen, bitte rufen Sie bis 12 Uhr an.', '2026-11-20'],
    ['Bitte melden Sie sich morgen bis 12 Uhr.', '2026-11-21'],
    ['Wir erwarten die Erklärung spätestens am Montag bis 10.00 Uhr.', '2026-11-23'],
    ['Bitte geben Sie mir bis morgen Bescheid.', '2026-11-21'],
    ['Wir müssen bis spätestens übermorgen antworten.', '2026-11-22'],
    ['Ich brauche das Gutachten bis uebermorgen.', '2026-11-22'],
    ['Bitte schicken Sie uns alles bis Montag.', '2026-11-23'],
    ['Bitte schicken Sie uns alles bis zum Freitag.', '2026-11-27'],
    ['Bitte schicken Sie uns alles bis kommenden Mittwoch um 12 Uhr.', '2026-11-25'],
    ['Ich muss bis Sonnabend unterschreiben.', '2026-11-21'],
    ['Ich erwarte Ihre Antwort bis Ende der Woche.', '2026-11-20'],
    ['Bitte zahlen Sie bis Monatsende.', '2026-11-30'],
    ['Bitte zahlen Sie bis zum Ende des Monats.', '2026-11-30'],
    ['Wir bitten um Überweisung bis Ende November.', '2026-11-30'],
    ['Wir bitten um Überweisung bis Ende Februar.', '2027-02-28'],
    ['Die Klage muss bis Jahresende eingereicht sein.', '2026-12-31'],
    ['Bitte melden Sie sich bis heute um 15:00 Uhr.', '2026-11-20'],
    ['Ich bitte um Rückruf bis 15 h.', '2026-11-20'],
    ['Morgen läuft die Frist ab!', '2026-11-21'],
    ['Die Berufungsfrist endet heute.', '2026-11-20'],
    ['Achtung, Fristablauf ist am Montag.', '2026-11-23'],
    ['Ich bin bis 17 Uhr im Büro, bitte rufen Sie heute noch an.', '2026-11-20'],
    ['Ich bin der Meinung, bitte bis Montag erledigen.', '2026-11-23'],
  ])('%s: %s', (text, day) => {
    expect(daysIn(text)).toEqual([day])
  })

  it.each([
    'Ich schicke Ihnen die Unterlagen heute noch.',
    'Bitte prüfen Sie das, er hat bis heute nicht gezahlt.',
    'Ich habe heute noch keine Antwort, bitte prüfen Sie das.',
    'Schönes Wochenende und bis Montag!',
    'Vielen Dank und bis morgen.',
    'Bitte beachten Sie: Wir sind Montag bis Freitag für Sie da.',
    'Wir bitten um Rückruf von 8 bis 12 Uhr.',
    'Bitte beachten Sie die Sprechzeiten bis 12 Uhr.',
    'Ich bin bis Freitag im Urlaub, bitte wenden Sie sich an Frau Lang.',
    'Bitte antworten Sie bis Freitag, den 4. Dezember 2026.',
    'Bitte antworten Sie bis Freitag, 4.12.2026, 12 Uhr.',
    'Antwort erbeten am 4.12.2026 bis 12 Uhr.',
    'Bitte zahlen Sie bis zum 14.12.2026.',
    'Die Frist endet am Montag, den 23.11.2026.',
    'Guten Morgen, die Frist endet am 23.11.2026.',
    'Heute kam die Verfügung mit einer Frist von zwei Wochen.',
    'Die Frist ist am Montag abgelaufen.',
    'Die Frist ist heute leider verstrichen.',
    'Die Kündigungsfrist endet am Dienstag.',
    'Am Dienstag endet meine Kündigungsfrist.',
    'Bitte rufen Sie mich morgen zurück, ich bin bis 17 Uhr im Büro.',
    'Bitte kommen Sie am Montag um 10 Uhr, die Verhandlung dauert etwa bis 11 Uhr.',
    'Bitte rufen Sie mich an, Mo-Fr bis 16 Uhr.',
  ])('none in: %s', (text) => {
    expect(daysIn(text)).toEqual([])
  })

  it('is surer of today and tomorrow, on which somebody must act at once', () => {
    const confidenceIn = (text: string) => findRelativeDays(text, today)[0]?.confidence

    expect(confidenceIn('Bitte rufen Sie mich heute noch an.')).toBe(0.9)
    expect(confidenceIn('Bitte antworten Sie bis morgen.')).toBe(0.9)
    expect(confidenceIn('Bitte antworten Sie bis Mittwoch.')).toBe(0.7)
  })

  it('quotes the sentence', () => {
    const [hint] = findRelativeDays(
      'Vielen Dank. Bitte rufen Sie\nmich heute noch zurück. Vielen Dank.',
      today,
    )

    expect(hint).toMatchObject({ text: 'Bitte rufen Sie mich heute noch zurück.', period: null })
  })
})
