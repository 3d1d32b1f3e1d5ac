import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createGate } from '#infra/local/gate.ts'

/** The gate between requests and the move of the clock (E9). */

const quiet = async () => true

it('lone work begins after the work that runs, and what that has left to others; what comes meanwhile waits', async () => {
  const gate = createGate({ maxWaitMilliseconds: 10_000 })
  const log: string[] = []
  const running = gate.pass(async () => {
    await sleep(20)
    log.push('before')
    setTimeout(() => log.push('left'), 20)
  })

  const alone = gate.alone(
    () => void log.push('alone'),
    async () => log.includes('left'),
  )
  const after = gate.pass(async () => void log.push('after'))
  await Promise.all([running, alone, after])

  expect(log).toEqual(['before', 'left', 'alone', 'after'])
})

it.each([
  ['a request that does not end', () => new Promise<void>(() => {}), quiet],
  ['work that does not end', async () => {}, async () => false],
])('%s holds lone work up until the limit', async (_, request, isQuiet) => {
  const gate = createGate({ maxWaitMilliseconds: 50 })
  void gate.pass(request)
  const begun = performance.now()

  await gate.alone(() => {}, isQuiet)
  await gate.pass(async () => {})

  expect(performance.now() - begun).toBeGreaterThanOrEqual(45)
})
