import { describe, expect, it } from 'vitest'
import { isCourt } from '#bea/messages/message-schema.ts'
import { decide } from '#triage/decide.ts'
import type { MessageFacts } from '#triage/facts-schema.ts'
import { teachingOf } from '#triage/judge.ts'
import type { Found, TriageSettings } from '#triage/ports.ts'
import { readSignals } from '#triage/read-signals.ts'
import { safeIdKey, senderKindOf } from '#triage/sender-domains.ts'

const message: MessageFacts = {
  kind: 'mail',
  received_on: '2026-11-20',
  from: { name: 'Thomas Wagner', email: 'Thomas.Wagner@post.example' },
  subject: 'Az. 0010/26',
  text: 'Guten Tag',
  in_reply_to: [],
  references: [],
  headers: { auto_submitted: null, list_unsubscribe: null, precedence: null },
  attachments: [],
  xjustiz: [],
  verdict: 'passed',
  sender_verified: true,
  protection: 'none',
}
const settings: TriageSettings = {
  own_mailboxes: [],
  deactivated_users: [],
  auto_file: 'certain',
  file_number_form: '0010/26',
}
const wagner = 'case-wagner'
const other = 'case-other'
const caseOf = (id: string, file_number: string): Found['cases'][number] => ({
  id,
  file_number,
  name: id,
  status: 'active',
  parties: [],
  staff: [
    { id: 'user_clerk', role: 'clerk' },
    { id: 'user_lawyer', role: 'lawyer' },
  ],
})
const found: Found = {
  cases: [caseOf(wagner, '0010/26'), caseOf(other, '0117/26')],
  file_numbers: [{ key: '10/26', case_id: wagner }],
  court_references: [],
  threads: [],
  senders: [],
  named_cases: [],
  parties: [
    {
      id: 'party_1',
      name: 'Thomas Wagner',
      email: 'thomas.wagner@post.example',
      cases: [{ case_id: wagner, role: 'client' }],
    },
  ],
}

const triage = (
  facts: Partial<MessageFacts> = {},
  changed: Partial<Found> = {},
  set: Partial<TriageSettings> = {},
) => {
  const all = { ...settings, ...set }
  return decide(readSignals({ ...message, ...facts }, all), { ...found, ...changed }, all)
}

describe('what is filed without a person (I5)', () => {
  it('a file number together with a party of the case files', () => {
    const decision = triage()

    expect(decision).toMatchObject({
      auto_file: wagner,
      category: 'client',
      suggested_assignment: 'user_lawyer',
    })
    expect(decision.case_suggestions[0]?.evidence).toEqual([
      { kind: 'file_number', text: 'Betreff: „Az. 0010/26“' },
      { kind: 'sender', text: 'Absender: „thomas.wagner@post.example“ gehört zu Thomas Wagner (client)' },
    ])
  })

  it('nobody is suggested who is deactivated', () => {
    const without = (...deactivated_users: string[]) => triage({}, {}, { deactivated_users })

    expect(without('user_lawyer').suggested_assignment).toBe('user_clerk')
    expect(without('user_lawyer', 'user_clerk').suggested_assignment).toBeNull()
  })

  it('a file number files together with the sender of mail that was filed in the case', () => {
    const senders = [{ case_id: wagner }]

    expect(triage({ subject: 'Ihr Zeichen: 0010/26' }, { parties: [], senders }).auto_file).toBe(wagner)
    expect(triage({}, { parties: [], senders })).toMatchObject({
      auto_file: null,
      case_suggestions: [{ case_id: wagner }],
    })
  })

  it('a file number alone only suggests', () => {
    const decision = triage({}, { parties: [] })

    expect(decision.auto_file).toBeNull()
    expect(decision.case_suggestions[0]?.case_id).toBe(wagner)
  })

  it('a party alone only suggests', () => {
    expect(triage({ subject: 'Frage' })).toMatchObject({
      auto_file: null,
      case_suggestions: [{ case_id: wagner }],
    })
  })

  it('a thread alone files, whoever writes', () => {
    const threads = [{ message_id: '<ours@office.example>', case_id: other }]
    const answer = { in_reply_to: ['<ours@office.example>'], subject: 'Ganz anders' }

    expect(triage(answer, { threads, parties: [], file_numbers: [] }).auto_file).toBe(other)
  })

  it('a thread and another case’s number file nowhere', () => {
    const threads = [{ message_id: '<ours@office.example>', case_id: other }]

    expect(triage({ in_reply_to: ['<ours@office.example>'] }, { threads }).auto_file).toBeNull()
    expect(triage({ in_reply_to: ['<ours@office.example>'] }, { threads, parties: [] }).auto_file).toBeNull()
  })

  it('a thread and a closed case’s number file nowhere', () => {
    const threads = [{ message_id: '<ours@office.example>', case_id: other }]
    const cases = [{ ...caseOf(wagner, '0010/26'), status: 'closed' as const }, caseOf(other, '0117/26')]
    const answer = { in_reply_to: ['<ours@office.example>'], subject: 'Ihr Zeichen: 0010/26' }

    expect(triage(answer, { threads, cases }).auto_file).toBeNull()
  })

  it.each([
    'WG: ',
    'AW: WG: ',
    '[EXTERN] WG: ',
    'AW: [EXTERN] Fwd: ',
  ])('the number of a subject that begins with %s belongs to the mail that is forwarded', (mark) => {
    const decision = triage({ subject: `${mark}Az. 0010/26` })

    expect(decision).toMatchObject({ auto_file: null, case_suggestions: [{ case_id: wagner }] })
  })

  it('a thread that goes through two cases files nowhere', () => {
    const threads = [
      { message_id: '<a@office.example>', case_id: wagner },
      { message_id: '<b@office.example>', case_id: other },
    ]
    const answer = {
      in_reply_to: ['<b@office.example>'],
      references: ['<a@office.example>', '<b@office.example>'],
    }

    expect(triage({ ...answer, subject: 'Frage' }, { threads }).auto_file).toBeNull()
  })

  it.each(['closed', 'archived'] as const)('a %s case is at most suggested', (status) => {
    const decision = triage({}, { cases: [{ ...caseOf(wagner, '0010/26'), status }] })

    expect(decision).toMatchObject({ auto_file: null, case_suggestions: [{ case_id: wagner }] })
  })

  it.each([
    ['spam', { verdict: 'spam' as const }],
    ['a virus', { verdict: 'virus' as const }],
    ['an encrypted message', { protection: 'encrypted' as const }],
    ['an upload', { kind: 'document' as const }],
    [
      'a mailing',
      { headers: { auto_submitted: null, list_unsubscribe: '<https://a.example>', precedence: null } },
    ],
  ])('%s is not filed', (_, facts) => {
    expect(triage(facts).auto_file).toBeNull()
  })

  it('nothing is filed where the office set it off, and the suggestion is the same', () => {
    const decision = triage({}, {}, { auto_file: 'off' })

    expect(decision.auto_file).toBeNull()
    expect(decision.case_suggestions).toEqual(triage().case_suggestions)
  })

  it('of two cases with the number the suffix names one', () => {
    const cases = [caseOf(wagner, '0010/26 AL'), caseOf(other, '0010/26 BK')]
    const file_numbers = cases.map(({ id }) => ({ key: '10/26', case_id: id }))
    const parties = [{ ...found.parties[0], cases: cases.map(({ id }) => ({ case_id: id, role: 'client' })) }]

    expect(
      triage({ subject: 'Az. 10/26 BK' }, { cases, file_numbers, parties } as Partial<Found>).auto_file,
    ).toBe(other)
    expect(triage({}, { cases, file_numbers, parties } as Partial<Found>).auto_file).toBeNull()
  })
})

describe('court references (I5)', () => {
  const lgMunich = 'poststelle@lg-m1.bayern.de'
  const lgKoeln = 'poststelle@lg-koeln.nrw.de'
  const learnt = [{ key: '3o45/26', case_id: wagner, learnt_from: [lgMunich] }]
  const twice = [...learnt, { key: '3o45/26', case_id: other, learnt_from: [lgKoeln] }]
  const from = (email: string) => ({ from: { name: null, email }, subject: '3 O 45/26' })

  it('a learnt reference files with a sender known for the case', () => {
    const decision = triage(from(lgMunich), { court_references: learnt, senders: [{ case_id: wagner }] })

    expect(decision).toMatchObject({ auto_file: wagner, category: 'court' })
  })

  it('another court’s case with the same reference is not even suggested', () => {
    expect(triage(from(lgKoeln), { court_references: learnt }).case_suggestions).toEqual([])
  })

  it('another court’s case with the same reference is not filed, though the case knows that court', () => {
    const decision = triage(from(lgKoeln), { court_references: learnt, senders: [{ case_id: wagner }] })

    expect(decision.auto_file).toBeNull()
  })

  it('a reference that two courts use counts only with its sender', () => {
    const known = triage(from(lgKoeln), { court_references: twice, senders: [{ case_id: other }] })
    const unknown = triage(from('zeuge@post.example'), { court_references: twice })

    expect(known.auto_file).toBe(other)
    expect(unknown.case_suggestions).toEqual([])
  })

  it('a central address of the judiciary is no other court', () => {
    const decision = triage(from('noreply@justiz.bayern.de'), { court_references: learnt })

    expect(decision).toMatchObject({
      auto_file: null,
      case_suggestions: [{ case_id: wagner }],
      category: 'court',
    })
  })

  it('in an attachment it files for the court, and not for a lawyer, who attaches decisions', () => {
    const attachments = [
      { filename: 'a.pdf', mime_type: 'application/pdf', text: 'URTEIL\n3 O 45/26\nvom heutigen Tage' },
    ]
    const filed = (email: string) =>
      triage(
        { ...from(email), subject: 'Anlage', attachments },
        { court_references: learnt, senders: [{ case_id: wagner }], parties: [] },
      ).auto_file

    expect(filed(lgMunich)).toBe(wagner)
    expect(filed('ra@kanzlei-lang.example')).toBeNull()
  })

  it('an XJustiz record names the case by the court’s reference and by ours', () => {
    const record = {
      message_type: 'nachricht.gds.uebermittlungSchriftgutobjekte.0005005',
      sender: { kind: 'court' as const, code: 'D2601', name: null },
      sender_references: ['3 O 45/26'],
      recipient_references: ['0010/26'],
      proceedings_references: [],
    }
    const decision = triage(
      { ...from(lgMunich), subject: 'Zustellung', xjustiz: [record] },
      { court_references: learnt, senders: [{ case_id: wagner }] },
    )

    expect(decision.auto_file).toBe(wagner)
    expect(decision.case_suggestions[0]?.evidence.map(({ text }) => text)).toContain('XJustiz: „3 O 45/26“')
  })
})

describe('a document, which has no sender', () => {
  it('is suggested by the number of its letter, and never filed', () => {
    const text = 'Landgericht Köln\nIhr Zeichen: 0010/26\n\nStellungnahme binnen zwei Wochen.'
    const decision = triage({
      kind: 'document',
      from: null,
      subject: 'scan.pdf',
      text: '',
      attachments: [{ filename: 'scan.pdf', mime_type: 'application/pdf', text }],
    })

    expect(decision).toMatchObject({
      auto_file: null,
      case_suggestions: [{ case_id: wagner, evidence: [{ text: 'Anlage: „Ihr Zeichen: 0010/26“' }] }],
      deadline_hints: [{ period: { unit: 'week', count: 2 } }],
    })
  })
})

describe('a beA message', () => {
  it.each([
    ['DE.Justiz.ec54a239-f99a-4d45-905b-4ae6c496d34f.339f', 'Amtsgericht Wolfsburg', 'court'],
    ['govello-1273063535525-000216931', 'Amtsgericht Wolfsburg', 'court'],
    ['safe-sp1-1323163297230-011164095', 'Bundesgerichtshof', 'court'],
    ['safe-sp1-1323163297230-011164095', 'Staatsanwaltschaft Halle', 'authority'],
    ['safe-sp1-1323163297230-011164095', 'Jobcenter Halle', 'authority'],
    ['safe-sp1-1323163297230-011164095', 'Petra Kühn', 'other'],
    ['govello-1273063535525-000216931', 'Jugendgerichtshilfe Wolfsburg', 'authority'],
    ['DE.Justiz.0a1b2c3d.4e5f', 'Landeshauptstadt Hannover, Rechtsamt', 'authority'],
    ['DE.Justiz.0a1b2c3d.4e5f', 'Amtsgericht Stadt Musterkreis', 'court'],
    ['DE.Justiz.0a1b2c3d.4e5f', 'Justizzentrum Darmstadt', 'court'],
    ['DE.Justiz.0a1b2c3d.4e5f', 'Generalstaatsanwaltschaft bei dem Kammergericht', 'authority'],
    ['DE.Justiz.0a1b2c3d.4e5f', 'Obergerichtsvollzieherin Petra Kühn', 'authority'],
    ['DE.Justiz.0a1b2c3d.4e5f', 'Verteilerstelle für Gerichtsvollzieher, Amtsgericht Halle', 'authority'],
  ])('of %s (%s) has the category %s', (safe_id, name, category) => {
    const bea = { sender: { safe_id, name }, reference_sender: null, reference_recipient: null }

    expect(triage({ kind: 'bea', from: null, bea }).category).toBe(category)
  })

  it.each([
    'DE.Justiz.0a1b2c3d.4e5f',
    'DE.JUSTIZTEST.0a1b2c3d.4e5f',
    'DE.Justiz-Test.0a1b2c3d.4e5f',
    'DE.Justizbote',
    'DE.BRAK.0a1b2c3d.4e5f',
  ])('has a court as its sender if the checks before sending count %s as a court', (safeId) => {
    expect(senderKindOf(safeIdKey(safeId), null)).toBe(isCourt(safeId) ? 'court' : null)
  })

  it('of a lawyer is not of the court that its XJustiz record names, and teaches no reference', () => {
    const sender = { safe_id: 'DE.BRAK.0a1b2c3d-4e5f.6a7b', name: 'Lang, Eva' }
    const facts: MessageFacts = {
      ...message,
      kind: 'bea',
      from: null,
      bea: { sender, reference_sender: null, reference_recipient: null },
      xjustiz: [
        {
          message_type: 'nachricht.gds.uebermittlungSchriftgutobjekte.0005005',
          sender: { kind: 'court', code: 'D2601', name: null },
          sender_references: ['3 O 45/26'],
          recipient_references: [],
          proceedings_references: [],
        },
      ],
    }
    const { references } = teachingOf(facts, readSignals(facts, settings), settings)

    expect([triage(facts).category, references]).toEqual(['opponent', []])
  })
})

describe('the writer of a letter', () => {
  const judgment = `Amtsgericht München
IM NAMEN DES VOLKES
1. Die Beklagte wird verurteilt, 483,00 EUR zu zahlen.
Die Rechnung Nr. 4711 mit einem Rechnungsbetrag von 483,00 € inkl. Umsatzsteuer war am 17.2.2026 fällig.
Die Berufung ist binnen einer Notfrist von einem Monat einzulegen.`
  const demand = `Rechtsanwälte Kessler Lang
Herrn Thomas Wagner
Namens unserer Mandantin fordern wir die Zahlung der fälligen Rechnung vom 3.2.2026 über 483,00 EUR.
Bitte überweisen Sie den Betrag binnen einer Woche auf IBAN DE12.`
  const reasons = 'Die Klage sei binnen zwei Wochen erhoben, meint die Beklagte zu Unrecht.\n'.repeat(900)
  const bill = 'Büro Schreiber\nRechnung Nr. 5\nRechnungsbetrag 238,00 EUR, MwSt., zahlbar binnen 14 Tagen.'
  const attached = (text: string, from: MessageFacts['from']) => ({
    kind: from === null ? ('document' as const) : ('mail' as const),
    from,
    subject: 'Scan',
    attachments: [{ filename: 'scan.pdf', mime_type: 'application/pdf', text }],
  })
  const scanner = { name: null, email: 'fax@gateway.example' }

  it.each([
    ['a judgment about an invoice', judgment, null, ['month']],
    ['a judgment that a scanner sends', judgment, scanner, ['month']],
    [
      'a judgment of 30 pages',
      judgment.replace('Die Berufung', `${reasons}Die Berufung`),
      null,
      ['week', 'month'],
    ],
    ['a judgment that the client sends', judgment, message.from, ['month']],
    ['a lawyer’s demand for payment', demand, null, ['week']],
    ['an invoice', bill, null, []],
    ['an invoice that the client sends', bill, message.from, []],
  ])('%s is taken as what it is', (_, text, from, units) => {
    const { category, deadline_hints } = triage(attached(text, from))

    expect(deadline_hints.map(({ period }) => period?.unit)).toEqual(units)
    expect(category === 'invoice').toBe(text === bill && from === null)
  })

  it.each([
    ['court', 'BUNDESFINANZHOF\nX B 77/26'],
    ['court', 'Landesjustizkasse Bamberg\nKostenrechnung\nKassenzeichen 4711'],
    ['court', 'Amtsgericht Köln                 Rechtsanwälte Morgenroth\n50922 Köln'],
    ['opponent', 'Rechtsanwälte Kessler Lang        Amtsgericht Köln\nNamens unserer Mandantin'],
    ['authority', 'Deutsche Rentenversicherung Bund\n10704 Berlin'],
    ['insurance', 'Nordwall Versicherung AG\n50667 Köln'],
    ['other', 'Hausverwaltung Schmidt\n50667 Köln'],
    ['other', 'Schmidt GmbH, WEG-Verwaltung\n50667 Köln'],
    ['other', 'Insolvenzverwaltung Dr. Reimann\n04109 Leipzig'],
    ['authority', 'Bezirksverwaltung Mitte\n10178 Berlin'],
  ])('is a %s by its head: %j', (category, text) => {
    expect(triage(attached(text, null), { parties: [] }).category).toBe(category)
  })
})

describe('the priority of messages without a time limit', () => {
  const court = { name: 'Landgericht Köln', email: 'poststelle@lg-koeln.nrw.de' }
  const lawyer = { name: 'Rechtsanwälte Kessler', email: 'post@kessler.example' }
  const authority = { name: 'Finanzamt Köln-Mitte', email: 'service-5215@fv.nrw.de' }
  const insurer = { name: 'Nordwall Versicherung', email: 'post@nordwall-versicherung.example' }
  const bea = (name: string, safe_id: string, eeb_requested: boolean) => ({
    kind: 'bea' as const,
    from: null,
    bea: { sender: { name, safe_id }, reference_sender: null, reference_recipient: null, eeb_requested },
    subject: '3 O 45/26',
    text: '',
  })
  const attached = (filename: string, text: string | null) => ({
    attachments: [{ filename, mime_type: 'application/pdf', text }],
  })

  it.each([
    ['high', 'a message that is served', bea('Landgericht Köln', 'DE.Justiz.1', true)],
    ['high', 'a message that a lawyer serves', bea('Kessler', 'DE.BRAK.1', true)],
    ['normal', 'a message that is not served', bea('Landgericht Köln', 'DE.Justiz.1', false)],
    ['high', 'a judgment by its file name', { from: court, ...attached('Urteil.pdf', null) }],
    ['high', 'a decision by its subject', { from: court, subject: '3 O 45/26 Kostenfestsetzungsbeschluss' }],
    ['high', 'a judgment', { from: court, ...attached('a.pdf', 'IM NAMEN DES VOLKES') }],
    ['high', 'a hearing', { from: court, text: 'Termin zur Güteverhandlung: 12.01.2027, 10:30 Uhr' }],
    [
      'high',
      'a new hearing',
      { from: court, text: 'Der Termin wird auf den 12.01.2027, 10:30 Uhr verlegt.' },
    ],
    [
      'high',
      'a court’s letter that the client sends',
      attached('a.pdf', 'Amtsgericht Köln\nAntwort bis 3.12.'),
    ],
    ['normal', 'an authority that is still busy', { from: authority, subject: 'Zwischenbescheid' }],
    ['normal', 'a court’s copy', { from: court, text: 'Anbei eine Abschrift zur Kenntnis.' }],
    ['high', 'a last day that a lawyer sets', { from: lawyer, text: 'Bitte zahlen Sie bis zum 04.12.2026.' }],
    [
      'high',
      'an offer of a lawyer',
      { from: lawyer, text: 'Wir warten bis zum 04.12.2026 auf Ihre Zustimmung.' },
    ],
    ['normal', 'a last day that a client names', { text: 'Bitte antworten Sie bis zum 04.12.2026.' }],
    ['high', 'what a client received', { text: 'Ich habe den Widerspruchsbescheid bekommen.' }],
    [
      'normal',
      'what an insurer covers',
      { from: insurer, text: 'Wir decken den Einspruch gegen den Bußgeldbescheid.' },
    ],
    ['normal', 'a client’s appointment', { text: 'Der Termin am Montag passt mir.' }],
    ['normal', 'spam', { text: 'DRINGEND! Zahlen Sie sofort.', verdict: 'spam' as const }],
    ['normal', 'spam with a time limit', { text: 'Zahlen Sie binnen 2 Tagen.', verdict: 'spam' as const }],
    [
      'high',
      'a summons of a court among the spam',
      { from: court, text: 'Ladung', verdict: 'spam' as const },
    ],
    [
      'normal',
      'an exhibit',
      { from: lawyer, ...attached('K7.pdf', 'BUNDESGERICHTSHOF\nIM NAMEN DES VOLKES') },
    ],
  ])('is %s for %s', (priority, _, facts) => {
    expect(triage({ subject: 'Nachricht', ...facts }).priority).toBe(priority)
  })

  it('mail of the opponent’s counsel is the opponent’s, though the counsel is a party of the case', () => {
    const cases = [{ case_id: wagner, role: 'Anwalt der Gegenseite' }]
    const parties = [{ id: 'party_3', name: 'Rechtsanwälte Kessler', email: lawyer.email, cases }]

    expect(triage({ from: lawyer }, { parties }).category).toBe('opponent')
  })
})

describe('the priority of a court’s letter', () => {
  it.each([
    'Stellungnahme binnen zwei\nWochen ab Zustellung.',
    'Wir erbitten Antwort bis\nzum 15.12.2026.',
  ])('is high if it names a time limit over the end of a printed line: %j', (sentence) => {
    const from = { name: 'Landgericht Köln', email: 'poststelle@lg-koeln.nrw.de' }
    const text = `Landgericht Köln\n\n${sentence}`
    const attachments = [{ filename: 'verfuegung.pdf', mime_type: 'application/pdf', text }]

    expect(triage({ from, subject: 'Verfügung', text: '', attachments })).toMatchObject({
      category: 'court',
      priority: 'high',
    })
  })
})

describe('noise', () => {
  const headers = { auto_submitted: 'auto-generated', list_unsubscribe: null, precedence: null }
  const from = { name: null, email: 'post@firma.example' }
  const fax = (mime_type: string) => ({
    headers,
    attachments: [
      { filename: 'Fax', mime_type, text: 'Amtsgericht Köln\nStellungnahme binnen zwei Wochen.' },
    ],
  })
  const absence = {
    headers: { ...headers, auto_submitted: 'auto-replied' },
    text: 'Dringende Anliegen: bitte an Frau Lang.',
    attachments: [{ filename: 'image001.png', mime_type: 'image/png', text: 'Rechtsanwälte Kessler' }],
  }
  const question = {
    subject: 'Ihre Rechnung',
    text: 'Ich habe Ihre Rechnung erhalten. Muss ich binnen eines Monats Widerspruch einlegen?',
  }
  const confirmation = {
    subject: 'Ihre Bestellung 302-5519',
    text: `Guten Tag, vielen Dank für Ihre Bestellung.

Widerrufsbelehrung
Sie haben das Recht, binnen vierzehn Tagen ohne Angabe von Gründen diesen Vertrag zu widerrufen.
Die Widerrufsfrist beträgt vierzehn Tage ab dem Tag, an dem Sie die Waren in Besitz genommen haben.`,
  }
  const none = { auto_submitted: null, list_unsubscribe: null, precedence: null }
  const report = {
    headers: { ...headers, auto_submitted: 'auto-replied' },
    subject: 'Unzustellbar: Fristablauf am 4.12.2026',
    text: 'Fehler bei der Nachrichtenübermittlung an weber@firma.example',
    attachments: [{ filename: 'Unbenannt.bin', mime_type: 'message/delivery-status', text: null }],
  }
  const dunning = (whose: string) => ({
    subject: 'Letzte Mahnung',
    text: `Die Forderung ${whose} ist offen. Wir bitten um Ausgleich der Rechnung Nr. 7 bis zum 4.12.2026, IBAN DE1.`,
  })
  const reminded = {
    subject: 'Mahnung von einem Inkassobüro',
    text: 'Guten Tag, ich habe dort nie etwas bestellt. Können Sie mich vertreten?',
    attachments: [
      {
        filename: 'Mahnung.pdf',
        mime_type: 'application/pdf',
        text: 'Mahnung\nRechnungsbetrag 311,00 EUR\nzahlbar bis zum 4.12.2026\nIBAN DE1',
      },
    ],
  }
  const order = {
    headers,
    attachments: [
      { filename: 'AGB.pdf', mime_type: 'application/pdf', text: 'Sie können binnen 14 Tagen widerrufen.' },
    ],
  }

  it.each([
    ['a letter that a fax service sends', 'other', 'high', fax('application/pdf')],
    ['a letter without a head', 'other', 'high', { ...order, subject: 'Telefax von 0221 1234' }],
    ['the mail that a bounce returns', 'other', 'normal', fax('message/rfc822')],
    ['an automatic answer', 'other', 'low', { headers, text: 'Wir antworten binnen zwei Tagen.' }],
    ['an absence with the logo of its writer', 'other', 'low', absence],
    [
      'an answer that only Precedence marks',
      'other',
      'low',
      { headers: { ...none, precedence: 'auto_reply' }, text: absence.text },
    ],
    ['a report that a mail did not arrive', 'other', 'normal', report],
    ['an order with its terms', 'other', 'low', order],
    ['the confirmation of an order', 'other', 'normal', confirmation],
    ['an invoice', 'invoice', 'normal', { subject: 'Rechnung 7', text: 'Zahlen Sie binnen 10 Tagen.' }],
    ['a reminder', 'invoice', 'normal', { subject: '2. Mahnung', text: 'Zahlen Sie spätestens am 3.12.' }],
    [
      'a reminder whose sender asks about the invoice',
      'invoice',
      'normal',
      {
        subject: 'Zahlungserinnerung',
        text: 'Haben Sie unsere Rechnung bekommen? Wir bitten um Ausgleich der Rechnung Nr. 7 bis zum 4.12.2026, IBAN DE1.',
      },
    ],
    ['a reminder to a client', 'opponent', 'high', dunning('gegen Ihre Mandantin')],
    ['a reminder about a client', 'invoice', 'normal', dunning('für das Gutachten Ihrer Mandantin')],
    ['who got a reminder', 'other', 'normal', reminded],
    ['who got an invoice', 'other', 'high', { subject: 'Mahnung', text: 'Ich soll binnen 10 Tagen zahlen.' }],
    ['who asks about our invoice', 'other', 'high', question],
    ['a newsletter', 'newsletter', 'low', { text: 'Nur binnen 10 Tagen! Abmelden: https://a.example' }],
  ])('%s is %s, %s', (_, category, priority, facts) => {
    expect(triage({ from, subject: 'Nachricht', ...facts }, { parties: [] })).toMatchObject({
      category,
      priority,
    })
  })

  const answered = '<1@kanzlei.example>'
  const ofOurs = { parties: [], threads: [{ message_id: answered, case_id: wagner }] }
  const server = { name: null, email: 'MAILER-DAEMON@firma.example' }

  it.each([
    ['of a mail server about a mail of a case has no time limit', server, ofOurs, 'normal', 0],
    ['about no mail of a case has one', server, { parties: [] }, 'high', 1],
    ['of somebody else has one', from, ofOurs, 'high', 1],
  ])('a report that nothing marks as automatic, %s', (_, sender, records, priority, hints) => {
    const facts = {
      ...report,
      headers: none,
      from: sender,
      text: 'Frist: 4.12.2026',
      in_reply_to: [answered],
    }
    const decision = triage(facts, records)

    expect(decision.priority).toBe(priority)
    expect(decision.deadline_hints).toHaveLength(hints)
  })
})

it.each([
  [
    '<mailto:group+unsubscribe@googlegroups.com>, <https://groups.google.com/a/kanzlei.example/group/post>',
    1,
  ],
  ['<mailto:post-leave@lists.kanzlei.example?subject=leave>', 1],
  ['<mailto:leave-post=kanzlei.example@shop.example>, <https://shop.example/?to=post@kanzlei.example>', 0],
  ['<https://shop-kanzlei.example/leave>', 0],
])('mail through a list of the office is no mailing: %s', (list_unsubscribe, hints) => {
  const headers = { auto_submitted: null, list_unsubscribe, precedence: 'list' }
  const facts = { headers, text: 'Bitte antworten Sie binnen zwei Wochen.' }
  const decision = triage(facts, {}, { own_mailboxes: ['post@kanzlei.example'] })

  expect(decision.deadline_hints).toHaveLength(hints)
  expect(decision.category).toBe(hints === 0 ? 'newsletter' : 'client')
})

it('narrow and invisible blanks, and non-breaking hyphens, hide no time limit and no file number', () => {
  const text =
    'Antworten Sie bis zum 15.\u200912.\u20092026, binnen zwei\u200b Wochen oder in der 3\u2011Wochen\u2011Frist.'
  const decision = triage({ subject: 'Az. 0010\u200b\u201126', text })

  expect(decision.deadline_hints).toHaveLength(3)
  expect(decision.auto_file).toBe(wagner)
})

describe('mail that is forwarded', () => {
  const earlier = (text: string) => `Was tun?

-----Ursprüngliche Nachricht-----
Von: Jobcenter <post@jobcenter.example>
Gesendet: Donnerstag, 19. November 2026 20:11
An: Thomas Wagner
Betreff: Bescheid

${text}`
  const marked = earlier('Sie können binnen eines Monats Widerspruch erheben. Es eilt.')
  const unmarked = marked.replace('Ursprüngliche', 'Weitergeleitete')

  it('is no invoice of the person who forwards it', () => {
    const text = earlier('Die Rechnung vom 1.10. über 300 EUR ist fällig: IBAN DE1, spätestens am 1.12.2026.')
    const from = { name: null, email: 'peter.huber@irgendwo.example' }

    expect(triage({ from, subject: 'WG: Forderung', text }, { parties: [] })).toMatchObject({
      category: 'other',
      deadline_hints: [{ date: '2026-12-01' }],
    })
  })

  it.each([
    ['its time limits count, as marked in the subject', { subject: 'WG: Bescheid', text: marked }, 1, 'high'],
    ['its time limits count, as marked in the text', { subject: 'Bescheid', text: unmarked }, 1, 'high'],
    ['its time limits count, as written by another', { subject: 'Was tun?', text: marked }, 1, 'high'],
    [
      'those of our own mail do not',
      { subject: 'Was tun?', text: marked.replace('post@jobcenter.example', 'post@morgenroth.example') },
      0,
      'normal',
    ],
    ['those of an answer do not', { subject: 'AW: WG: Bescheid', text: marked }, 0, 'normal'],
    ['those of a marked answer do not', { subject: '[EXTERN] AW: Bescheid', text: marked }, 0, 'normal'],
    ['those of a numbered answer do not', { subject: 'Re[2]: Bescheid', text: marked }, 0, 'normal'],
    [
      'those of an answer to mail that forwarded them do not',
      { subject: 'AW: Bescheid', text: earlier(unmarked) },
      0,
      'normal',
    ],
    [
      'those of a newsletter do not',
      { subject: 'WG: Tipps', text: earlier('Anmeldung bis zum 15.12.2026. Newsletter abbestellen') },
      0,
      'normal',
    ],
  ])('%s', (_, facts, hints, priority) => {
    const decision = triage(facts, {}, { own_mailboxes: ['post@morgenroth.example'] })

    expect(decision.deadline_hints).toHaveLength(hints)
    expect(decision.priority).toBe(priority)
  })
})

describe('names of parties', () => {
  const stranger = {
    from: { name: 'Hans Pichler', email: 'h.pichler@post.example' },
    subject: 'Wagner ./. Brandt',
  }
  const brandt = {
    id: 'party_2',
    name: 'Brandt Bau GmbH',
    email: null,
    cases: [{ case_id: wagner, role: 'opponent' }],
  }

  it('both parties of a case suggest it', () => {
    const decision = triage(stranger, { parties: [...found.parties, brandt] })

    expect(decision.case_suggestions).toMatchObject([{ case_id: wagner, evidence: [{ kind: 'party_name' }] }])
  })

  it('one name, or a sender with a party’s name, suggests nothing', () => {
    const homonym = { from: { name: 'Thomas Wagner', email: 'tw@other.example' }, subject: 'Neue Sache' }

    expect(triage(stranger).case_suggestions).toEqual([])
    expect(triage(homonym)).toMatchObject({ case_suggestions: [], category: 'other' })
  })
})

describe('quotes from long lines', () => {
  const emoji = '😀'.repeat(250)

  it.each(['', 'x'])('evidence and hints have no half of an emoji (%j)', (shift) => {
    const { case_suggestions, deadline_hints } = triage({
      subject: `${shift}${emoji} Ihr Zeichen: 0010/26 ${emoji}`,
      text: `${shift}${emoji} Bitte antworten Sie bis zum 15.12.2026 ${emoji}`,
    })

    const texts = [...case_suggestions.flatMap(({ evidence }) => evidence), ...deadline_hints].map(
      ({ text }) => text,
    )
    expect(texts).toEqual([
      expect.stringContaining('0010/26'),
      expect.stringContaining('gehört zu'),
      expect.stringContaining('15.12.2026'),
    ])
    expect(texts.filter((text) => !text.isWellFormed())).toEqual([])
  })
})
