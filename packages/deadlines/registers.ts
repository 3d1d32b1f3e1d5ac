import { calendarDateOf, dayNumberOf } from '#german-time/calendar-date.ts'
import { localDateOf } from '#german-time/local-time.ts'
import { startOfLocalDay } from '#german-time/time-range.ts'
import type { Actor } from '#kernel/actor.ts'
import { canonicalJson } from '#kernel/canonical-json.ts'
import { timestamp } from '#kernel/clock.ts'
import { Failure, invalidAt } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { type DeadlineDeps, lookups } from './lookups.ts'
import { type DueQuery, deadlineStates, type WorkspaceSettings } from './ports.ts'
import { registerOf } from './register.ts'
import type { Register, RegisterSignature, UnsignedRegister } from './register-schema.ts'

type RegisterRequest = {
  date?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
  signed?: 'true' | undefined
}

/** The register of a day, and the evening check that signs it (F12, F20; BGH I ZB 108/17). */
export function deadlineRegisters(deps: DeadlineDeps) {
  const { store, users, cases, evidence, clock } = deps
  const { settingsOf } = lookups(deps)

  /** The deadlines and the journal of a day's register in their current state. */
  const stateOf = async ({ id: workspaceId, time_zone: timeZone }: WorkspaceSettings, day: string) => {
    const startOf = (date: string) => startOfLocalDay(date, timeZone)
    const [from, until] = [startOf(day), startOf(daysAfter(day, 1))]
    // The journal is read first, so that a deadline in it is also in the lists that are read later.
    const journal = await store.journal(workspaceId, from, until)
    const listed = (query: DueQuery) => store.due(workspaceId, query, { limit: maxDeadlines })
    const monthAgo = startOf(daysAfter(day, -30))
    const [open_before, due, ahead, completed_without_exit_control, [oldestUnchecked]] = await Promise.all([
      listed({ states: ['open', 'verified'], until: from }),
      listed({ states: deadlineStates, from, until }),
      listed({ states: ['open', 'verified'], from: until, until: startOf(daysAfter(day, 8)) }),
      store.withoutExitControl(workspaceId, { from: monthAgo, until }),
      store.withoutExitControl(workspaceId, { until: monthAgo }, 1),
    ])
    const lists = {
      open_before,
      due,
      completed_without_exit_control,
      ahead: ahead.filter(({ frist_type }) => frist_type === 'vorfrist'),
    }
    return { day, journal, lists, oldestUnchecked }
  }

  /** The part of a register after the place where the previous part ended. */
  const partOf = (
    workspace: WorkspaceSettings,
    state: Awaited<ReturnType<typeof stateOf>>,
    { now, after, limit }: { now: Date; after: string | undefined; limit: number | undefined },
  ): Promise<{ register: UnsignedRegister; next: string | undefined }> => {
    const { id: workspaceId, time_zone: timeZone } = workspace
    const context = { timeZone, now }
    return registerOf({ ...state, workspace, context, after, limit }, store.complete, async (ids) => {
      const [known, titles, chains, documents, messages] = await Promise.all([
        users.known(workspaceId, ids.users),
        cases.titles(workspaceId, ids.cases),
        store.chains(workspaceId, ids.chains),
        evidence.documentNames(workspaceId, ids.documents),
        evidence.beaMessageNames(workspaceId, ids.messages, timeZone),
      ])
      return { users: known, cases: titles, chains, evidence: new Map([...documents, ...messages]) }
    })
  }

  /**
   * All parts of a day's register, from one state of the deadlines, which is read once: on the day of an import the
   * journal alone has thousands of entries. If a deadline changes during the reading, all are read again. Otherwise a
   * deadline that moves from a list not yet read to a list already read would be in neither.
   */
  const partsOf = async (workspace: WorkspaceSettings, day: string): Promise<UnsignedRegister[]> => {
    const since = new Date(clock.now().getTime() - slowestWriteMs).toISOString()
    const soon = new Date(clock.now().getTime() + millisecondsPerDay).toISOString()
    const changes = async () => (await store.journal(workspace.id, since, soon)).length
    for (let readings = 1; ; readings += 1) {
      const before = await changes()
      const now = clock.now()
      const state = await stateOf(workspace, day)
      const parts: UnsignedRegister[] = []
      for (let after: string | undefined; ; ) {
        const { register, next } = await partOf(workspace, state, { now, after, limit: undefined })
        parts.push(register)
        if (next === undefined) break
        after = next
      }
      if (readings === maxReadings || (await changes()) === before) return parts
    }
  }

  const page = async (
    workspaceId: string,
    list: string,
    register: UnsignedRegister,
    signature: RegisterSignature | null,
    next: string | undefined,
  ): Promise<Register> => {
    const cursor = next === undefined ? null : await store.registerCursors.seal(workspaceId, list, next)
    return { ...register, signature, pagination: { cursor, has_more: cursor !== null } }
  }

  return {
    /**
     * The control printout of a day in the workspace's time zone; today's without a date. With `signed`, exactly as it
     * was last signed.
     *
     * @throws Failure REGISTER_NOT_SIGNED
     */
    async register(actor: Actor, { date, limit, cursor, signed }: RegisterRequest): Promise<Register> {
      const { workspace_id } = actor
      const workspace = await settingsOf(actor)
      const now = clock.now()
      const day = date ?? localDateOf(now, workspace.time_zone)
      if (!signed) {
        const after = cursor && (await store.registerCursors.open(workspace_id, day, cursor))
        const { register, next } = await partOf(workspace, await stateOf(workspace, day), {
          now,
          after,
          limit,
        })
        return page(workspace_id, day, register, null, next)
      }
      const list = `${day} signed`
      const place = cursor
        ? await store.registerCursors.open(workspace_id, list, cursor)
        : `${(await store.signedRegisters.last(workspace_id, day))?.version ?? 0} 1`
      const [version = 0, part = 0] = place.split(' ').map(Number)
      const found = await store.signedRegisters.part(workspace_id, day, version, part)
      if (found === undefined)
        throw new Failure('not_found', 'REGISTER_NOT_SIGNED', 'Nobody has signed the register of this day.')
      const next = found.isLast ? undefined : `${version} ${part + 1}`
      return page(workspace_id, list, found.content, found.signature, next)
    },

    /**
     * Stores the current register of a day with the signer and the time. Signing again adds another version; a signed
     * version never changes.
     *
     * @throws Failure VALIDATION_ERROR for a future day
     */
    async signRegister(
      actor: Actor,
      day: string,
      remarks: string | undefined,
    ): Promise<Answered<RegisterSignature>> {
      const workspace = await settingsOf(actor)
      if (day > localDateOf(clock.now(), workspace.time_zone))
        throw invalidAt('path.date', 'A future day cannot be signed.')
      return store.signedRegisters.sign(actor.workspace_id, day, async (previous) => {
        // Read after the previous version was stored, so the new version has every change that an earlier one has.
        const parts = await partsOf(workspace, day)
        const bare = {
          date: day,
          version: (previous?.version ?? 0) + 1,
          signed_at: timestamp(clock),
          signed_by: { id: actor.user_id, name: actor.user_name },
          remarks: remarks ?? null,
          previous_hash: previous?.hash ?? null,
        }
        const signature = { ...bare, hash: hexDigest(canonicalJson({ ...bare, parts })) }
        return { signature, parts, answer: signature }
      })
    },
  }
}

/** More than any firm has in one list of the register: the Query needs a bound. */
const maxDeadlines = 100_000

/** An entry has the time at which it was decided. It is written at most this much later. */
const slowestWriteMs = 60_000

/** If deadlines change during every reading, the last reading counts. */
const maxReadings = 5

const millisecondsPerDay = 86_400_000

function daysAfter(day: string, days: number): string {
  return calendarDateOf(dayNumberOf(day) + days)
}
