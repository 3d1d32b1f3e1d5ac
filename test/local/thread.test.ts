import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ServiceThread, startThread, type ThreadOptions } from '#infra/local/emulators/thread.ts'

const failing = new URL('../support/failing-thread.ts', import.meta.url)
const stopping: ServiceThread[] = []
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(async () => {
  for (const thread of stopping.splice(0)) await thread.stop()
})

async function start(changes: Partial<ThreadOptions> = {}): Promise<ServiceThread> {
  const thread = await startThread({ name: 'toy', module: failing, ...changes })
  stopping.push(thread)
  return thread
}
const ask = (thread: ServiceThread, path = '/') =>
  fetch(thread.endpoint + path).then((answer) => answer.text())

test.each([
  '/throw',
  '/reject',
  '/exit',
])('a thread that ends by %s is restarted at the same address, and lost data can be created again', async (path) => {
  const onRestart = vi.fn(() => Promise.resolve())
  const thread = await start({ onRestart })
  await ask(thread)

  await ask(thread, path).catch(() => {})
  await vi.waitFor(() => expect(onRestart).toHaveBeenCalledTimes(1), { timeout: 60_000 })

  expect(await ask(thread)).toBe('1')
})

test('a thread that ends again and again is given up with a reason', async () => {
  const thread = await start()
  const end = setInterval(() => ask(thread, '/exit').catch(() => {}), 50)

  const reason = await thread.died
  clearInterval(end)

  expect(reason).toMatch(/toy does not start again: .*5 times within a minute/)
})

test('a thread that cannot start again is given up, too', async () => {
  const thread = await start({ workerData: { startsOnce: true } })

  await ask(thread, '/exit').catch(() => {})

  expect(await thread.died).toContain('does not start again')
})

test('a thread that does not start says why', async () => {
  const module = new URL('data:text/javascript,throw new Error("No such luck.")')

  await expect(startThread({ name: 'toy', module })).rejects.toThrow('No such luck.')
})

test('a thread that is stopped stays so', async () => {
  const onRestart = vi.fn(() => Promise.resolve())
  const thread = await start({ onRestart })

  await thread.stop()

  await expect(ask(thread)).rejects.toThrow()
  expect(onRestart).not.toHaveBeenCalled()
})
