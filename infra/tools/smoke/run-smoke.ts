import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AktenlageError, type Client, createClient, type Me } from '#client/client.ts'
import { epochMilliseconds, timestamp } from '#kernel/clock.ts'
import { cleanUp } from './clean-up.ts'
import { samplePdf } from './sample-pdf.ts'

/** The service that is tested, and the keys for it. */
export type Target = { url: string; key: string; secondKey: string | undefined }

type SmokeOptions = {
  /** Receives each line of output. No line contains a key. */
  say: (line: string) => void
  /** After this signal only the deletion is started. */
  interrupted: AbortSignal
  /** For tests: how long a call and a wait may take, in seconds. */
  limits?: Limits
}

type Limits = { callSeconds: number; textSeconds: number; searchSeconds: number }

const usualLimits: Limits = { callSeconds: 20, textSeconds: 180, searchSeconds: 20 }

/** The state of one run, filled step by step. */
type SmokeRun = {
  client: Client
  second: Client | undefined
  /** A word that only the records of this run contain. It finds records whose answer was lost. */
  mark: string
  limits: Limits
  interrupted: AbortSignal
  caseId: string
  deadlineId: string
}

/** @returns a remark for its line; a text that begins with `skipped` if nothing was tried */
type Step = [name: string, work: (run: SmokeRun) => Promise<string | undefined>]

/**
 * Tests the main functions of a running service (U4), and deletes what it created, even after a failed step.
 *
 * @returns whether every step passed and everything was deleted
 */
export async function runSmoke(
  { url, key, secondKey }: Target,
  { say, interrupted, limits = usualLimits }: SmokeOptions,
): Promise<boolean> {
  const clientOf = (apiKey: string) =>
    createClient({ baseUrl: url, apiKey, timeoutSeconds: limits.callSeconds, retries: 1 })
  const run: SmokeRun = {
    client: clientOf(key),
    second: secondKey === undefined ? undefined : clientOf(secondKey),
    mark: `smoke${randomBytes(6).toString('hex')}`,
    limits,
    interrupted,
    caseId: '',
    deadlineId: '',
  }
  const pass = async ([name, work]: Step): Promise<boolean> => {
    const began = performance.now()
    const line = (word: string, remark = '') =>
      say(`${word}  ${seconds(began)}  ${name}${remark === '' ? '' : `: ${remark}`}`)
    try {
      const remark = await work(run)
      line(remark?.startsWith('skipped') ? '-   ' : 'ok  ', remark)
      return true
    } catch (error) {
      line('FAIL', explain(error))
      return false
    }
  }
  const passInOrder = async (list: Step[]): Promise<boolean> => {
    for (const [name, work] of list) {
      const unlessInterrupted = async () => {
        interrupted.throwIfAborted()
        return work(run)
      }
      if (!(await pass([name, unlessInterrupted]))) return false
    }
    return true
  }

  if (!(await passInOrder(before))) return false
  const hasPassed = await passInOrder(steps)
  const isClean = await pass(['delete the created records', ({ client, mark }) => cleanUp(client, mark)])
  return hasPassed && isClean
}

/** Steps that create nothing. */
const before: Step[] = [
  [
    'reach the service',
    async ({ client }) => {
      const { status } = await client.getHealth()
      return requireThat(status === 'ok', 'The answer is not from this service.')
    },
  ],
  [
    'use the keys',
    async ({ client, second }) => {
      const me = await client.getMe()
      requireScopes(me, 'The key', needed)
      if (second === undefined) return undefined
      const other = await second.getMe().catch((error: unknown) => {
        throw new Error(`The second key: ${explain(error)}`)
      })
      requireThat(other.workspace.id === me.workspace.id, 'The second key belongs to another firm.')
      requireThat(
        other.user.id !== me.user.id,
        'The second key belongs to the same user, who may not verify.',
      )
      requireScopes(other, 'The second key', ['deadlines:write'])
      return undefined
    },
  ],
]

const needed = [
  ...(['cases:read', 'cases:write', 'cases:delete', 'contacts:read', 'contacts:write'] as const),
  ...([
    'documents:read',
    'documents:write',
    'documents:delete',
    'deadlines:read',
    'deadlines:write',
  ] as const),
  ...(['calendar:read', 'calendar:write', 'inbox:write', 'reports:read', 'reports:write'] as const),
]

const steps: Step[] = [
  [
    'open a case',
    async (run) => {
      const opened = await run.client.createCase({ body: { name: `Smoke test ${run.mark}` } })
      run.caseId = opened.id
      return opened.file_number
    },
  ],
  [
    'add a party',
    async (run) => {
      const name = `Müller-${run.mark}`
      const { data } = await run.client.addCaseParties({
        params: { id: run.caseId },
        body: [{ type: 'person', name, role: 'Mandantin' }],
      })
      return requireThat(
        data.some((party) => party.name === name),
        'The case does not have the party.',
      )
    },
  ],
  [
    'upload a PDF and wait for its text',
    async ({ client, mark, caseId, limits, interrupted }) => {
      const form = new FormData()
      form.append('file', new File([await samplePdf(mark)], `${mark}.pdf`, { type: 'application/pdf' }))
      form.append('case_id', caseId)
      const { id } = await client.uploadDocument({ body: form })
      const read = await until(limits.textSeconds, interrupted, async () => {
        const document = await client.getDocument({ params: { id } })
        return document.status === 'pending' ? undefined : document
      })
      if (read?.status !== 'processed')
        throw new Error(
          read === undefined
            ? `The document was not read within ${limits.textSeconds} seconds.`
            : `The document could not be read: ${read.status_reason}`,
        )
      const { text } = await client.extractDocument({ params: { id } })
      return requireThat(text.includes(mark), 'The extracted text is not the text of the document.')
    },
  ],
  [
    'calculate a deadline',
    async ({ client }) => {
      // § 517 ZPO: a month from service. Its end is a working day.
      const { due_date } = await client.calculateDeadline({
        body: { preset: 'zpo_berufung', event_date: '2027-03-01', region: 'DE-BE' },
      })
      return requireThat(due_date === '2027-04-01', `The Berufung is due on ${due_date}, not on 2027-04-01.`)
    },
  ],
  [
    'enter a deadline, which its creator may not verify',
    async (run) => {
      const { client, caseId, mark } = run
      const calculation = {
        preset: 'zpo_berufung',
        event_date: timestamp().slice(0, 10),
      } as const
      const [{ due_at }, entered] = await Promise.all([
        client.calculateDeadline({ body: calculation }),
        client.createDeadline({ body: { title: `Berufung ${mark}`, case_id: caseId, calculation } }),
      ])
      run.deadlineId = entered.id
      requireThat(entered.due_at === due_at, `It is due at ${entered.due_at}, not at ${due_at}.`)
      const refusal = await client.verifyDeadline({ params: { id: entered.id } }).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (refusal instanceof AktenlageError && refusal.code === 'DUAL_CONTROL_REQUIRED') return undefined
      throw (
        refusal ?? new Error('The user who entered the deadline could verify it: there is no dual control.')
      )
    },
  ],
  [
    'verify the deadline',
    async ({ second, deadlineId }) => {
      if (second === undefined) return 'skipped: it needs a --second-key'
      const { status } = await second.verifyDeadline({ params: { id: deadlineId } })
      return requireThat(status === 'verified', `The deadline is ${status}.`)
    },
  ],
  [
    'book an event',
    async ({ client, mark, caseId }) => {
      const start = new Date(epochMilliseconds() + 30 * 86_400_000)
      const { id } = await client.createEvent({
        body: {
          title: `Besprechung ${mark}`,
          case_id: caseId,
          start: start.toISOString(),
          end: new Date(start.getTime() + 900_000).toISOString(),
          allow_conflict: true,
        },
      })
      const { data } = await client.listEvents({ query: { case_id: caseId } })
      return requireThat(
        data.some((one) => one.id === id),
        'The event is not in the list of the case.',
      )
    },
  ],
  [
    'draft a mail',
    async ({ client, mark, caseId }) => {
      const { id } = await client.createDraft({
        body: {
          to: ['smoke@example.org'],
          subject: `Entwurf ${mark}`,
          body_html: '<p>Sehr geehrte Damen und Herren,</p>',
          case_id: caseId,
        },
      })
      const { status } = await client.getDraft({ params: { id } })
      return requireThat(status === 'draft', `The draft is ${status}.`)
    },
  ],
  [
    'export a CSV',
    async ({ client, mark }) => {
      const yesterday = new Date(epochMilliseconds() - 86_400_000).toISOString().slice(0, 10)
      const { id } = await client.createExportConfig({
        body: { name: mark, source: 'cases', format: 'csv', filters: { date_from: yesterday } },
      })
      const file = await client.executeExport({ params: { id } })
      return requireThat((await file.text()).includes(mark), 'The export does not contain the case.')
    },
  ],
  [
    'search',
    async ({ client, mark, caseId, limits, interrupted }) => {
      const found = await until(limits.searchSeconds, interrupted, async () => {
        const { data } = await client.listCases({ query: { search: mark } })
        return data.find(({ id }) => id === caseId)
      })
      return requireThat(found !== undefined, 'The case is not found by its name.')
    },
  ],
]

/** Tries every second until there is an answer. @returns undefined if the time limit has passed */
async function until<Answer>(
  maxSeconds: number,
  interrupted: AbortSignal,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const end = performance.now() + maxSeconds * 1_000
  for (;;) {
    interrupted.throwIfAborted()
    const answer = await ask()
    if (answer !== undefined || performance.now() >= end) return answer
    await sleep(1_000, undefined, { signal: interrupted }).catch(() => {})
  }
}

/** @throws Error with the message if the condition is false */
function requireThat(isSo: boolean, message: string): undefined {
  if (!isSo) throw new Error(message)
}

/** @throws Error if a scope is missing: a step would fail, or its records could not be deleted */
function requireScopes(
  { api_key: { scopes } }: Me,
  whose: string,
  wanted: readonly Me['api_key']['scopes'][number][],
) {
  const missing = wanted.filter((scope) => !scopes.includes(scope))
  requireThat(missing.length === 0, `${whose} does not have ${missing.join(', ')}.`)
}

function seconds(began: number): string {
  return `${((performance.now() - began) / 1_000).toFixed(1).padStart(5)} s`
}

/** The error, with the answer of the service. */
function explain(error: unknown): string {
  if (error instanceof AktenlageError) {
    const details = error.details.map(({ path, message }) => `\n    ${path}: ${message}`).join('')
    const request = error.requestId === undefined ? '' : ` (request ${error.requestId})`
    return `${error.status} ${error.code}: ${error.message}${request}${details}`
  }
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'The service did not answer in time.'
  const cause = error.cause instanceof Error ? ` ${error.cause.message}` : ''
  return `${error.message}${cause}`
}
