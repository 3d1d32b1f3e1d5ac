import type * as z from 'zod'
import type { PresetAnswer } from '#deadlines/calculation-schema.ts'
import { type DeadlineHistory, untouched } from '#deadlines/history-schema.ts'
import type { Register } from '#deadlines/register-schema.ts'

/** Real requests and answers for the documentation. */
export const author = 'usr_01993f5e-1b07-7e9a-a4d5-6c2e8f1b3d94'
export const colleague = 'usr_01993f61-90d2-7c40-8a15-2e7b4c9d6f08'
const uuid = '01993f62-3e5a-7f1c-9d27-8b4a6c0e2f13'
export const vorfristId = 'evt_01993f62-3e5a-7f1d-b8e4-51c7d9f20a36'
const basis = {
  preset: 'zpo_berufung',
  name: 'Berufung',
  statute: '§ 517 ZPO',
  notfrist: true,
  extendable: false,
  event_date: '2026-03-16',
  posted_on: null,
  event_at: null,
  pronounced_on: null,
  missed_on: null,
  announced_on: null,
  period: { unit: 'month' as const, count: 1 },
  direction: 'forward' as const,
  region: 'DE-BE' as const,
  region_source: 'request' as const,
  calculated_date: '2026-04-16',
  due_date: '2026-04-16',
  steps: [
    {
      rule: '§ 187 Abs. 1 BGB',
      date: '2026-03-17',
      text: 'Der Tag des Ereignisses (Montag, 16.03.2026) zählt nicht mit; die Frist beginnt am Dienstag, 17.03.2026 (anwendbar nach § 222 Abs. 1 ZPO).',
    },
    {
      rule: '§ 188 Abs. 2 BGB',
      date: '2026-04-16',
      text: 'Die Frist von 1 Monat endet mit Ablauf des Tages, der durch seine Zahl dem Tag des Ereignisses entspricht: Donnerstag, 16.04.2026.',
    },
    {
      rule: '§ 222 Abs. 2 ZPO',
      date: '2026-04-16',
      text: 'Donnerstag, 16.04.2026 ist in Berlin kein Samstag, Sonntag oder gesetzlicher Feiertag; es bleibt bei diesem Tag.',
    },
  ],
  warnings: [
    'Notfrist: Sie kann weder verlängert noch verkürzt werden (§ 224 Abs. 1, 2 ZPO); nach ihrem Ablauf hilft nur die Wiedereinsetzung (§ 233 ZPO).',
    'Sie beginnt spätestens mit Ablauf von fünf Monaten nach der Verkündung.',
  ],
}
export const example = {
  id: `evt_${uuid}`,
  type: 'frist' as const,
  title: 'Berufung gegen das Urteil des LG Berlin II',
  case_id: '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10',
  case_deleted_at: null,
  frist_type: 'hauptfrist' as const,
  due_at: '2026-04-16T23:59:59+02:00',
  status: 'pending' as const,
  overdue: false,
  category: 'rechtsmittel' as const,
  basis,
  assigned_to: author,
  verified_by: null,
  verified_at: null,
  delegation: null,
  completed_at: null,
  completed_by: null,
  evidence: null,
  exit_control: null,
  extension: null,
  provisional_for: null,
  chain_id: 'chain_01993f62-3e5a-7f1b-8f60-7d3e1a9c5b42',
  chain: { vorfrist: vorfristId, hauptfrist: `evt_${uuid}`, nachfrist: null },
  created_by: author,
  created_at: '2026-03-16T08:35:00.000Z',
}
export const verified = {
  ...example,
  status: 'verified' as const,
  verified_by: colleague,
  verified_at: '2026-03-16T09:10:00.000Z',
}
export const completed = {
  ...verified,
  status: 'completed' as const,
  completed_at: '2026-04-14T10:02:00.000Z',
  completed_by: author,
  evidence: {
    type: 'note' as const,
    text: 'Berufungsschrift am 14.04.2026 per beA eingereicht.',
    receipt_at: '2026-04-14T09:58:12.000Z',
    checked_by: author,
  },
}
export const frist = {
  id: `frist_${uuid}`,
  title: example.title,
  deadline: example.due_at,
  case_id: example.case_id,
  case_deleted_at: null,
  frist_type: example.frist_type,
  status: 'open' as const,
  verified: false,
  overdue: false,
  category: example.category,
  provisional_for: null,
  chain_id: example.chain_id,
  assigned_to: author,
  verified_by: null,
  verified_at: null,
  delegation: null,
  completed_at: null,
  completed_by: null,
}

/** The answer to a firm in Bayern for `arbgg_nichtzulassungsbeschwerde` from 4 May 2026. */
export const calculation = {
  due_date: '2026-06-04',
  due_at: '2026-06-04T23:59:59+02:00',
  calculated_date: '2026-06-04',
  shifted: false,
  shift_reason: null,
  region: 'DE-TH' as const,
  region_source: 'court' as const,
  delivered_on: null,
  absolute: null,
  steps: [
    {
      rule: '§ 187 Abs. 1 BGB',
      date: '2026-05-05',
      text: 'Der Tag des Ereignisses (Montag, 04.05.2026) zählt nicht mit; die Frist beginnt am Dienstag, 05.05.2026 (anwendbar nach § 46 Abs. 2 ArbGG).',
    },
    {
      rule: '§ 188 Abs. 2 BGB',
      date: '2026-06-04',
      text: 'Die Frist von 1 Monat endet mit Ablauf des Tages, der durch seine Zahl dem Tag des Ereignisses entspricht: Donnerstag, 04.06.2026.',
    },
    {
      rule: '§ 222 Abs. 2 ZPO',
      date: '2026-06-04',
      text: 'Donnerstag, 04.06.2026 ist in Thüringen (Bundesarbeitsgericht, Erfurt) kein Samstag, Sonntag oder gesetzlicher Feiertag; es bleibt bei diesem Tag.',
    },
  ],
  warnings: [
    'Notfrist: Sie kann weder verlängert noch verkürzt werden (§ 224 Abs. 1, 2 ZPO); nach ihrem Ablauf hilft nur die Wiedereinsetzung (§ 233 ZPO).',
    'Fronleichnam ist in Bayern, wo die Kanzlei ist, gesetzlicher Feiertag, nicht aber in Thüringen, wo die Frist zu wahren ist: Dieser Tag zählt als Werktag.',
    'Ist das Urteil nicht binnen fünf Monaten nach der Verkündung vollständig abgefasst, gilt § 72b ArbGG: sofortige Beschwerde.',
  ],
  related: [
    {
      preset: 'arbgg_nichtzulassungsbeschwerde_begruendung',
      name: 'Begründung der Nichtzulassungsbeschwerde',
      statute: '§ 72a Abs. 3 ArbGG',
      due_date: '2026-07-06',
      due_at: '2026-07-06T23:59:59+02:00',
      calculated_date: '2026-07-04',
      shifted: true,
      shift_reason: 'Samstag, 04.07.2026; Sonntag, 05.07.2026',
      region: 'DE-TH' as const,
      region_source: 'court' as const,
      delivered_on: null,
      absolute: null,
      steps: [
        {
          rule: '§ 187 Abs. 1 BGB',
          date: '2026-05-05',
          text: 'Der Tag des Ereignisses (Montag, 04.05.2026) zählt nicht mit; die Frist beginnt am Dienstag, 05.05.2026 (anwendbar nach § 46 Abs. 2 ArbGG).',
        },
        {
          rule: '§ 188 Abs. 2 BGB',
          date: '2026-07-04',
          text: 'Die Frist von 2 Monaten endet mit Ablauf des Tages, der durch seine Zahl dem Tag des Ereignisses entspricht: Samstag, 04.07.2026.',
        },
        {
          rule: '§ 222 Abs. 2 ZPO',
          date: '2026-07-06',
          text: 'Das Ende fällt in Thüringen (Bundesarbeitsgericht, Erfurt) nicht auf einen Werktag: Samstag, 04.07.2026; Sonntag, 05.07.2026. Die Frist endet mit Ablauf des nächsten Werktags: Montag, 06.07.2026.',
        },
      ],
      warnings: [
        'Notfrist: Sie kann weder verlängert noch verkürzt werden (§ 224 Abs. 1, 2 ZPO); nach ihrem Ablauf hilft nur die Wiedereinsetzung (§ 233 ZPO).',
        'Anders als im Zivilprozess ist auch die Begründungsfrist eine Notfrist.',
      ],
    },
  ],
}

/** A deadline that a court can extend. */
export const reasons = {
  ...example,
  title: 'Berufungsbegründung gegen das Urteil des LG Berlin II',
  due_at: '2026-05-18T23:59:59+02:00',
  category: 'begruendung' as const,
  basis: null,
}

export const requested = {
  requested_at: '2026-05-11T09:05:00.000Z',
  requested_by: author,
  requested_until: '2026-06-18T23:59:59+02:00',
  note: 'Telefonat mit der Geschäftsstelle.',
  state: 'requested' as const,
  until: null,
  decided_at: null,
  decided_by: null,
  provisional_id: 'evt_01993f6a-4c1b-7a2d-8e35-9b0f7d6c5a41',
}

export const signature = {
  date: '2026-03-16',
  version: 1,
  signed_at: '2026-03-16T17:45:00.000Z',
  signed_by: { id: colleague, name: 'Jonas Petersen' },
  remarks: 'Postausgang verglichen, keine Abweichung.',
  previous_hash: null,
  hash: '9f2c1e7a4b8d6035c1f4e2a97b0d8c365a41f7e9d2b80c6e13f5a7d9e4b2c081',
}

export const preset: z.input<typeof PresetAnswer> = {
  key: 'zpo_berufung',
  name: 'Berufung',
  area: 'civil',
  event: 'Zustellung des Urteils',
  period: { unit: 'month', count: 1 },
  start: 'after_event',
  direction: 'forward',
  statute: '§ 517 ZPO',
  category: 'rechtsmittel',
  notfrist: true,
  extendable: false,
  absolute: {
    field: 'pronounced_on',
    period: { unit: 'month', count: 5 },
    statute: '§ 517 ZPO',
    kind: 'start',
  },
  related: 'zpo_berufungsbegruendung',
  note: 'Sie beginnt spätestens mit Ablauf von fünf Monaten nach der Verkündung.',
  checked_until: '2026-04-29',
}

/** A real answer of a service, so that its hash can be recalculated. */
export const history: DeadlineHistory = {
  data: [
    {
      seq: 1,
      at: '2026-11-22T23:17:04.945Z',
      actor: {
        type: 'user',
        id: 'usr_01a2058c-5941-7080-95c8-527bdf89178a',
        name: 'Dr. Katharina Lindner',
        key_id: 'ak_01a2058c-596d-70b1-a983-84ba14f8a009',
      },
      action: 'created',
      before: null,
      after: {
        id: 'evt_01a2058c-8531-7059-8dba-7ff3ff8a203a',
        title: 'Vorfrist: Klage gegen die Nutzungsuntersagung',
        case_id: '01a2058c-69cc-703b-b028-f4b96b39117d',
        frist_type: 'vorfrist',
        due_at: '2026-12-11T23:59:59+01:00',
        assigned_to: 'usr_01a2058c-5941-7080-95c8-527bdf89178a',
        category: 'rechtsmittel',
        basis: null,
        chain_id: 'chain_01a2058c-8531-7057-87b8-024c6e957610',
        created_by: 'usr_01a2058c-5941-7080-95c8-527bdf89178a',
        created_at: '2026-11-22T23:17:04.945Z',
        ...untouched,
      },
      reason: null,
      hash: '4dfca6f17879cd2f42518138e729b96c5955fdccd2233087667885fbbcd2cb99',
      previous_hash: null,
    },
  ],
  pagination: { cursor: null, has_more: false },
  intact: true,
}

/** The register of a day on which nothing was due and nothing happened. */
export const quietRegister: Register = {
  date: '2026-03-16',
  workspace: {
    id: 'ws_01993f5d-4e02-7b1c-9f33-8a5d6c7e2b10',
    name: 'Kanzlei Vogt & Partner',
    time_zone: 'Europe/Berlin',
  },
  generated_at: '2026-03-16T17:05:00.000Z',
  part: 1,
  pagination: { cursor: null, has_more: false },
  signature: null,
  entries: [],
  open_before: [],
  due: [],
  completed_without_exit_control: [],
  ahead: [],
  totals: {
    entries: {
      total: 0,
      created: 0,
      changed: 0,
      verified: 0,
      delegated: 0,
      completed: 0,
      exit_controlled: 0,
      reopened: 0,
      extension_requested: 0,
      extension_granted: 0,
      extension_refused: 0,
      receipt_given: 0,
      struck: 0,
    },
    due: { total: 0, pending: 0, verified: 0, expired: 0, completed: 0, struck: 0 },
    open_before: 0,
    completed_without_exit_control: 0,
    ahead: 0,
    control: { overdue: 0, struck_done: 0, struck_undone: 0 },
  },
  users: [],
  cases: [],
  evidence: [],
}
