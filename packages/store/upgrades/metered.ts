import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../db.ts'

type Capacity = { CapacityUnits?: number }

type Answer = { ConsumedCapacity?: Capacity | Capacity[] }

/** Units that were not used earlier than this are lost: after a slow phase no burst follows. */
const creditMilliseconds = 1_000

/**
 * A table whose calls count the units that they cost, and that takes no more of them in a second than it may.
 *
 * @param unitsPerSecond read and write units together; undefined: as many as the table gives
 */
export function metered(db: Db, unitsPerSecond: number | undefined): { db: Db; units: () => number } {
  let units = 0
  /** When all units that were taken are paid for. */
  let paidAt = performance.now()
  const send = async (command: { input: object }): Promise<unknown> => {
    Object.assign(command.input, { ReturnConsumedCapacity: 'TOTAL' })
    const answer = (await db.client.send(command as never)) as Answer
    const capacities = [answer.ConsumedCapacity ?? []].flat()
    const taken = capacities.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
    units += taken
    if (unitsPerSecond !== undefined) {
      const now = performance.now()
      paidAt = Math.max(paidAt, now - creditMilliseconds) + (taken / unitsPerSecond) * 1_000
      if (paidAt > now) await sleep(paidAt - now)
    }
    return answer
  }
  const client = new Proxy(db.client, {
    get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)),
  })
  return { db: { client, table: db.table }, units: () => units }
}
