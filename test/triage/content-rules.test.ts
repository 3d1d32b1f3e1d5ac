import { describe, expect, it } from 'vitest'
import { contentOf } from '#triage/content-rules.ts'

const contentOfText = (text: string) =>
  contentOf({ subject: '', own: text.toLowerCase(), attachments: '', forwarded: '' })
const isUrgent = (text: string) => contentOfText(text).includes('urgent')
const isInvoice = (subject: string) =>
  contentOf({ subject: subject.toLowerCase(), own: '', attachments: '', forwarded: '' }).includes(
    'invoice_named',
  )

describe('what is urgent', () => {
  it.each([
    'Eilt!',
    'Die Sache eilt.',
    'FRISTSACHE',
    'Dringende Bitte um Rückruf',
    'Ich habe dringende Fragen.',
    'Das ist mir nicht möglich, es eilt',
    'Terminsladung',
    'Vorladung der Polizei',
    'Sie werden zum Termin geladen.',
    'Antrag auf Erlass einer einstweiligen Verfügung',
    'Durchsuchungsbeschluss',
    'Zwangsvollstreckungsmaßnahme',
    'Das ist nicht nur dringend.',
    'Ladung zur mündlichen\nVerhandlung',
  ])('%s', (text) => {
    expect(isUrgent(text)).toBe(true)
  })

  it.each([
    'Ich habe gestern die Kündigung bekommen.',
    'Heute lag ein gelber Umschlag im Briefkasten.',
    'Anbei der Widerspruchsbescheid.',
    'Mein Chef hat mir heute fristlos gekündigt.',
    'Hiermit kündigen wir das Arbeitsverhältnis ordentlich.',
    'Ich habe eine Änderungskündigung erhalten.',
    'Gestern habe ich den Bescheid bekommen.',
  ])('if a client reports it: %s', (text) => {
    expect(contentOfText(text)).toContain('reported')
  })

  it('not if somebody only waits for an answer', () => {
    expect(contentOfText('Sobald ich Bescheid bekommen habe, rufe ich an.')).not.toContain('reported')
  })

  it.each([
    'Das hat er uns mitgeteilt.',
    'Die Genehmigung wurde erteilt.',
    'Einladung zur Weihnachtsfeier',
    'Sie sind herzlich eingeladen.',
    'Er wurde verurteilt.',
    'Die Datei ist hochgeladen.',
    'Entladung des Akkus',
    'Ausladung',
    'Vollsperrung der A8',
    'Es eilt nicht.',
    'Das ist nicht so dringend.',
    'Keine Zwangsvollstreckung',
    'Seminar: Fristsachen sicher verwalten',
    'Bitte geben Sie mir Bescheid.',
    'Die Kündigung des Abonnements ist bestätigt.',
    'Wir haben ab sofort neue Öffnungszeiten.',
    'In dringenden Fällen rufen Sie bitte an.',
    'Bei eiligen Fragen hilft mein Vertreter.',
  ])('%s is not', (text) => {
    expect(isUrgent(text)).toBe(false)
  })
})

describe('what is called an invoice', () => {
  it.each([
    'Rechnung 12',
    'Stromrechnung',
    'Schlussrechnung',
    'Mahnung',
    'Nebenkostenabrechnung',
  ])('%s', (subject) => {
    expect(isInvoice(subject)).toBe(true)
  })

  it.each([
    'Berechnung der Frist',
    'Aufrechnung',
    'Abmahnung',
    'Ermahnung',
    'Hochrechnung',
  ])('%s is not', (subject) => {
    expect(isInvoice(subject)).toBe(false)
  })
})
