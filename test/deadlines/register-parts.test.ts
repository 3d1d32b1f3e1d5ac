import { expect, it } from 'vitest'
import { firstStep } from '#deadlines/history.ts'
import { registerOf } from '#deadlines/register.ts'
import { registerCsv } from '#functions/deadlines/register-csv.ts'
import { registerPage } from '#functions/deadlines/register-page.ts'

const actor = { workspace_id: 'w', user_id: 'u', user_name: '&'.repeat(500), key_id: 'k', scopes: [] }
const at = '2031-04-16T08:00:00.000Z'
const stepOf = (written: string, index: number) =>
  firstStep(
    {
      workspace_id: 'w',
      id: `evt_${String(index).padStart(36, '0')}`,
      title: written.repeat(500 / [...written].length),
      case_id: 'c',
      frist_type: 'hauptfrist',
      due_at: at,
      assigned_to: 'u',
      category: 'other',
      basis: null,
      on_working_day: false,
      chain_id: 'chain',
      follows_days: null,
      created_by: 'u',
      created_at: at,
      due_set_by: 'u',
      case_deleted_at: null,
      verified_by: null,
      verified_at: null,
      delegation: null,
      completed_at: at,
      completed_by: 'u',
      evidence: { type: 'note', text: written.repeat(2_000) },
      struck_at: null,
      struck_by: null,
      struck_reason: null,
      extension: null,
      provisional_for: null,
      exit_control: null,
    },
    { at, actor, action: 'created', timeZone: 'Europe/Berlin' },
  )

/** A part of the register of the day on which these deadlines are due and were created. */
const partOf = (
  steps: ReturnType<typeof stepOf>[],
  after: string | undefined,
  limit?: number,
  complete: Parameters<typeof registerOf>[1] = async (listed) =>
    listed.map(({ has_basis: _, ...record }) => ({ ...record, basis: null })),
) =>
  registerOf(
    {
      day: '2031-04-16',
      workspace: { id: 'w', name: 'Kanzlei', time_zone: 'Europe/Berlin', holiday_region: 'DE-BE' },
      context: { timeZone: 'Europe/Berlin', now: new Date(at) },
      journal: steps.map(({ after: { id }, entry }) => ({ deadline_id: id, entry })),
      lists: {
        open_before: [],
        due: steps.map(({ after: { basis: _, ...listed } }) => ({ ...listed, has_basis: false })),
        completed_without_exit_control: [],
        ahead: [],
      },
      oldestUnchecked: undefined,
      after,
      limit,
    },
    complete,
    async () => ({
      users: new Map([['u', { name: '&'.repeat(500), active: true }]]),
      cases: new Map([['c', { name: '&'.repeat(500), file_number: 'A-1' }]]),
      chains: new Map(),
      evidence: new Map(),
    }),
  )

it.each([
  '😀',
  '"',
  '&',
  '\n',
])('a day full of %j comes in parts below 6 MB that miss nothing', async (written) => {
  const steps = Array.from({ length: 400 }, (_, index) => stepOf(written, index))
  const seen: string[] = []
  let after: string | undefined
  do {
    const { register, next } = await partOf(steps, after)
    const whole = {
      ...register,
      signature: null,
      pagination: { cursor: next ?? null, has_more: next !== undefined },
    }
    for (const body of [JSON.stringify(whole), registerCsv(whole), registerPage(whole)])
      expect(Buffer.byteLength(JSON.stringify({ body }))).toBeLessThan(6_000_000)
    seen.push(
      ...register.due.map(({ id }) => `due ${id}`),
      ...register.entries.map(({ deadline }) => deadline.id),
    )
    after = next
  } while (after !== undefined)

  expect(seen).toEqual([
    ...steps.map((step) => `due ${step.after.id}`),
    ...steps.map((step) => step.after.id),
  ])
})

it('a part whose deadlines were all struck meanwhile is empty, and the next one follows', async () => {
  const steps = [stepOf('a', 1), stepOf('a', 2)]

  const { register, next } = await partOf(steps, undefined, 1, async () => [])

  expect(register.due).toEqual([])
  expect((await partOf(steps, next, 1)).register.due.map(({ id }) => id)).toEqual([steps[1]?.after.id])
})
