import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { inTurn } from '#webhooks/deliveries/in-turn.ts'

it('a source that fails ends nothing that was begun: its failure is thrown after that', async () => {
  const done: number[] = []
  async function* source() {
    yield 1
    yield 2
    throw new Error('The source fails.')
  }
  const work = async (item: number) => {
    await sleep(20 * item)
    done.push(item)
  }

  await expect(inTurn(source, work, () => 5)).rejects.toThrow('The source fails.')

  expect(done).toEqual([1, 2])
})
