import { describe, expect, it } from 'vitest'
import { decide } from '#triage/decide.ts'
import type { MessageFacts } from '#triage/facts-schema.ts'
import type { Found, TriageSettings } from '#triage/ports.ts'
import { readSignals } from '#triage/read-signals.ts'

const settings: TriageSettings = {
  own_mailboxes: ['akten@eingang.kanzlei-morgenroth.example'],
  deactivated_users: [],
  auto_file: 'certain',
  file_number_form: '0010/26',
}
const balcony = 'case-balcony'
const estate = 'case-estate'
const client = { name: 'Jana Albrecht', email: 'jana@post.example' }
const counsel = { name: 'Kessler Lang', email: 'post@kessler.example' }
const court = { name: 'Landgericht Regensburg', email: 'poststelle@lg-r.bayern.de' }

const caseOf = (id: string, file_number: string, name: string): Found['cases'][number] => ({
  id,
  file_number,
  name,
  status: 'active',
  parties: [
    { id: 'party_1', role: 'client', name: 'Jana Albrecht' },
    { id: 'party_2', role: 'opponent_counsel', name: 'Kessler Lang' },
  ],
  staff: [],
})

const message: MessageFacts = {
  kind: 'mail',
  received_on: '2026-11-20',
  from: client,
  subject: 'Post bekommen',
  text: '',
  in_reply_to: [],
  references: [],
  headers: { auto_submitted: null, list_unsubscribe: null, precedence: null },
  attachments: [],
  xjustiz: [],
  verdict: 'passed',
  sender_verified: true,
  protection: 'none',
}

/** Everybody who writes is known in two cases. */
function filedInto(facts: Partial<MessageFacts>): string | null {
  const signals = readSignals({ ...message, ...facts }, settings)
  const parties = [
    { id: 'party_1', ...client, role: 'client' },
    { id: 'party_2', ...counsel, role: 'opponent_counsel' },
  ].filter(({ email }) => email === signals.sender)
  const found: Found = {
    cases: [
      caseOf(balcony, '0433/26', 'Albrecht ./. Hoffmann Bau GmbH'),
      caseOf(estate, '0512/26', 'Nachlass'),
    ],
    file_numbers: signals.file_numbers.flatMap(({ key }) =>
      key === '433/26' ? [{ key, case_id: balcony }] : key === '512/26' ? [{ key, case_id: estate }] : [],
    ),
    court_references: signals.court_references.flatMap(({ key }) =>
      key === '6o118/26' ? [{ key, case_id: balcony, learnt_from: [court.email] }] : [],
    ),
    threads: [],
    named_cases: [],
    senders: [{ case_id: balcony }, { case_id: estate }],
    parties: parties.map(({ role, ...party }) => ({
      ...party,
      cases: [balcony, estate].map((case_id) => ({ case_id, role })),
    })),
  }
  return decide(signals, found, settings).auto_file
}

const letter = (sentence: string) => `Sehr geehrte Frau Dr. Morgenroth,\n\n${sentence}\n\nVG\nJana Albrecht`
const headed = (head: string) => `${head}\n\nSehr geehrte Damen und Herren,\n\nwir bitten um Antwort.`

describe('a number without an owner, with words beside it', () => {
  it.each([
    'Az. 0433/26',
    'Geschäfts-Nr. 0433/26',
    'Gesch.-Nr.: 0433/26',
    'Ihre GeschNr 0433/26',
    'AW: 0433/26',
    'Akte 0433/26: Vollmacht',
    'Rückfrage zu Az. 0433/26',
    'Az. 0433/26 – Albrecht ./. Hoffmann Bau GmbH',
    'Hoffmann Bau / 0433/26',
    'unser Termin am 3. Dezember, Az. 0433/26',
    'Terminsbestätigung | 0433/26',
  ])('the client’s subject „%s“ files: they are plain or of the case', (subject) => {
    expect(filedInto({ subject })).toBe(balcony)
  })

  it.each([
    'Az. 0433/26, Fa. Kolb',
    'Gesch.-Nr. 0433/26 - Schiedsstelle',
    'Kunden-Nr. 0433/26',
    'Az. 0433/26 - Schiedsstelle',
    'EOS Inkasso: Az. 0433/26',
    'Heimaufsicht | 0433/26',
    'Kita-Platz: Az. 0433/26',
    'Mahnung, Az. 0433/26',
    'AZ 0433/26 EINSCHREIBEN ZOLL',
    'post vom zoll, az. 0433/26',
    'aktenzeichen 0433/26 schornsteinfeger',
    'falsches Az. 0433/26',
    'Wtr: Akte 0433/26',
    'TR: Ihr Zeichen 0433/26',
    'Ihr Zeichen 0433/26 lt. Telekom',
  ])('the client’s subject „%s“ does not file', (subject) => {
    expect(filedInto({ subject })).toBeNull()
  })

  it.each([
    'anbei die Unterlagen zur Akte 0433/26.',
    'bitte nehmen Sie die Fotos zur Akte 0433/26.',
    'Az. 0433/26\n\nanbei die Fotos.',
    'Hoffmann bestreitet alles, ich schreibe zur Akte 0433/26.',
  ])('„%s“ in the text files', (sentence) => {
    expect(filedInto({ text: letter(sentence) })).toBe(balcony)
  })

  it.each([
    'der Bezirksschornsteinfeger führt das unter Akte 0433/26.',
    'Frau Brückner hat mir die Akte 0433/26 gezeigt.',
    'die Hausverwalterin meldet sich zur\nAkte 0433/26 und droht.',
    'er führt es unter Akte 0433/26.',
    'Akte 0433/26 = Zoll',
    'Unfallgegner: Herr Kolb\nVersicherung: LVM\nAz.: 0433/26',
    'Daten der Anzeige:\n\nAktenzeichen: 0433/26\nDienststelle: Rieden',
    'Telekom\n\nAz. 0433/26',
    'anbei der Bescheid.\nGeschäftszeichen: 0433/26',
    'anbei der Bescheid.\nGeschäfts-Nr.: 0433/26',
    'anbei der Bescheid.\nGesch.-Nr.: 0433/26',
    'ich war beim Schiedsmann. Die Akte 0433/26 schicke ich Ihnen.',
    'vom Zoll kam ein Brief! Zur Akte 0433/26 soll ich mich äußern.',
  ])('„%s“ in the text does not file', (sentence) => {
    expect(filedInto({ text: letter(sentence) })).toBeNull()
  })
})

describe('a number without an owner in what others write, who have files of their own', () => {
  it.each([
    { subject: 'Akte 0433/26' },
    { subject: '0433/26' },
    { subject: 'In Sachen Albrecht ./. Hoffmann Bau GmbH, Az. 0433/26' },
    { text: headed('In Sachen Albrecht ./. Hoffmann Bau GmbH\nAktenzeichen: 0433/26') },
  ])('%j does not file', (facts) => {
    expect(filedInto({ from: counsel, ...facts })).toBeNull()
  })

  it.each([
    { subject: 'Albrecht ./. Hoffmann; Ihr Zeichen 0433/26; unser Az. 1188/26' },
    { text: headed('Ihr Zeichen: 0433/26\nUnser Zeichen: 1188/26') },
    { text: headed('Kessler Lang PartmbB. Ihr Zeichen: 0433/26') },
  ])('%j files', (facts) => {
    expect(filedInto({ from: counsel, ...facts })).toBe(balcony)
  })
})

describe('what somebody else calls „Ihr Zeichen“', () => {
  it.each([
    'mein Nachbar hat einen Brief bekommen, darin steht „Ihr Zeichen: 0433/26“.',
    'im Brief des Inkassobüros steht: Ihr Zeichen 0433/26. Was heißt das?',
    'der Makler schrieb mir, Ihr Aktenzeichen 0433/26 liege beim Amt.',
    'auf dem Brief steht oben Ihr Zeichen 0433/26.',
    '‚Ihr Zeichen 0433/26‘ las ich da.',
    'Text des Briefs:\nIhr Zeichen: 0433/26',
    '"Sehr geehrte Frau Albrecht,\nIhr Zeichen: 0433/26\nwir mahnen Sie."',
    'hier das Schreiben:\n\nIhr Zeichen: 0433/26\n\nSehr geehrte Frau Albrecht,\nwir mahnen.',
    'das Inkassobüro hat geantwortet. Ihr Zeichen: 0433/26. Was nun?',
    'meine Tante hat auch einen Anwalt. Ihr Aktenzeichen 0433/26 ist ein anderes.',
    'Frau Kolb war beim Zoll. Das war gestern. Ihr Az. 0433/26 habe ich notiert.',
    'die hausverwaltung hat geschrieben. ihr zeichen 0433/26',
    'ich habe mit dem Vollzieher gesprochen, dortiges Az. 0433/26.',
    'die Heimleitung betreut meine Mutter; Ihr Aktenzeichen 0433/26.',
    'ich schrieb ihnen: Ihr Az. 0433/26 ist erledigt.',
    'ich habe dem Makler geantwortet: Ihr Zeichen 0433/26 kenne ich.',
    'anbei ein Brief, den ich bekam:\n\nKolb Energie\nIhr Zeichen: 0433/26\nUnser Zeichen: 99/26',
    'so habe ich geantwortet:\n\nan Kolb\n\nzur Rechnung von heute\n\nIhr Zeichen: 0433/26',
  ])('„%s“ does not file', (sentence) => {
    expect(filedInto({ text: letter(sentence) })).toBeNull()
  })

  it.each([
    'zu Ihrem Zeichen 0433/26: Die Hoffmann Bau hat gezahlt.',
    'ich habe heute Post vom Gericht bekommen, Ihr Zeichen 0433/26.',
    'in der Sache Albrecht ./. Hoffmann, Ihr Zeichen 0433/26, sende ich Ihnen die Fotos.',
    'mein Zeichen ist "12", Ihr Zeichen 0433/26.',
    'vielen Dank für Ihr Schreiben. Ihr Zeichen: 0433/26.',
    'ich habe Ihr Schreiben erhalten. Ihr Zeichen: 0433/26.',
    'die Hoffmann Bau hat geantwortet. Ihr Zeichen: 0433/26.',
    'es gibt Post vom Zoll.\n\nIhr Zeichen: 0433/26',
    'die Post vom Zoll sende ich zu Ihrem Zeichen 0433/26.',
    'ich teile Ihnen mit: Ihr Zeichen 0433/26 ist erledigt.',
  ])('„%s“ files', (sentence) => {
    expect(filedInto({ text: letter(sentence) })).toBe(balcony)
  })

  it('of a letter that a client attaches files only where the client wrote it, and to the office', () => {
    const attached = (text: string) => ({
      attachments: [{ filename: 'a.pdf', mime_type: 'application/pdf', text }],
    })
    const rest = 'Ihr Zeichen: 0433/26\n\nSehr geehrte Damen und Herren,\n\nanbei.'
    const office = 'Rechtsanwälte Morgenroth & Aydin\n80331 München'
    const client = 'Jana Albrecht\nGartenweg 3'

    expect(filedInto(attached(`${client}\n\n${office}\n\n${rest}`))).toBe(balcony)
    expect(filedInto(attached(`${client}\n\nAn die Kanzlei\nMORGENROTH\n\n${rest}`))).toBe(balcony)
    expect(filedInto(attached(`Inkasso Rheinland\n${client}\n\n${office}\n\n${rest}`))).toBeNull()
    expect(filedInto(attached(`${client}\n\nAn Kolb Energie\n\n${rest}`))).toBeNull()
    expect(filedInto(attached(`${client}\n\nHausverwaltung Kolb\n80000 München\n\n${rest}`))).toBeNull()
    expect(filedInto(attached(`${client}\n\nKanzlei Kessler Lang\n\n${rest}`))).toBeNull()
    expect(filedInto(attached(`${client}\n\n${rest}`))).toBeNull()
    expect(filedInto(attached(rest))).toBeNull()
  })
})

describe('a number that is not what the client writes about', () => {
  it.each([
    'bitte nicht verwechseln mit der Akte 0433/26!',
    'das hat mit der Akte 0433/26 nichts zu tun.',
    'mit Ihrem Zeichen 0433/26 hat der neue Brief nichts zu tun.',
    'das gehört nicht in die Akte 0433/26.',
    'die Akte 0433/26 meine ich nicht.',
    'Sie vertreten mich ja schon in der Akte 0433/26. Jetzt hatte ich einen Unfall.',
    'ich bin bereits Ihr Mandant in der Akte 0433/26.',
    'danke für den Abschluss von Ihrem Zeichen 0433/26. Ich habe eine neue Angelegenheit.',
    'Ihr Zeichen war 0433/26. Nun gibt es noch eine weitere Sache.',
    'zu Ihrem Zeichen 0433/26: Ich hatte einen neuen Unfall.',
  ])('„%s“ does not file', (sentence) => {
    expect(filedInto({ text: letter(sentence) })).toBeNull()
  })

  it.each([
    'zu Ihrem Zeichen 0433/26 habe ich noch nicht alles beisammen.',
    'ich habe noch nicht alles zur Akte 0433/26 beisammen.',
    'zu Ihrem Zeichen 0433/26: Wie geht es weiter mit dem Verfahren, ich kann nicht warten.',
  ])('„%s“ files', (sentence) => {
    expect(filedInto({ text: letter(sentence) })).toBe(balcony)
  })

  it('still says that another case may be meant', () => {
    const text = letter('bitte nicht verwechseln mit Ihrem Zeichen 0512/26.')

    expect(filedInto({ subject: 'Ihr Zeichen 0433/26', text })).toBeNull()
  })

  it('remarks of other senders about other cases change nothing', () => {
    const text = headed('Ihr Zeichen: 0433/26\n\nEin anderes Verfahren ist anhängig.')

    expect(filedInto({ from: counsel, text })).toBe(balcony)
  })
})

describe('a number in a mail to somebody else, of which the office has a copy', () => {
  const office = 'Kanzlei <akten@eingang.kanzlei-morgenroth.example>'
  const number = { subject: 'Ihr Zeichen 0433/26', text: letter('zu Ihrem Zeichen 0433/26.') }

  it.each<[string, string[], string[], string | null]>([
    ['to another, the office in Cc', ['service@kolb.example'], [office], null],
    ['to several others', ['a@kolb.example', 'Amt <b@amt.example>'], ['c@kolb.example', office], null],
    ['to the office, others in Cc', [office], ['service@kolb.example'], balcony],
    ['to both', ['service@kolb.example', office], [], balcony],
    ['to a colleague', ['neu@eingang.kanzlei-morgenroth.example', 'x@kolb.example'], [office], balcony],
    ['by an address of the office that is not known', ['info@morgenroth.example'], [], balcony],
    ['without To', [], [office], balcony],
  ])('%s', (_, to, cc, expected) => {
    expect(filedInto({ ...number, recipients: { to, cc } })).toBe(expected)
  })
})

describe('a court’s reference in the subject', () => {
  it('files nothing where the head of the letter has another', () => {
    const text = headed('Az.: 6 O 119/26')

    expect(filedInto({ from: court, subject: 'Beiziehung 6 O 118/26', text })).toBeNull()
    expect(filedInto({ from: court, subject: '6 O 118/26 und 6 O 119/26', text })).toBeNull()
    expect(filedInto({ from: court, subject: '6 O 118/26', text: headed('Az.: 6 O 118/26') })).toBe(balcony)
  })
})
