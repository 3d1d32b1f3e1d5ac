import { describe, expect, it } from 'vitest'
import { readNumbers } from '#triage/numbers.ts'
import type { Place } from '#triage/ports.ts'

/** The effect of a number of ours: it files, it suggests its case, or it does nothing. */
function outcomeOf(text: string, place: Place): 'files' | 'suggests' | 'nothing' {
  const lines = text.split('\n').map((line) => line.trim())
  const { file_numbers } = readNumbers([{ place, lines, isForwarded: false }], '0480/26')
  const [found] = file_numbers.filter(({ key }) => key === '480/26')
  return found === undefined ? 'nothing' : found.counts ? 'files' : 'suggests'
}

const inMail = (sentence: string) => `Sehr geehrte Frau Morgenroth,\n\n${sentence}\n\nRita Sommer`
const inHead = (lines: string) => `${lines}\n\nSehr geehrte Damen und Herren,\n\nich bitte um Rückruf.`

describe('the owner of a file number in a subject', () => {
  it.each([
    'Re: 0480/26',
    'Antw: Re: 480/26 – Unterlagen',
    '[EXTERN] AW: 0480/26',
    'Ihr Gz. 0480/26',
    'IHR ZEICHEN: 0480/26',
    'ihr zeichen 0480/26',
    'Ihr o.g. Az. 0480/26',
    'dortiges Az. 0480/26',
    'Aktenzeichen bei Ihnen: 0480/26',
    'Aktenzeichen Ihrer Kanzlei: 0480/26',
    'Unterlagen zur Akte 0480/26',
    'Unterhalt, Az. 0480/26',
    'Az.0480/26',
    'i. S. Sommer ./. Kiesgrube (0480/26)',
    'Frage zu 0480/26',
    'In Sachen 0480/26',
    'Terminsbestätigung | 0480/26',
    'Ihr Zeichen: 480/26 AL; unser Zeichen: 17/25',
    'Your file no. 0480/26',
  ])('%s files', (subject) => {
    expect(outcomeOf(subject, 'subject')).toBe('files')
  })

  it.each([
    'Schadennr. der Versicherung: 0480/26',
    'Mietvertrag 0480/26',
    'Kundennummer bei den Stadtwerken: 0480/26',
    'Aktenzeichen der Gegenseite: 0480/26',
    'Az. der Polizei: 0480/26',
    'Aktenzeichen Deutsche Bahn: 0480/26',
    'Polizei-Az. 0480/26',
    'polizeiliches Aktenzeichen 0480/26',
    'Az. StA Köln 0480/26',
    'Aktenzeichen 0480/26 der Polizei',
    'Az. 0480/26, Mieterverein Köln',
    'Aktenzeichen 0480/26 (Polizei)',
    'Ermittlungsakte 0480/26',
    'Akte meiner Mutter 0480/26',
    'Unsere Akte 0480/26',
    'hiesiges Az. 0480/26',
    'Wir führen Sie unter Az. 0480/26',
    'Ihr Zeichen bei uns: 0480/26',
    'Ihr Aktenzeichen (bei der Polizei): 0480/26',
    'Aktenzeichen Ihres Mandanten: 0480/26',
    'Ihr altes Zeichen 0480/26',
    'Ihr Kunde 0480/26',
    'Ihr Zeichen: 0480/26 (bitte stets angeben)',
    'Unser Zeichen / Ihr Zeichen: 0117/25 / 0480/26',
    'Rechnung – 0480/26',
    'Zählerablesung 0480/26',
    'Frobnikat 0480/26',
    'Zu meinem Unfall, Aktenzeichen 0480/26',
  ])('%s does not file', (subject) => {
    expect(outcomeOf(subject, 'subject')).not.toBe('files')
  })

  it.each([
    'Räumung Sommer 0480/26',
    'Ihr Schreiben 0480/26',
    'meine Akte 0480/26',
    'Gläubigerliste (0480/26)',
    'Verfahren 0480/26',
    'Zu meinem Unfall, Aktenzeichen 0480/26',
  ])('%s suggests', (subject) => {
    expect(outcomeOf(subject, 'subject')).toBe('suggests')
  })
})

describe('the owner of a file number in a text', () => {
  it.each([
    'zu Ihrem o. g. Zeichen 0480/26 teile ich mit, dass alles erledigt ist.',
    'bezugnehmend auf Ihr Schreiben vom 12.11.2026, Ihr Zeichen 0480/26, erkläre ich Folgendes.',
    'ich schreibe zur Akte 0480/26 und bitte um Rückruf.',
    'Das betrifft Ihr Zeichen 0480/26: Die Versicherung hat abgelehnt.',
    'wie telefonisch besprochen sende ich Ihnen zu Ihrem\nAktenzeichen 0480/26 die Unterlagen.',
    'anbei erhalten Sie zu Ihrem Aktenzeichen\n0480/26 die gewünschten Unterlagen.',
    'regarding your reference 0480/26 please find our comments attached.',
  ])('%s files', (sentence) => {
    expect(outcomeOf(inMail(sentence), 'body')).toBe('files')
  })

  it.each([
    'das Aktenzeichen der Gegenseite ist 0480/26.',
    'die Polizei ermittelt unter dem Aktenzeichen 0480/26.',
    'die Polizei hat ihr Aktenzeichen 0480/26 genannt.',
    'ich habe Anzeige bei der Polizei erstattet unter dem\nAktenzeichen 0480/26 und warte auf Antwort.',
    'in der Akte meiner Rechtsschutzversicherung, 0480/26, steht nichts.',
    'Ihre Akte 0480/26 beim Gericht wurde geschlossen.',
    'Kessler hat die Akte 0480/26 an das Gericht geschickt.',
    'wie in der Akte 0480/26 des Nachbarn.',
    'Ihr Aktenzeichen lautet 0480/26.',
    'Beitragskonto\n0480/26',
    'das war im April, 0480/26, wenn ich mich nicht irre.',
  ])('%s does not file', (sentence) => {
    expect(outcomeOf(inMail(sentence), 'body')).not.toBe('files')
  })

  it.each([
    'zu meinem Unfall, Aktenzeichen 0480/26, habe ich eine Frage.',
    'zu 0480/26 sende ich Ihnen das Gutachten.',
    'unter dem Aktenzeichen 0480/26 hatten Sie mir geschrieben.',
    'in der Sache 0480/26 bitte ich um Rückruf.',
    'Gehört das zu 0480/26?',
  ])('%s suggests', (sentence) => {
    expect(outcomeOf(inMail(sentence), 'body')).toBe('suggests')
  })
})

describe('the owner of a file number in the head of a letter', () => {
  it.each([
    'Ihr Zeichen: 0480/26',
    'Ihr Zeichen\n0480/26',
    'Betreff: Sommer ./. Kiesgrube, 0480/26',
    'Unser Zeichen: 17/25 KE/ma     Ihr Zeichen: 480/26 MO',
    'Rita Sommer\nDorfstr. 3\n\nIhr Zeichen: 0480/26\n\n20.11.2026',
  ])('%s files', (lines) => {
    expect(outcomeOf(inHead(lines), 'body')).toBe('files')
  })

  it.each([
    'Kundennummer: 0480/26',
    'Vertragskonto\t0480/26',
    'Vertrag\nNr.: 0480/26',
    'Unsere Ref.: 0480/26',
    'Bearbeiter: Huber, Vorgang 0480/26',
    'Kundennummer\nIhr Zeichen\n0480/26\n0001/25',
  ])('%s does not file', (lines) => {
    expect(outcomeOf(inHead(lines), 'body')).not.toBe('files')
  })
})
