import { describe, expect, it } from 'vitest'
import type { MessageFacts } from '#triage/facts-schema.ts'
import { teachingOf } from '#triage/judge.ts'
import type { TriageSettings } from '#triage/ports.ts'
import { readSignals } from '#triage/read-signals.ts'

const settings: TriageSettings = {
  own_mailboxes: [],
  deactivated_users: [],
  auto_file: 'certain',
  file_number_form: '0010/26',
}

const letter: MessageFacts = {
  kind: 'mail',
  received_on: '2026-11-20',
  from: { name: 'Landgericht Köln', email: 'poststelle@lg-koeln.nrw.de' },
  subject: 'Verfügung',
  text: 'Siehe Anlage.',
  in_reply_to: [],
  references: [],
  headers: { auto_submitted: null, list_unsubscribe: null, precedence: null },
  attachments: [],
  xjustiz: [],
  verdict: 'passed',
  protection: 'none',
}

/** The references that the case of a court's letter learns, and those by which the letter may be filed. */
function referencesOf(facts: Partial<MessageFacts>) {
  const message = { ...letter, ...facts }
  const signals = readSignals(message, settings)
  const counting = signals.court_references.filter(({ counts }) => counts).map(({ key }) => key)
  return { taught: teachingOf(message, signals, settings).references, counting }
}

const attached = (text: string) => [{ filename: 'a.pdf', mime_type: 'application/pdf', text }]

describe('references that a court cites', () => {
  it.each([
    'Auf BGH VIII ZR 246/16 kommt es nicht an.',
    'Die Kammer folgt der Entscheidung des BGH (VIII ZR 246/16).',
    'Der Bundesgerichtshof hat unter dem Aktenzeichen VIII ZR 246/16 entschieden.',
    'Im Verfahren VIII ZR 246/16 ist die Frage offen.',
    'Az. VIII ZR 246/16 hilft der Klägerin nicht.',
    'Folgende Entscheidung ist zu beachten:\nVIII ZR 246/16',
    'Folgende Entscheidungen:\n\nAz.: VIII ZR 246/16\nAz.: VII ZR 88/24',
    'Die Parteien mögen zu VIII ZR 246/16\nStellung nehmen.',
    'Entgegen VIII ZR 246/16 sieht die Kammer das anders.',
  ])('%s: they neither teach nor file, in mail and in a letter', (text) => {
    const salutation = 'Sehr geehrte Damen und Herren,\n\n'
    const letterText = `Landgericht Köln\nAz.: 3 O 45/26\n\n${salutation}${text}`

    expect(referencesOf({ text })).toEqual({ taught: [], counting: [] })
    expect(referencesOf({ subject: '3 O 45/26', text })).toEqual({
      taught: ['3o45/26'],
      counting: ['3o45/26'],
    })
    expect(referencesOf({ attachments: attached(letterText) })).toEqual({
      taught: ['3o45/26'],
      counting: ['3o45/26'],
    })
  })

  it.each([
    'BGH VIII ZR 246/16',
    'Entscheidung des BGH, VIII ZR 246/16',
    'Verfügung – BGH – VIII ZR 246/16',
    'Hinweis zu VIII ZR 246/16',
    'Az. der Vorinstanz: 4 C 112/26',
    'Parallelverfahren 3 O 44/26',
    'WG: 3 O 45/26',
    'NJW 2018: VIII ZR 246/16',
    'Ihr Zeichen 3 O 45/26',
  ])('the subject „%s“ teaches nothing', (subject) => {
    expect(referencesOf({ subject }).taught).toEqual([])
  })

  it.each([
    'BUNDESGERICHTSHOF\nIM NAMEN DES VOLKES\nURTEIL\nVIII ZR 246/16\nin dem Rechtsstreit',
    'Oberlandesgericht Köln\nAz.: 9 U 12/24\nBeschluss',
    'Amtsgericht Bonn\n4 C 112/26\nVerfügung',
  ])('a decision of another court that it encloses teaches and files nothing', (text) => {
    expect(referencesOf({ attachments: attached(text) })).toEqual({ taught: [], counting: [] })
  })
})

describe('references of other cases in the places of its own', () => {
  it.each([
    'Beiziehung der Akte 3 O 45/26',
    'Streitwert in Anlehnung an 3 O 45/26',
    'Abgabe an die Kammer, dort 3 O 45/26 anhängig',
    'Nachfolgeverfahren zu 3 O 45/26',
    'Rückgabe der Akten aus 3 O 45/26',
    'Hauptsacheverfahren 3 O 45/26',
    'Vorprozess: 3 O 45/26',
    'Schwesterverfahren 3 O 45/26',
    'Leitverfahren – 3 O 45/26',
    'Rechtsprechungshinweis 3 O 45/26',
    'Leitentscheidung 3 O 45/26',
    'Anderes Verfahren: 3 O 45/26',
    'Altes Az.: 3 O 45/26',
    's. 3 O 45/26',
    'Az. 3 O 45/26 der Gegenseite',
  ])('the subject „%s“ files and teaches nothing', (subject) => {
    expect(referencesOf({ subject })).toEqual({ taught: [], counting: [] })
  })

  it.each([
    'Az. 3 O 77/26\nbetr. Beiakte 3 O 45/26',
    'Az. 3 O 77/26\nZugezogen: Akte 3 O 45/26',
    '3 O 77/26\n3 O 45/26',
    'Landgericht Köln\n3 O 77/26 (verbunden mit 3 O 45/26)',
    'Geschäftsnummer: 3 O 77/26 (Bitte stets angeben!)\nführend: Az. 3 O 45/26',
  ])('of the head „%s“ the first counts', (head) => {
    const text = `${head}\n\nSehr geehrte Damen und Herren,\n\nanbei die Verfügung.`
    const expected = { taught: ['3o77/26'], counting: ['3o77/26'] }

    expect(referencesOf({ text })).toEqual(expected)
    expect(referencesOf({ attachments: attached(text) })).toEqual(expected)
  })

  it.each([
    'Nachlasssache Sommer 62 VI 451/25',
    'Vormundschaftssache 62 VI 451/25',
    'Mitteilung im Verfahren 62 VI 451/25',
    'Familiensache Sommer 62 VI 451/25',
    'Insolvenzverfahren Kiesgrube e. K. 62 VI 451/25',
    'Kammer für Handelssachen – 62 VI 451/25',
    'Terminsverlegung 62 VI 451/25',
  ])('the subject „%s“ names its own case', (subject) => {
    expect(referencesOf({ subject }).counting).toEqual(['62vi451/25'])
  })
})

describe('letters that a court attaches', () => {
  const letterOf = (reference: string) => `Landgericht Köln\nAz. ${reference}\n\nProtokoll`
  const both = [letterOf('3 O 77/26'), letterOf('3 O 45/26')].flatMap(attached)

  it.each<[string, Partial<MessageFacts>, string[]]>([
    ['of one case', { attachments: attached(letterOf('3 O 45/26')) }, ['3o45/26']],
    ['of the case in the subject', { subject: '3 O 45/26', attachments: both }, ['3o45/26']],
    ['of a case beside that in the subject', { subject: '3 O 77/26', attachments: both }, ['3o77/26']],
    ['of two cases', { attachments: both }, []],
  ])('%s', (_, facts, counting) => {
    expect(referencesOf(facts).counting).toEqual(counting)
  })
})

describe('references that a court gives as its own', () => {
  it.each([
    '3 O 45/26',
    'AW: 3 O 45/26',
    'Az. 3 O 45/26',
    'Ladung zum Gütetermin – 3 O 45/26',
    'Sommer ./. Kies, 3 O 45/26',
    'Landgericht Köln, Az. 3 O 45/26',
    'LG Köln – 3 O 45/26',
    'Geschäftsnummer: 3 O 45/26 (bitte stets angeben)',
    'Unser Zeichen: 3 O 45/26; Ihr Zeichen: 0480/26',
  ])('the subject „%s“ teaches it', (subject) => {
    expect(referencesOf({ subject })).toEqual({ taught: ['3o45/26'], counting: ['3o45/26'] })
  })

  it.each([
    'In dem Rechtsstreit\nSommer ./. Kies\nAz.: 3 O 45/26\n\nerhalten Sie die Ladung.',
    'Geschäftsnummer: 3 O 45/26\n\nSehr geehrte Damen und Herren,\n\nanbei die Ladung.',
    'In dem Rechtsstreit Müller ./. Becker\nGeschäftsnummer: 3 O 45/26\nwird um Stellungnahme gebeten.',
    'Landgericht Köln – 3. Zivilkammer – Der Vorsitzende –\nAz. 3 O 45/26\nTelefon 0221/1\n\nSehr geehrte Damen und Herren,\n\nanbei.',
    'Landgericht Köln\n3 O 45/26\n\nSehr geehrte Damen und Herren,\n\nanbei die Ladung.',
  ])('the head of its text teaches it', (text) => {
    expect(referencesOf({ text }).taught).toEqual(['3o45/26'])
  })

  it.each(['00a0', '2007', '202f'])('count with the non-breaking blank U+%s', (code) => {
    const blank = String.fromCodePoint(Number.parseInt(code, 16))
    const reference = ['Geschäftszeichen: 3', 'O', '45/26'].join(blank)
    const ofText = (facts: Partial<MessageFacts>) => referencesOf(facts).counting

    expect(ofText({ subject: reference })).toEqual(['3o45/26'])
    expect(ofText({ text: reference })).toEqual(['3o45/26'])
    expect(ofText({ attachments: attached(`Landgericht Köln\n${reference}`) })).toEqual(['3o45/26'])
  })

  it('people teach none, however they label it', () => {
    const from = { name: 'Rita Sommer', email: 'rita@post.example' }

    expect(referencesOf({ from, subject: 'Az. 3 O 45/26' }).taught).toEqual([])
  })
})

describe('our file number with non-breaking blanks', () => {
  const bea = (reference_sender: string | null, reference_recipient: string | null) => ({
    sender: { safe_id: 'DE.Justiz.1', name: 'Landgericht Köln' },
    reference_sender,
    reference_recipient,
  })
  const fileNumbersOf = (facts: Partial<MessageFacts>) =>
    readSignals({ ...letter, ...facts }, settings)
      .file_numbers.filter(({ counts, label }) => counts && label === 'ours')
      .map(({ key }) => key)

  it.each(['00a0', '2007', '202f'])('U+%s is read as a blank', (code) => {
    const blank = String.fromCodePoint(Number.parseInt(code, 16))
    const number = ['0010', '/', '26'].join(blank)
    const labelled = ['Ihr', 'Zeichen:', number].join(blank)

    expect(fileNumbersOf({ subject: labelled })).toEqual(['10/26'])
    expect(fileNumbersOf({ text: labelled })).toEqual(['10/26'])
    expect(fileNumbersOf({ attachments: attached(labelled) })).toEqual(['10/26'])
    expect(fileNumbersOf({ bea: bea(null, number) })).toEqual(['10/26'])
    expect(referencesOf({ bea: bea(['3', 'O', '45/26'].join(blank), null) }).counting).toEqual(['3o45/26'])
  })
})
