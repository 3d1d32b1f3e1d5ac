import { setTimeout as sleep } from 'node:timers/promises'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { bookkeeping } from '#kernel/changes.ts'
import { oneAfterAnother } from '#kernel/one-after-another.ts'
import { timeLeft } from '#kernel/time-limit.ts'
import { unavailable } from '#kernel/unavailable.ts'
import { counterEntity } from './counter-entity.ts'
import type { Db } from './db.ts'
import { type Action, change, type OldItem } from './transact.ts'

/** Thrown by the use of a number that somebody chose by hand: the next one is tried. */
export class NumberTaken extends Error {
  constructor() {
    super('Somebody chose this number by hand.')
    this.name = 'NumberTaken'
  }
}

/** The result of the use of a number. If the number was not used, the next caller gets it. */
export type NumberUse<Result> = { isUsed: boolean; result: Result }

/** A series of numbers of a workspace. */
type Series = { workspace_id: string; series: string }

/**
 * Gives out the numbers of a series, each once and without a gap, even if a process crashes (C1). The transaction that
 * uses a number moves the counter, on the condition that the counter is unchanged since it was read.
 *
 * Two such transactions cannot commit at the same time. Hundreds of processes at once would fail and repeat them until
 * their time is over. Therefore each draws a ticket first, and they go one after the other. A process waits about as
 * long as the processes before it need, and attempts its transaction when it is next. The tickets only set the order.
 * The condition keeps the numbers right, so a ticket may be lost: when the counter does not move for a while, the next
 * in line goes.
 */
export function gaplessNumbers(db: Db) {
  const counters = counterEntity(db)
  const inProcess = oneAfterAnother()

  /** The state in which this process left each counter. Nobody moved it since if the next ticket is ours again. */
  const left = new Map<string, Standing>()

  /** Without ElectroDB, which would cost time: whoever waits in line reads the counter several times. */
  const read = async (key: Series): Promise<Standing> => {
    const { Key } = counters.get(key).params<{ Key: Record<string, string> }>()
    const { Item } = await db.client.send(new GetCommand({ TableName: db.table, Key, ConsistentRead: true }))
    return { last: Item?.last, served: Item?.served ?? 0 }
  }

  /** An update outside of transactions: as many as come at once succeed, one after the other. It is no change for the caller. */
  const drawTicket = async ({ workspace_id, series }: Series): Promise<number> => {
    const line = { workspace_id, series: `${series}/line` }
    const drawn = counters.upsert(line).add({ last: 1 })
    const { data } = await bookkeeping(() => drawn.go({ response: 'updated_new' }))
    return data.last ?? 1
  }

  /** Moves the counter to this number if it still stands where it was read. @throws Moved otherwise */
  const advance = (key: Series, { last }: Standing, number: number, served: number): Action => {
    const moved = counters
      .upsert(key)
      .set({ last: number, served })
      .where((at, { eq, notExists }) => (last === undefined ? notExists(at.last) : eq(at.last, last)))
    return change(moved, (old) => new Moved(standingOf(old)))
  }

  /** Lets the next in line go if a ticket was not used, so that nobody waits until it counts as lost. */
  const passOn = async (key: Series, ticket: number): Promise<void> => {
    const passed = counters
      .patch(key)
      .set({ served: ticket })
      .where(({ served }, { eq }) => eq(served, ticket - 1))
    await bookkeeping(() => passed.go()).catch(() => undefined)
  }

  return {
    /**
     * Uses the next number of the series.
     *
     * @param use writes what bears the number in one transaction, with `advance` as its first action. It throws
     *   NumberTaken if the number is in use already, and may be called again with another number.
     * @param firstFree the first number from `from` on that is not in use, if numbers may be chosen by hand
     * @returns the result of `use`
     * @throws Failure 503 SERVICE_UNAVAILABLE if the request's time is over before its turn comes
     */
    async next<Result>(
      key: Series,
      use: (number: number, advance: Action) => Promise<NumberUse<Result>>,
      firstFree: (from: number) => Promise<number> = async (from) => from,
    ): Promise<Result> {
      const name = `${key.workspace_id} ${key.series}`

      const attempt = async (standing: Standing, ticket: number): Promise<Result> => {
        for (let number = (standing.last ?? 0) + 1; ; number = await firstFree(number + 1)) {
          try {
            const { isUsed, result } = await use(number, advance(key, standing, number, ticket))
            if (isUsed) left.set(name, { last: number, served: ticket })
            else await passOn(key, ticket)
            return result
          } catch (error) {
            if (!(error instanceof NumberTaken)) throw error
          }
        }
      }

      /** Waits for the turn of a new ticket. Undefined if somebody with a later one went ahead of it. */
      const inLine = async (): Promise<{ result: Result } | undefined> => {
        const ticket = await drawTicket(key)
        const known = left.get(name)
        let now = known?.served === ticket - 1 ? known : await read(key)
        /** How long a turn took, before the last look and before the one before it. */
        let pace: [number, number] = [usualTurnMilliseconds, usualTurnMilliseconds]
        let lookedAt = performance.now()
        let movedAt = lookedAt
        for (;;) {
          const ahead = ticket - now.served - 1
          if (ahead < 0) return undefined
          // A process that sleeps too long delays all behind it, so the shorter of the two counts.
          const turnMilliseconds = Math.min(...pace)
          const stillFor = performance.now() - movedAt
          if (ahead === 0 || stillFor > patience(ahead, turnMilliseconds)) {
            try {
              return { result: await attempt(now, ticket) }
            } catch (error) {
              if (!(error instanceof Moved)) {
                await passOn(key, ticket)
                throw error
              }
              ;[now, movedAt] = [error.standing, performance.now()]
            }
          } else {
            await wait(pauseOf(ahead, turnMilliseconds, performance.now() - lookedAt))
            const later = await read(key)
            const [turns, at] = [later.served - now.served, performance.now()]
            if (turns > 0) {
              pace = [pace[1], (at - lookedAt) / turns]
              lookedAt = at
            }
            if (later.last !== now.last) movedAt = at
            now = later
          }
        }
      }

      return inProcess(name, async () => {
        for (;;) {
          const used = await inLine()
          if (used) return used.result
        }
      })
    },
  }
}

/** The state of a counter: its number, and the ticket that used it last. */
type Standing = { last: number | undefined; served: number }

/** Thrown if the counter was moved since it was read. The failed condition says to where. */
class Moved extends Error {
  readonly standing: Standing

  constructor(standing: Standing) {
    super('Another record took the number first.')
    this.name = 'Moved'
    this.standing = standing
  }
}

function standingOf(old: OldItem | undefined): Standing {
  const last = old?.last?.N
  return { last: last === undefined ? undefined : Number(last), served: Number(old?.served?.N ?? 0) }
}

/** How long a transaction takes, before it is known how long those ahead take. */
const usualTurnMilliseconds = 15

/**
 * Pauses are planned for turns of at most this length. Turns are slow while many requests arrive, and fast soon after. A
 * request that plans for slow turns would be late.
 */
const plannedTurnMilliseconds = 20

/** How long a process waits between two looks at the counter: when it is next, and otherwise at least and at most. */
const [nextMilliseconds, lookMilliseconds, maxWaitMilliseconds] = [4, 6, 2_000]

/** After this time without a new number, the `ahead` requests in front count as gone. The next in line waits least. */
function patience(ahead: number, turnMilliseconds: number): number {
  return Math.min(1_500, Math.max(400, 5 * turnMilliseconds)) + 10 * ahead
}

/**
 * The time to wait until the next look, in milliseconds. It is most of the time until the process before us goes, so
 * that the next look is not too late if the processes ahead get faster. The next process in line looks often: between
 * the end of the turn before and this look nobody goes.
 */
function pauseOf(ahead: number, turnMilliseconds: number, sinceLookMilliseconds: number): number {
  if (ahead === 1) return nextMilliseconds
  const expected = (ahead - 1) * Math.min(turnMilliseconds, plannedTurnMilliseconds) - sinceLookMilliseconds
  return Math.min(maxWaitMilliseconds, Math.max(lookMilliseconds, expected * (0.6 + Math.random() / 10)))
}

/** @throws Failure 503 if the request's time would be over */
async function wait(milliseconds: number): Promise<void> {
  if (timeLeft() < milliseconds + 50) throw unavailable('Too many numbers at once.', { retryAfterSeconds: 1 })
  await sleep(milliseconds)
}
