import { threadId } from 'node:worker_threads'

/** A function that answers, throws, uses all memory, or never ends, as its event says. */
export async function handler(event: { does: string }): Promise<string> {
  if (event.does === 'throw') throw new Error('As it was told.')
  if (event.does === 'sleep') return new Promise(() => {})
  if (event.does === 'name its thread') return String(threadId)
  const hoard: string[][] = []
  while (event.does === 'hoard') hoard.push(Array.from({ length: 100_000 }, () => `${Math.random()}`))
  return event.does
}
