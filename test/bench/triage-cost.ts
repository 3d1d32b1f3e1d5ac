import { createClient } from '#store/client.ts'
import { tableCursors } from '#store/cursor.ts'
import { triageLookUp } from '#store/inbox/triage-lookups.ts'
import { triageSettings } from '#store/inbox/triage-settings.ts'
import { tableName } from '#store/table.ts'
import type { MessageFacts } from '#triage/facts-schema.ts'
import { judge } from '#triage/judge.ts'
import type { Judgement } from '#triage/schema.ts'
import type { Part, Row } from './report.ts'
import type { Firm } from './seed.ts'
import { type StoreCalls, unitsOf } from './store-calls.ts'
import { court, insurer } from './triage-seed.ts'

const maxGrowth = 1.2

/** Messages that name much of what a firm has: their look-ups must not grow with it. `finds`: a case is suggested. */
const messages: { name: string; facts: (firm: Firm) => Partial<MessageFacts>; finds: boolean }[] = [
  {
    name: 'a court, by a reference that it taught in an old case',
    facts: () => ({ from: { name: null, email: court }, subject: 'Ladung in Sachen 1 O 1/26' }),
    finds: true,
  },
  {
    name: 'an insurer who is a party of every case, with our number',
    facts: (firm) => ({
      from: insurer,
      subject: `Schaden 4711`,
      text: `Ihr Zeichen: 0002/${firm.year}`,
    }),
    finds: true,
  },
  {
    name: 'an answer to our mail, with a changed subject',
    facts: (firm) => ({
      from: { name: 'Max Müller', email: 'max@mueller.example' },
      in_reply_to: [firm.messageId],
      references: [firm.messageId],
    }),
    finds: true,
  },
  {
    name: 'somebody unknown, with names that many parties have',
    facts: () => ({
      from: { name: 'Anna Müller', email: 'anna@mueller.example' },
      subject: 'Schmidt ./. Becker Bau GmbH',
      text: 'Ihr Mandant Hans Fischer und Frau Eva Weber schulden die Miete.',
    }),
    finds: false,
  },
  {
    name: 'everything that a message may name',
    facts: (firm) => ({
      from: { name: 'Anna Müller', email: court },
      subject: Array.from({ length: 8 }, (_, at) => `${at + 1} O 1/26`).join(', '),
      text: Array.from(
        { length: 8 },
        (_, at) => `Ihr Zeichen: ${String(at + 1).padStart(4, '0')}/${firm.year}\nHerr Hans Fischer`,
      ).join('\n'),
      references: Array.from({ length: 12 }, (_, at) => `<${at}@x.example>`),
    }),
    finds: true,
  },
]

/** Measures the read units of judging messages, in workspaces with many cases. */
export async function measureTriageCost(firms: Firm[], storeCalls: StoreCalls): Promise<Part> {
  const db = { client: createClient(), table: tableName() }
  const cursors = tableCursors(db)
  const judgeMessage = judge({
    lookUp: triageLookUp({ db, cursors }),
    findSettings: triageSettings({ db, cursors }),
  })
  const rows: Row[] = []
  const targets: Part['targets'] = []
  for (const { name, facts, finds } of messages) {
    const charges: { read: number; calls: number }[] = []
    for (const firm of firms) {
      const message = { ...plainMessage, ...facts(firm) }
      const { result, calls } = await storeCalls.record(() => judgeMessage(firm.workspaceId, message))
      requireFound(name, result, finds)
      charges.push(unitsOf(calls))
    }
    const growth = (charges.at(-1)?.read ?? 0) / (charges[0]?.read ?? 1)
    rows.push({
      message: name,
      ...Object.fromEntries(
        charges.map(({ read, calls }, at) => [`at ${firms[at]?.cases}`, `${read} R in ${calls}`]),
      ),
      growth: growth.toFixed(2),
    })
    targets.push({
      name: `judging ${name}: growth from ${firms[0]?.cases} to ${firms.at(-1)?.cases} cases`,
      measured: growth,
      unit: '×',
      max: maxGrowth,
    })
  }
  return {
    title: 'Cost of judging a message: read units of its look-ups, by number of cases in the workspace',
    method:
      'R read units as the table reports them, and the number of calls, with the settings. An insurer is a party of every case, a court has written in every case, and every fifth case has a client.',
    rows,
    targets,
  }
}

/** A look-up that misses what it should find would be measured for nothing. */
function requireFound(name: string, { triage }: Judgement, finds: boolean): void {
  if (finds && triage.case_suggestions.length === 0)
    throw new Error(`Of the message „${name}“ no case is suggested.`)
}

const plainMessage: MessageFacts = {
  kind: 'mail',
  received_on: '2026-11-20',
  from: null,
  subject: 'Ohne Betreff',
  text: 'Sehr geehrte Damen und Herren',
  in_reply_to: [],
  references: [],
  headers: { auto_submitted: null, list_unsubscribe: null, precedence: null },
  attachments: [],
  xjustiz: [],
  verdict: 'passed',
  sender_verified: true,
  protection: 'none',
}
