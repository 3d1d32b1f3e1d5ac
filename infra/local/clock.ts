import { setTimeout as sleep } from 'node:timers/promises'
import { epochMilliseconds } from '#kernel/clock.ts'
import { oneAfterAnother } from '#kernel/one-after-another.ts'
import type { DueItems } from './due-items.ts'
import type { QueueState } from './emulators/queue-state.ts'
import type { Pump } from './pump.ts'
import type { Ticker } from './ticker.ts'

/** The clock of a local service, which can be moved forward (E9). */
export type LocalClock = {
  /**
   * Moves the time, in steps from one due moment to the next, and does the due work at each. The clock runs meanwhile.
   * Moves wait for each other.
   *
   * @param targetOf returns the new time, in epoch milliseconds, when this move begins. It may throw to refuse.
   * @throws errors of `targetOf`, and NotSettled; the clock then stays at the last moment that it reached
   */
  move: (targetOf: (now: number) => number) => Promise<void>
  /** Whether nothing runs, waits in a queue to be run now, or is due. */
  isSettled: () => Promise<boolean>
  /** Ends a move at its next step. */
  stop: () => void
}

/** Work has not ended within the time limit, or the service stops. */
export class NotSettled extends Error {}

/** Longer than the ten minutes that a function may work on a message. */
const settleMilliseconds = 15 * 60_000

export function localClock(deps: {
  /**
   * Moves the time of all threads of the process forward to this time, and stores it for the next start. It waits until
   * no request runs and `isQuiet` says that no other work runs.
   */
  set: (to: number, isQuiet: () => Promise<boolean>) => Promise<void>
  due: Pick<DueItems, 'first' | 'at'>
  ticker: Pick<Ticker, 'run' | 'next' | 'isIdle'>
  pump: Pick<Pump, 'isIdle' | 'hasTried'>
  queueState: () => Promise<QueueState>
  hasEmitted: () => boolean
}): LocalClock {
  const { set, due, ticker, pump, queueState, hasEmitted } = deps
  let isStopping = false
  const inTurn = oneAfterAnother()
  /** The due items of earlier steps. If a sweep left an item unchanged, the next one tries it again. */
  const seen = new Set<string>()

  const waitsForLater = ({ until, receiptHandle }: QueueState['hidden'][number]) =>
    until > epochMilliseconds() && (receiptHandle === undefined || pump.hasTried(receiptHandle))

  const isQuiet = async (): Promise<boolean> => {
    const isIdle = () => ticker.isIdle() && pump.isIdle() && hasEmitted()
    if (!isIdle()) return false
    const { ready, hidden } = await queueState()
    return ready === 0 && hidden.every(waitsForLater) && isIdle()
  }

  const settle = async (): Promise<void> => {
    const end = performance.now() + settleMilliseconds
    for (let pause = 2; !(await isQuiet()); pause = Math.min(100, pause * 1.5)) {
      if (isStopping || performance.now() > end) throw new NotSettled()
      await sleep(pause)
    }
  }

  /** The next moment, up to `until`, at which something is due that no step has seen. */
  const nextMoment = async (from: number, until: number): Promise<number | undefined> => {
    const { hidden } = await queueState()
    const moments = [
      due.first(until, (key) => seen.has(key))?.at,
      ticker.next({ from, to: until }),
      ...hidden.map((message) => message.until),
    ]
    const first = Math.min(...moments.filter((moment) => moment !== undefined))
    return first <= until ? first : undefined
  }

  const step = async (from: number, to: number): Promise<number> => {
    await set(to, isQuiet)
    const now = epochMilliseconds()
    for (const { key } of due.at(now)) seen.add(key)
    await ticker.run({ from, to: now })
    await settle()
    return now
  }

  const move = async (targetOf: (now: number) => number): Promise<void> => {
    await settle()
    const start = epochMilliseconds()
    const target = targetOf(start)
    seen.clear()
    let reached = start
    for (;;) {
      if (isStopping) throw new NotSettled()
      const next = await nextMoment(reached, target)
      reached = await step(reached, next ?? target)
      if (next === undefined && due.first(reached, (key) => seen.has(key)) === undefined) return
    }
  }

  return {
    move: (targetOf) => inTurn('move', () => move(targetOf)),
    isSettled: async () => (await isQuiet()) && due.first(epochMilliseconds(), () => false) === undefined,
    stop: () => {
      isStopping = true
    },
  }
}
