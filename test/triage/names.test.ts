import { describe, expect, it } from 'vitest'
import { fold } from '#kernel/fold.ts'
import { decide } from '#triage/decide.ts'
import type { MessageFacts } from '#triage/facts-schema.ts'
import { findVersus } from '#triage/names.ts'
import type { Found, FoundParty, TriageSettings } from '#triage/ports.ts'
import { readSignals } from '#triage/read-signals.ts'

const settings: TriageSettings = {
  own_mailboxes: ['post@morgenroth.example'],
  deactivated_users: [],
  auto_file: 'certain',
  file_number_form: '0010/26',
}

const party = (id: string, name: string, email: string | null, ...cases: [string, string][]): FoundParty => ({
  id,
  name,
  email,
  cases: cases.map(([case_id, role]) => ({ case_id, role })),
})

const parties = [
  party('sommer', 'Rita Sommer', 'rita@post.example', ['kauf', 'client'], ['strom', 'client']),
  party('brandt', 'Erik Brandt', null, ['kauf', 'opponent']),
  party('strom', 'Stadtwerke Isarau AG', null, ['strom', 'opponent']),
  party('krueger', 'Alfons Krüger', null, ['erbe', 'other']),
  party('weber1', 'Karl Weber', null, ['haus', 'client']),
  party('weber2', 'Anna Weber', null, ['haus', 'client']),
  party('hans', 'Müller-Lüdenscheidt, Hans', null, ['bad', 'client']),
  party('mann', 'Jan Rothe', 'rothe@post.example', ['unterhalt', 'opponent']),
  party('frau', 'Julia Rothe', 'rothe@post.example', ['mietsache', 'client']),
  party('kind', 'Mia Rothe', 'rothe@post.example'),
]

const names: Record<string, string> = {
  kauf: 'Sommer ./. Brandt – Wohnmobil',
  strom: 'Sommer ./. Stadtwerke',
}

const cases: Found['cases'] = [
  ...new Set(parties.flatMap((it) => it.cases.map(({ case_id }) => case_id))),
].map((id) => ({
  id,
  file_number: 'ohne',
  name: names[id] ?? id,
  status: 'active',
  staff: [],
  parties: parties.flatMap(({ id: partyId, name, cases: roles }) =>
    roles.filter(({ case_id }) => case_id === id).map(({ role }) => ({ id: partyId, role, name })),
  ),
}))

const wordsOf = (name: string) =>
  fold(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

const messageOf = (facts: Partial<MessageFacts>): MessageFacts => ({
  kind: 'mail',
  received_on: '2026-11-20',
  from: { name: null, email: 'fremd@andere.example' },
  subject: 'Frage',
  text: '',
  in_reply_to: [],
  references: [],
  headers: { auto_submitted: null, list_unsubscribe: null, precedence: null },
  attachments: [],
  xjustiz: [],
  verdict: 'passed',
  protection: 'none',
  ...facts,
})

function triage(facts: Partial<MessageFacts>, changed: Partial<Found> = {}) {
  const signals = readSignals(messageOf(facts), settings)
  const found = parties.filter(
    ({ name, email }) =>
      (email !== null && email === signals.sender) ||
      signals.names.some((one) => wordsOf(one.name).every((word) => wordsOf(name).includes(word))),
  )
  const ids = new Set(found.flatMap((one) => one.cases.map(({ case_id }) => case_id)))
  const none = { file_numbers: [], court_references: [], threads: [], senders: [], named_cases: [] }
  const all = { ...none, cases: cases.filter(({ id }) => ids.has(id)), parties: found, ...changed }
  return decide(signals, all, settings)
}

const suggested = (facts: Partial<MessageFacts>) =>
  triage(facts).case_suggestions.map(({ case_id }) => case_id)

const scanned = (text: string): Partial<MessageFacts> => ({
  kind: 'document',
  from: null,
  subject: 'scan.pdf',
  attachments: [{ filename: 'scan.pdf', mime_type: 'application/pdf', text }],
})

describe('names in the text of a client of two cases', () => {
  const rita = { name: 'Rita Sommer', email: 'rita@post.example' }

  it.each([
    ['Herr Brandt hat wieder nicht gezahlt.', 'kauf'],
    ['Brandts Anwalt hat mir geschrieben.', 'kauf'],
    ['Das Wohnmobil steht noch da.', 'kauf'],
    ['Von den Stadtwerken kam ein Brief.', 'strom'],
    ['Isarau droht mit der Sperrung, also die Stadtwerke.', 'strom'],
  ])('%s suggests the case', (text, due) => {
    expect(suggested({ from: rita, text })).toEqual([due])
  })

  it.each([
    'Was gibt es Neues?',
    'Ich heiße jetzt Sommer.',
    'Es wird brandt gefährlich.',
  ])('%s suggests none', (text) => {
    expect(suggested({ from: rita, text })).toEqual([])
  })
})

describe('names in the text of a stranger, and in a document', () => {
  it.each([
    ['im Nachlass Alfons Krüger bitten wir um Auskunft.', 'erbe'],
    ['zum Nachlass des Alfons Krügers', 'erbe'],
    ['Nachlass Krüger, Alfons', 'erbe'],
    ['die Unterlagen von Alfons Krueger liegen vor', 'erbe'],
    ['die Eheleute Weber haben gekündigt', 'haus'],
    ['die Eheleute Karl und Anna Weber haben gekündigt', 'haus'],
    ['wir vertreten Herrn Hans Mueller-Luedenscheidt', 'bad'],
  ])('%s', (text, due) => {
    expect(suggested({ text })).toEqual([due])
    expect(suggested(scanned(`Muster GmbH\n\n${text}`))).toEqual([due])
  })
})

it.each([
  'Rechtssache Eheleute Grothe ./. Dr. Ziegler Az. 0010/26',
  'Firma Grothe u.a. ./. Herrn Ziegler u. a.',
  'Dr. Grothe ./ Prof. Dr. Ziegler wegen Forderung',
])('of %s only the names are read', (line) => {
  expect(findVersus(line)).toMatchObject({ left: 'Grothe', right: 'Ziegler' })
})

describe('names of cases, of which nobody is a party', () => {
  const suggestedBy = (text: string, ...named: string[]) => {
    const facts = [{ text }, scanned(`Muster GmbH\n\n${text}`)]
    const [{ name, versus } = { name: '', versus: null }] = readSignals(messageOf({ text }), settings).names
    const found = named.map((case_id) => ({ name, versus, case_id }))
    return facts.map((one) =>
      triage(one, { cases, named_cases: found }).case_suggestions.map(({ case_id }) => case_id),
    )
  }

  it.each([
    'im Nachlass Beate Grothe fehlt der Erbschein.',
    'Wir bearbeiten die Betreuung von Theo Grothe.',
    'In der Sache Grothe ./. Ziegelei Süd bitten wir um Nachricht.',
    'Grothe gegen Ziegelei: der Termin ist am Montag.',
  ])('%s suggests the only case that has them, and files nothing', (text) => {
    expect(suggestedBy(text, 'bad')).toEqual([['bad'], ['bad']])
    expect(triage({ text }, { cases }).auto_file).toBeNull()
  })

  it('suggest none where several cases have them', () => {
    expect(suggestedBy('im Nachlass Beate Grothe fehlt etwas', 'bad', 'haus')).toEqual([[], []])
  })
})

describe('what a document is, by the head of its letter', () => {
  it.each([
    [
      'Landgericht Köln\n3 O 45/26\n\nHerrn Rechtsanwalt Huber\n\nStellungnahme binnen zwei Wochen.',
      'court',
      'high',
    ],
    ['Sozialgericht München\nLadung zum Termin', 'court', 'high'],
    ['Stadt Köln\nOrdnungsamt\n\nIhre Anfrage', 'authority', 'normal'],
    ['Staatsanwaltschaft Bonn\n12 Js 345/26', 'authority', 'normal'],
    ['Hauptzollamt Köln\nPrüfung', 'authority', 'normal'],
    ['Obergerichtsvollzieherin Eva Muster\nDR II 12/26', 'authority', 'normal'],
    ['Amtsgericht Köln\nPfändungs- und Überweisungsbeschluss', 'court', 'high'],
    ['Nordwall Versicherung AG\nSchaden vom 3.4.', 'insurance', 'normal'],
    [
      'Rechtsanwälte Kessler\n\nAn das\nLandgericht Köln\n\nnamens und in Vollmacht der Klägerin',
      'opponent',
      'normal',
    ],
    ['Rita Sommer\nDorfstr. 3\n\nSehr geehrte Frau Morgenroth', 'client', 'normal'],
    ['Stadtwerke Isarau AG\nKundendienst', 'opponent', 'normal'],
    ['Notiz\nBitte anrufen', 'other', 'normal'],
  ])('%s', (text, category, priority) => {
    expect(triage(scanned(text))).toMatchObject({ category, priority, auto_file: null })
  })

  it('a brief of our own is none of the opponent', () => {
    const text =
      'Rechtsanwälte Morgenroth, post@morgenroth.example\n\nAn das\nAmtsgericht\n\nnamens und in Vollmacht'

    expect(triage(scanned(text)).category).toBe('other')
  })
})

describe('parties with the same address (I4)', () => {
  const rothe = { name: 'Familie', email: 'rothe@post.example' }
  const named = (changed: Partial<Found> = {}) =>
    triage({ from: rothe }, changed)
      .case_suggestions.flatMap(({ evidence }) => evidence.map(({ text }) => text))
      .join('\n')

  it('are all named, in whatever cases they are, and nothing is filed', () => {
    expect(triage({ from: rothe }).auto_file).toBeNull()
    for (const name of ['Jan Rothe', 'Julia Rothe', 'Mia Rothe']) expect(named()).toContain(name)
  })

  it('are named where the case of one is closed, and where one has many', () => {
    const closed = cases
      .filter(({ id }) => ['unterhalt', 'mietsache'].includes(id))
      .map((one) => (one.id === 'unterhalt' ? { ...one, status: 'closed' as const } : one))

    for (const name of ['Jan Rothe', 'Julia Rothe']) expect(named({ cases: closed })).toContain(name)
  })
})

describe('the name of a sender', () => {
  const from = (name: string) => ({ from: { name, email: 'fremd@andere.example' } })

  it.each([
    ['Dr. Anna Dräger', 'Anna Dräger'],
    ['Herr Hans Dröge', 'Hans Dröge'],
    ['Frauß, Hans', 'Hans Frauß'],
    ['RAin Ute Groß', 'Ute Groß'],
  ])('%s is read as %s, without its title', (written, name) => {
    const { names } = readSignals(messageOf(from(written)), settings)

    expect(names.filter(({ place }) => place === 'sender')).toMatchObject([{ name }])
  })

  it.each(['Raúl García', 'Peter Raßmann'])('%s is not that of a lawyer', (name) => {
    expect(triage(from(name)).category).toBe('other')
    expect(triage(from(`RA ${name}`)).category).toBe('opponent')
  })
})
