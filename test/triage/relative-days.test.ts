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
    ['Der Bescheid kam heute Morgen, bitte rufen Sie bis 17 Uhr an.', '2026-11-20'],
    ['Gestern Morgen kam die Klage, ich bitte um Rückruf bis 17 Uhr.', '2026-11-20'],
    ['Bitte antworten Sie am Montag Morgen bis 9 Uhr.', '2026-11-23'],
    ['Bitte antworten Sie bis Montagmorgen.', '2026-11-23'],
    ['Bitte antworten Sie bis Dienstagabend.', '2026-11-24'],
    ['Bitte antworten Sie bis heute Nacht.', '2026-11-20'],
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
    ['Frist: morgen!', '2026-11-21'],
    ['Ich bin bis 17 Uhr im Büro, bitte rufen Sie heute noch an.', '2026-11-20'],
    ['Ich bin der Meinung, bitte bis Montag erledigen.', '2026-11-23'],
    ['Bitte zahlen Sie bis Mitte Dezember.', '2026-12-15'],
    ['zahlen sie bis naechsten freitag, sonst klage ich', '2026-11-27'],
    ['Ihrer Nachricht sehen wir bis Ende nächster Woche entgegen.', '2026-11-27'],
    ['Den Parteien wird Gelegenheit gegeben, bis Mitte Dezember Stellung zu nehmen.', '2026-12-15'],
    ['Bitte zahlen Sie spätestens Mitte Januar.', '2027-01-15'],
    ['Bitte zahlen Sie bis Anfang Dezember.', '2026-12-01'],
    ['Bitte zahlen Sie bis Anfang Maerz.', '2027-03-01'],
    ['Bitte zahlen Sie bis Ende Dezember 2027.', '2027-12-31'],
    ['Bitte zahlen Sie bis Ende\nDezember.', '2026-12-31'],
    ['Bitte zahlen Sie bis Mitte des nächsten Monats.', '2026-12-15'],
    ['Bitte zahlen Sie bis Ende naechsten Monats.', '2026-12-31'],
    ['Bitte zahlen Sie bis Ende des kommenden Jahres.', '2027-12-31'],
    ['Bitte zahlen Sie bis zum nächsten Monatsende.', '2026-11-30'],
    ['Bitte zahlen Sie bis zum nächsten Wochenende.', '2026-11-20'],
    ['Bitte antworten Sie bis Ende nächster Woche.', '2026-11-27'],
    ['Bitte antworten Sie bis Ende der kommenden Woche.', '2026-11-27'],
    ['Bitte antworten Sie bis Mitte nächster Woche.', '2026-11-25'],
    ['Bitte antworten Sie bis Anfang nächster Woche.', '2026-11-23'],
    ['Bitte antworten Sie bis nächste Woche.', '2026-11-27'],
    ['Bitte antworten Sie bis Ende dieser Woche.', '2026-11-20'],
    ['Bitte antworten Sie bis zum Wochenende.', '2026-11-20'],
    ['Bitte antworten Sie bis Mittwoch nächster Woche.', '2026-11-25'],
    ['Bitte antworten Sie bis Freitag dieser Woche.', '2026-11-20'],
    ['Bitte antworten Sie bis nächste Woche Freitag.', '2026-11-27'],
    ['Bitte antworten Sie bis Freitag 12.30 Uhr.', '2026-11-27'],
    ['Bitte antworten Sie bis Ende KW 50.', '2026-12-11'],
    ['Bitte antworten Sie bis Ende der KW50.', '2026-12-11'],
    ['Bitte antworten Sie bis zum Ende der 50. Kalenderwoche.', '2026-12-11'],
    ['Bitte antworten Sie bis zur 50. KW.', '2026-12-11'],
    ['Bitte antworten Sie bis einschließlich KW 50.', '2026-12-11'],
    ['Bitte antworten Sie bis KW 50/51.', '2026-12-11'],
    ['Bitte antworten Sie bis Mitte KW 50.', '2026-12-09'],
    ['Bitte antworten Sie bis Freitag in KW 50.', '2026-12-11'],
    ['Bitte antworten Sie bis Mittwoch (50. KW).', '2026-12-09'],
    ['Bitte antworten Sie bis Dienstag der KW 50.', '2026-12-08'],
    ['Bitte antworten Sie bis Wochenmitte.', '2026-11-25'],
    ['Bitte antworten Sie bis Ende diesen Monats.', '2026-11-30'],
    ['Bitte antworten Sie bis Ende diesen Jahres.', '2026-12-31'],
    ['Bitte antworten Sie bis Ende des Jahres 2027.', '2027-12-31'],
    ['Bitte antworten Sie bis Ende 2026.', '2026-12-31'],
    ['Bitte antworten Sie bis Ende Nov. schriftlich.', '2026-11-30'],
    ['Bitte antworten Sie bis Mitte Jan. 2027.', '2027-01-15'],
    ['Bitte antworten Sie bis Mitte/Ende Dezember.', '2026-12-15'],
    ['Bitte antworten Sie bis Ende KW 47.', '2026-11-20'],
    ['Bitte antworten Sie bis Ende KW 53.', '2027-01-01'],
    ['Bitte antworten Sie bis Ende KW 1.', '2027-01-08'],
    ['Bitte antworten Sie bis Ende KW 2/2028.', '2028-01-14'],
    ['Bitte senden Sie uns die Unterlagen in KW 50 zu.', '2026-12-11'],
    ['Bitte melden Sie sich spätestens in der 50. KW.', '2026-12-11'],
    ['Bitte zahlen Sie bis zum 25. des Monats.', '2026-11-25'],
    ['Bitte zahlen Sie bis zum 31. dieses Monats.', '2026-11-30'],
    ['Bitte zahlen Sie bis zum 15. des nächsten Monats.', '2026-12-15'],
    ['Bitte zahlen Sie bis zum 15. des Folgemonats.', '2026-12-15'],
    ['Bitte zahlen Sie bis zum 30. d. M. auf unser Konto.', '2026-11-30'],
    ['Bitte antworten Sie am Freitag, 4.12.2026, spätestens jedoch bis 12 Uhr.', '2026-12-04'],
    ['Am 4.12.2026 müssen Sie bis 12 Uhr liefern.', '2026-12-04'],
    ['Bitte antworten Sie bis 12 Uhr am Freitag, den 4.12.2026.', '2026-12-04'],
    ['Wegen Ihres Schreibens vom 3.12. bitte ich um Rückruf bis 12 Uhr.', '2026-11-20'],
    ['Zur Klage (Zustellung 2.11.2026) bitte ich um Rückruf bis 12 Uhr.', '2026-11-20'],
    ['Der Termin ist am 4.12.2026, bitte rufen Sie mich bis 12 Uhr an.', '2026-11-20'],
    ['Bitte rufen Sie mich bis 12 Uhr wegen des Termins am 4.12.2026 an.', '2026-11-20'],
    ['Unser Angebot gilt bis Freitag.', '2026-11-27'],
    ['Unser Angebot ist gültig bis Freitag.', '2026-11-27'],
    ['An unser Angebot sind wir bis Freitag gebunden.', '2026-11-27'],
    ['Die Zusage ist befristet bis Montag.', '2026-11-23'],
    ['Wir müssen heute noch Klage wegen der Seminaranmeldung einreichen.', '2026-11-20'],
    ['Er hat die Anmeldung zum Seminar widerrufen, bitte antworten Sie heute noch.', '2026-11-20'],
    ['Bitte melden Sie noch heute die Ansprüche aus dem Seminarvertrag an.', '2026-11-20'],
    ['Bitte rufen Sie bis 12 Uhr in der Sache Nr. 4/12/26 an.', '2026-11-20'],
    ['Das ist heute noch zu erledigen, bitte geben Sie es frei.', '2026-11-20'],
    ['Er hat Schmerzen und ich muss heute noch antworten.', '2026-11-20'],
    ['Die Akte ist heute noch anzufordern, bitte.', '2026-11-20'],
    ['Bitte sagen Sie mir, was heute noch zu tun ist.', '2026-11-20'],
    ['Ich habe heute noch eine Vernehmung und brauche Sie dort.', '2026-11-20'],
    ['ich habe heute noch einen gerichtstermin, bitte um rückruf', '2026-11-20'],
    ['Bitte rufen Sie mich heute noch an, ich bin unter 0171 555 01 erreichbar.', '2026-11-20'],
    ['Bitte antworten Sie bis Montag, danach bin ich nur noch mobil erreichbar.', '2026-11-23'],
    ['Die Miete ist heute noch fällig, was soll ich tun?', '2026-11-20'],
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
    'Bitte rufen Sie an, Sie können mich bis 12.30 Uhr erreichen.',
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
    'Sie hat noch heute Schmerzen und muss operiert werden.',
    'Er leidet heute noch darunter, das muss der Gegner ersetzen.',
    'Die Wand ist noch heute feucht, der Vermieter soll das beseitigen.',
    'Bitte prüfen Sie das, er hat bis Mitte November nicht gezahlt.',
    'Sie sollten bis Mitte Oktober zahlen.',
    'Wir hatten Sie gebeten, bis Ende KW 45 zu antworten.',
    'Bitte nennen Sie uns einen Termin in KW 50.',
    'Bitte teilen Sie uns mit, ob der Zeuge in KW 50 kommt.',
    'Bitte verstehen Sie, dass wir erst in KW 50 antworten.',
    'Bitte melden Sie sich in KW 50 wieder.',
    'Die Lieferung soll in KW 50 kommen.',
    'Bitte antworten Sie bis Freitag, 4/12/2026.',
    'Bitte antworten Sie bis Freitag, 2026-12-04.',
    'Bitte melden Sie sich noch heute zum Seminar an.',
    'Seminar zum Fristablauf: Noch heute anmelden!',
    'Bitte noch heute zum Webinar Mietrecht anmelden!',
    'Bitte zahlen Sie die Raten jeweils bis zum 28. des Monats.',
    'Bitte zahlen Sie bis zum 99. des Monats.',
    'Ihr Ausweis ist gültig bis Freitag.',
    'Bitte beachten Sie: Ihr Gutschein gilt bis Freitag.',
    'Die Preise gelten bis Sonntag.',
    'Bitte zahlen Sie bis zum 15. des Monats.',
  ])('none in: %s', (text) => {
    expect(daysIn(text)).toEqual([])
  })

  it.each([
    ['2026-11-21', 'bis Ende der Woche', '2026-11-22'],
    ['2026-11-22', 'bis Ende der Woche', '2026-11-27'],
    ['2026-11-22', 'bis Ende nächster Woche', '2026-11-27'],
    ['2026-11-21', 'bis Ende KW 47', '2026-11-22'],
    ['2027-01-01', 'bis Ende KW 53', '2027-01-01'],
    ['2027-01-04', 'bis Ende KW 1', '2027-01-08'],
    ['2026-12-20', 'bis Mitte nächsten Monats', '2027-01-15'],
    ['2027-01-08', 'bis Ende August', '2027-08-31'],
    ['2026-12-07', 'bis zur Monatsmitte', '2026-12-15'],
    ['2026-12-30', 'bis Mittwoch in KW 1', '2027-01-06'],
  ])('at the weekend and around New Year: on %s, %s is %s', (on, words, day) => {
    expect(findRelativeDays(`Bitte zahlen Sie ${words}.`, on).map(({ date }) => date)).toEqual([day])
  })

  it.each([
    'bis Mitte Dezember',
    'bis Ende KW 52',
    'bis Anfang Januar',
  ])('on 8 January, %s is over', (words) => {
    expect(findRelativeDays(`Sie sollten ${words} zahlen.`, '2027-01-08')).toEqual([])
  })

  it('is surer of today and tomorrow, on which somebody must act at once', () => {
    const confidenceIn = (text: string) => findRelativeDays(text, today)[0]?.confidence

    expect(confidenceIn('Bitte rufen Sie mich heute noch an.')).toBe(0.9)
    expect(confidenceIn('Bitte antworten Sie bis morgen.')).toBe(0.9)
    expect(confidenceIn('Bitte antworten Sie bis Mittwoch.')).toBe(0.7)
    expect(confidenceIn('Unser Angebot gilt bis morgen.')).toBe(0.7)
  })

  it('quotes the sentence', () => {
    const [hint] = findRelativeDays(
      'Vielen Dank. Bitte rufen Sie\nmich heute noch zurück. Vielen Dank.',
      today,
    )

    expect(hint).toMatchObject({ text: 'Bitte rufen Sie mich heute noch zurück.', period: null })
  })
})
