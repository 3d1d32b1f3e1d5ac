import { fold } from '#kernel/fold.ts'
import { courtReferenceKey } from '#triage/court-references.ts'
import { fileNumberKey } from '#triage/file-numbers.ts'
import type { Found, FoundCase, FoundParty, Signals, TriageSettings } from '#triage/ports.ts'

/**
 * The office that receives the mails of the corpus, on 20 November 2026. It has cases with their parties, the court
 * references and senders that earlier filing taught, and the mail that it sent. People and firms are invented; courts
 * and authorities have their real names.
 */
export type FirmCase = {
  number: string
  name: string
  status?: 'closed' | 'archived'
  /** Role, name, address. */
  parties: [role: string, name: string, email?: string][]
  /** Court reference, and the sender from whom it was learnt. */
  references?: [reference: string, sender: string][]
  /** Others whose mail was filed in the case. */
  senders?: string[]
  /** The user who works on it. */
  lawyer?: string
}

export const firm = {
  wagner: {
    number: '0010/26',
    name: 'Wagner ./. Brandt Bau GmbH',
    parties: [
      ['client', 'Thomas Wagner', 'thomas.wagner@postfach.example'],
      ['opponent', 'Brandt Bau GmbH', 'info@brandt-bau.example'],
      ['opponent_counsel', 'Rechtsanwälte Kessler Lang', 'sekretariat@kessler-lang.example'],
    ],
    references: [['3 O 45/26', 'poststelle@lg-m1.bayern.de']],
    senders: ['poststelle@lg-m1.bayern.de', 'kessler@kessler-lang.example'],
  },
  wagnerStrom: {
    number: '0117/26',
    name: 'Wagner ./. Stadtwerke Isarau',
    parties: [
      ['client', 'Thomas Wagner', 'thomas.wagner@postfach.example'],
      ['opponent', 'Stadtwerke Isarau AG', 'kundenservice@stadtwerke-isarau.example'],
    ],
  },
  meierKuendigung: {
    number: '0010/25',
    name: 'Meier ./. Textilhaus Sommer',
    status: 'closed',
    parties: [
      ['client', 'Sabine Meier', 's.meier@webpost.example'],
      ['opponent', 'Textilhaus Sommer KG', 'personal@textilhaus-sommer.example'],
    ],
    references: [['7 Ca 812/25', 'poststelle@arbg-mu.bayern.de']],
    senders: ['poststelle@arbg-mu.bayern.de'],
  },
  meierAuto: {
    number: '0023/26',
    name: 'Meier ./. Autohaus Krüger',
    parties: [
      ['client', 'Sabine Meier', 's.meier@webpost.example'],
      ['opponent', 'Autohaus Krüger GmbH', 'verkauf@autohaus-krueger.example'],
    ],
    lawyer: 'user_aydin',
  },
  meierUnfall: {
    number: '0031/26',
    name: 'Meier, Stefan – Verkehrsunfall 03.04.2026',
    parties: [
      ['client', 'Stefan Meier', 'stefan.meier@funkpost.example'],
      ['opponent', 'Nordwall Versicherung AG', 'kfz-schaden@nordwall-versicherung.example'],
      ['other', 'Gutachterbüro Pfeil', 'buero@gutachter-pfeil.example'],
    ],
    lawyer: 'user_aydin',
  },
  yildiz: {
    number: '0042/26',
    name: 'Yıldız ./. Yıldız – Scheidung',
    parties: [
      ['mandant', 'Aylin Yıldız', 'aylin.yildiz@webpost.example'],
      ['gegner', 'Emre Yıldız', 'emre@yildiz-transporte.example'],
      ['gegnervertreter', 'Rechtsanwältin Carla Thome', 'post@kanzlei-thome.example'],
    ],
    references: [['54 F 1234/26', 'familiengericht@ag-m.bayern.de']],
    senders: ['familiengericht@ag-m.bayern.de'],
    lawyer: 'user_lohse',
  },
  kowalski: {
    number: '0055/26',
    name: 'Kowalski ./. Lumen Technik GmbH',
    parties: [
      ['client', 'Marek Kowalski', 'm.kowalski@postfach.example'],
      ['opponent', 'Lumen Technik GmbH', 'hr@lumen-technik.example'],
    ],
    references: [['12 Ca 3456/26', 'poststelle@arbg-mu.bayern.de']],
    senders: ['poststelle@arbg-mu.bayern.de'],
    lawyer: 'user_lohse',
  },
  lenz: {
    number: '0061/26',
    name: 'Strafsache Lenz',
    parties: [['client', 'Patrick Lenz', 'patrick.lenz@funkpost.example']],
    references: [
      ['12 Js 345/26', 'poststelle@sta-koeln.nrw.de'],
      ['532 Ds 12 Js 345/26', 'poststelle@ag-koeln.nrw.de'],
    ],
    senders: ['poststelle@sta-koeln.nrw.de', 'poststelle@ag-koeln.nrw.de'],
  },
  hartmannEil: {
    number: '0064/26',
    name: 'Hartmann ./. Jobcenter München – einstweiliger Rechtsschutz',
    parties: [
      ['client', 'Ute Hartmann', 'ute.hartmann@webpost.example'],
      ['opponent', 'Jobcenter München', 'jobcenter-muenchen@jobcenter-ge.de'],
    ],
    references: [['S 12 AS 345/25 ER', 'poststelle@sg-m.bayern.de']],
    senders: ['poststelle@sg-m.bayern.de'],
  },
  hartmann: {
    number: '0065/26',
    name: 'Hartmann ./. Jobcenter München – Klage',
    parties: [
      ['client', 'Ute Hartmann', 'ute.hartmann@webpost.example'],
      ['opponent', 'Jobcenter München', 'jobcenter-muenchen@jobcenter-ge.de'],
    ],
    references: [['S 12 AS 345/25', 'poststelle@sg-m.bayern.de']],
    senders: ['poststelle@sg-m.bayern.de'],
  },
  berger: {
    number: '0070/26',
    name: 'Berger ./. Wohnbau Rheinblick',
    parties: [
      ['client', 'Karin Berger', 'karin.berger@webpost.example'],
      ['opponent', 'Wohnbau Rheinblick eG', 'verwaltung@wohnbau-rheinblick.example'],
    ],
    references: [['4 C 112/26', 'poststelle@ag-koeln.nrw.de']],
    senders: ['poststelle@ag-koeln.nrw.de'],
  },
  fuchs: {
    number: '0071/26',
    name: 'Fuchs ./. Volkmann',
    parties: [
      ['client', 'Anton Fuchs', 'anton.fuchs@postfach.example'],
      ['opponent', 'Rita Volkmann', 'rita.volkmann@funkpost.example'],
    ],
    references: [['4 C 112/26', 'poststelle@ag-bonn.nrw.de']],
    senders: ['poststelle@ag-bonn.nrw.de'],
  },
  schuster: {
    number: '0080/26',
    name: 'Schuster Holzbau – Insolvenz',
    parties: [
      ['client', 'Bernd Schuster', 'b.schuster@schuster-holzbau.example'],
      ['other', 'Insolvenzverwalter Dr. Olaf Reimann', 'reimann@insolvenz-reimann.example'],
    ],
    references: [['36 IN 77/26', 'poststelle@ag-leipzig.justiz.sachsen.de']],
    senders: ['poststelle@ag-leipzig.justiz.sachsen.de'],
  },
  seeblick: {
    number: '0088/26',
    name: 'Bauherrengemeinschaft Seeblick ./. Freistaat Bayern',
    parties: [
      ['client', 'Bauherrengemeinschaft Seeblick', 'vorstand@seeblick-bauen.example'],
      ['opponent', 'Landratsamt Starnberg', 'bauamt@lra-starnberg.de'],
    ],
    references: [['M 12 K 26.1234', 'poststelle@vg-m.bayern.de']],
    senders: ['poststelle@vg-m.bayern.de'],
    lawyer: 'user_aydin',
  },
  steuer: {
    number: '0090/26',
    name: 'Grothe ./. Finanzamt Köln-Mitte',
    parties: [
      ['client', 'Helmut Grothe', 'h.grothe@grothe-druck.example'],
      ['opponent', 'Finanzamt Köln-Mitte', 'service-5215@fv.nrw.de'],
    ],
    references: [['5 K 321/26 E', 'poststelle@fg-koeln.nrw.de']],
    senders: ['poststelle@fg-koeln.nrw.de'],
  },
  notar: {
    number: '0099/26',
    name: 'Notar Petersen',
    parties: [['client', 'Notar Jens Petersen', 'petersen@notariat-petersen.example']],
    references: [['NotZ(Brfg) 2/25', 'poststelle@bgh.bund.de']],
    senders: ['poststelle@bgh.bund.de'],
  },
  verfassung: {
    number: '0101/26',
    name: 'Verfassungsbeschwerde Albers',
    parties: [['client', 'Nina Albers', 'nina.albers@webpost.example']],
    references: [['1 BvR 1/26', 'bverfg@bundesverfassungsgericht.de']],
    senders: ['bverfg@bundesverfassungsgericht.de'],
  },
  revision: {
    number: '0105/26',
    name: 'Dorn ./. Fassadenbau Lutz – Revision',
    parties: [
      ['client', 'Viktor Dorn', 'v.dorn@postfach.example'],
      ['opponent', 'Fassadenbau Lutz GmbH', 'post@fassaden-lutz.example'],
      ['opponent_counsel', 'Rechtsanwälte Kessler Lang', 'sekretariat@kessler-lang.example'],
    ],
    references: [['VII ZR 12/26', 'poststelle@bgh.bund.de']],
    senders: ['poststelle@bgh.bund.de', 'kessler@kessler-lang.example'],
    lawyer: 'user_morgenroth',
  },
  novatek: {
    number: '0110/26',
    name: 'Novatek GmbH ./. Stein',
    parties: [
      ['client', 'Novatek GmbH', 'recht@novatek.example'],
      ['opponent', 'Ralf Stein', 'ralf.stein@novatek.example'],
    ],
    senders: ['geschaeftsleitung@novatek.example'],
  },
  novatekPatent: {
    number: '0112/26',
    name: 'Novatek GmbH – Lizenzvertrag Orbis',
    parties: [
      ['client', 'Novatek GmbH', 'recht@novatek.example'],
      ['opponent', 'Orbis Sensorik AG', 'legal@orbis-sensorik.example'],
    ],
    senders: ['geschaeftsleitung@novatek.example'],
  },
  huberErbe: {
    number: '0120/25',
    name: 'Huber – Nachlass Josef Huber',
    status: 'closed',
    parties: [['client', 'Maria Huber', 'maria.huber@webpost.example']],
    references: [['62 VI 451/25', 'nachlassgericht@ag-m.bayern.de']],
    senders: ['nachlassgericht@ag-m.bayern.de'],
  },
  huberPflichtteil: {
    number: '0121/26',
    name: 'Huber ./. Huber – Pflichtteil',
    parties: [
      ['client', 'Maria Huber', 'maria.huber@webpost.example'],
      ['opponent', 'Georg Huber', 'georg.huber@funkpost.example'],
    ],
    lawyer: 'user_lohse',
  },
  sander: {
    number: '0007/26',
    name: 'Sander ./. Reiseland Sonnig',
    parties: [
      ['client', 'Elke Sander', 'elke.sander@webpost.example'],
      ['opponent', 'Reiseland Sonnig GmbH', 'service@reiseland-sonnig.example'],
    ],
  },
  pohl: {
    number: '0012/26',
    name: 'Pohl ./. Neumann – Räumung',
    parties: [
      ['client', 'Gerd Pohl', 'gerd.pohl@postfach.example'],
      ['opponent', 'Lars Neumann', 'lars.neumann@funkpost.example'],
    ],
  },
  weber: {
    number: '0160/26',
    name: 'Weber ./. Nordwall Versicherung – Berufsunfähigkeit',
    parties: [
      ['client', 'Jonas Weber', 'jonas.weber@postfach.example'],
      ['opponent', 'Nordwall Versicherung AG', 'leben@nordwall-versicherung.example'],
    ],
    lawyer: 'user_aydin',
  },
  baumann: {
    number: '0170/26',
    name: 'Elektro Baumann ./. Voss',
    parties: [
      ['client', 'Elektro Baumann e. K.', 'buero@elektro-baumann.example'],
      ['opponent', 'Dirk Voss', 'dirk.voss@funkpost.example'],
    ],
  },
  krause: {
    number: '0181/26',
    name: 'Bußgeldsache Krause',
    parties: [
      ['client', 'Lena Krause', 'lena.krause@webpost.example'],
      ['authority', 'Bayerisches Polizeiverwaltungsamt', 'poststelle@polizeiverwaltungsamt.bayern.de'],
    ],
  },
  rahimi: {
    number: '0190/26',
    name: 'Rahimi – Asylverfahren',
    parties: [['client', 'Samira Rahimi', 'samira.rahimi@funkpost.example']],
    references: [['5 K 1290/26.A', 'poststelle@vg-koeln.nrw.de']],
    senders: ['poststelle@vg-koeln.nrw.de', 'poststelle@bamf.bund.de'],
  },
  betreuung: {
    number: '0200/26',
    name: 'Betreuung Ilse Kramer',
    parties: [['client', 'Ilse Kramer']],
    references: [['XVII 88/26', 'betreuungsgericht@agstuttgart.justiz.bwl.de']],
    senders: ['betreuungsgericht@agstuttgart.justiz.bwl.de'],
  },
  archiv: {
    number: '0033/19',
    name: 'Sommerfeld ./. Gemeinde Auental',
    status: 'archived',
    parties: [['client', 'Peter Sommerfeld', 'p.sommerfeld@postfach.example']],
  },
  zahnarzt: {
    number: '0145/26',
    name: 'Dr. Winter ./. Quellmalz – Honorar',
    parties: [
      ['client', 'Dr. Paul Winter', 'praxis@zahnarzt-winter.example'],
      ['opponent', 'Susanne Quellmalz', 'susanne.quellmalz@webpost.example'],
    ],
  },
  verein: {
    number: '0151/26',
    name: 'TSV Auental – Satzung',
    parties: [['client', 'TSV Auental e. V.', 'vorstand@tsv-auental.example']],
    senders: ['kassenwart@tsv-auental.example'],
  },
  gesellschafter: {
    number: '0175/26',
    name: 'Thalmann ./. Thalmann & Söhne OHG',
    parties: [
      ['client', 'Robert Thalmann', 'robert@thalmann-soehne.example'],
      ['opponent', 'Thalmann & Söhne OHG', 'office@thalmann-soehne.example'],
    ],
    references: [['14 O 208/26', 'poststelle@lg.justiz.hamburg.de']],
    senders: ['poststelle@lg.justiz.hamburg.de'],
  },
  rothe: {
    number: '0188/26',
    name: 'Rothe ./. Rothe – Unterhalt',
    parties: [
      ['client', 'Julia Rothe', 'familie.rothe@webpost.example'],
      ['opponent', 'Martin Rothe', 'familie.rothe@webpost.example'],
    ],
  },
} satisfies Record<string, FirmCase>

export type CaseKey = keyof typeof firm

const inboundMailbox = 'akten@eingang.kanzlei-morgenroth.example'

export const settings: TriageSettings = {
  deactivated_users: [],
  own_mailboxes: [
    inboundMailbox,
    'j.morgenroth@kanzlei-morgenroth.example',
    'f.aydin@kanzlei-morgenroth.example',
    's.lohse@kanzlei-morgenroth.example',
    'p.kunz@kanzlei-morgenroth.example',
  ],
  auto_file: 'certain',
  file_number_form: '0010/26',
}

/** The message id of our mail number `count` in a case: what an answer names. */
export function ourMessageId(key: CaseKey, count = 1): string {
  return `<${key.toLowerCase()}-${count}@kanzlei-morgenroth.example>`
}

const entries = Object.entries(firm) as [CaseKey, FirmCase][]

export function caseIdOf(key: CaseKey): string {
  const at = entries.findIndex(([it]) => it === key)
  return `00000000-0000-4000-8000-${String(at + 1).padStart(12, '0')}`
}

const partyIdOf = (name: string) => `party_${fold(name).replaceAll(' ', '-')}`

const cases: FoundCase[] = entries.map(([key, { number, name, status, parties, lawyer }]) => ({
  id: caseIdOf(key),
  file_number: number,
  name,
  status: status ?? 'active',
  parties: parties.map(([role, partyName]) => ({ id: partyIdOf(partyName), role, name: partyName })),
  staff: lawyer === undefined ? [] : [{ id: lawyer, role: 'lawyer' }],
}))

const parties: FoundParty[] = [
  ...Map.groupBy(
    entries.flatMap(([key, { parties: ofCase }]) =>
      ofCase.map(([role, name, email = null]) => ({ case_id: caseIdOf(key), role, name, email })),
    ),
    ({ name, email }) => `${name} ${email}`,
  ).values(),
].map((roles) => {
  const [{ name, email }] = roles as [(typeof roles)[0]]
  return { id: partyIdOf(name), name, email, cases: roles.map(({ case_id, role }) => ({ case_id, role })) }
})

const wordsOf = (name: string) =>
  fold(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** The records of the office that its store finds for the signals of a message. */
export function lookUp(signals: Signals): Found {
  const { sender } = signals
  const fileNumbers = new Set(signals.file_numbers.map(({ key }) => key))
  const references = new Set(signals.court_references.map(({ key }) => key))
  const messages = new Set(signals.message_ids)
  const names = signals.names.map(({ name }) => wordsOf(name))
  const found = {
    file_numbers: cases.flatMap(({ id, file_number }) => {
      const key = fileNumberKey(file_number, settings.file_number_form) ?? ''
      return fileNumbers.has(key) ? [{ key, case_id: id }] : []
    }),
    court_references: entries.flatMap(([caseKey, { references: learnt = [] }]) =>
      learnt.flatMap(([written, from]) => {
        const key = courtReferenceKey(written) ?? ''
        return references.has(key) ? [{ key, case_id: caseIdOf(caseKey), learnt_from: [from] }] : []
      }),
    ),
    threads: entries.flatMap(([key]) =>
      [1, 2].flatMap((count) => {
        const message_id = ourMessageId(key, count)
        return messages.has(message_id) ? [{ message_id, case_id: caseIdOf(key) }] : []
      }),
    ),
    senders: entries.flatMap(([key, { senders = [] }]) =>
      sender !== null && senders.includes(sender) ? [{ case_id: caseIdOf(key) }] : [],
    ),
    parties: parties.filter(
      ({ name, email }) =>
        (email !== null && email === sender) ||
        names.some((words) => words.length > 0 && words.every((word) => wordsOf(name).includes(word))),
    ),
    named_cases: signals.names.flatMap(({ name, versus, place }) => {
      const words = wordsOf(`${name} ${versus ?? ''}`)
      const isSearched = place !== 'sender' && words.length > 1
      return cases.flatMap((one) =>
        isSearched && words.every((word) => wordsOf(one.name).includes(word))
          ? [{ name, versus, case_id: one.id }]
          : [],
      )
    }),
  }
  const ids = new Set(
    [
      ...found.file_numbers,
      ...found.court_references,
      ...found.threads,
      ...found.senders,
      ...found.named_cases,
      ...found.parties.flatMap((party) => party.cases),
    ].map(({ case_id }) => case_id),
  )
  return { ...found, cases: cases.filter(({ id }) => ids.has(id)) }
}
