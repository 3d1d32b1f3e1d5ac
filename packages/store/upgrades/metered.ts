import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../db.ts'

type Capacity = { CapacityUnits?: number }

type Answer = { ConsumedCapacity?: Capacity | Capacity[] }

/**
 * A table whose calls count the units that they cost, and that takes no more of them in a second than it may, on average.
 *
 * @param unitsPerSecond read and write units together; undefined: as many as the table gives
 */
export function metered(db: Db, unitsPerSecond: number | undefined): { db: Db; units: () => number } {
  let units = 0
  const startedAt = performance.now()
  const send = async (command: { input: object }): Promise<unknown> => {
    Object.assign(command.input, { ReturnConsumedCapacity: 'TOTAL' })
    const answer = (await db.client.send(command as never)) as Answer
    for (const { CapacityUnits = 0 } of [answer.ConsumedCapacity ?? []].flat()) units += CapacityUnits
    if (unitsPerSecond !== undefined) {
      const wait = (units / unitsPerSecond) * 1_000 - (performance.now() - startedAt)
      if (wait > 0) await sleep(wait)
    }
    return answer
  }
  const client = new Proxy(db.client, {
    get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)),
  })
  return { db: { client, table: db.table }, units: () => units }
}
