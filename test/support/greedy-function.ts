import { request } from 'node:http'
import { threadId } from 'node:worker_threads'
import { functionHeader } from '#infra/local/emulators/function-header.ts'

/** A function that answers, throws, uses all memory, calls S3, or never ends, as its event says. */
export async function handler(event: { does: string }): Promise<string> {
  if (event.does === 'throw') throw new Error('As it was told.')
  if (event.does === 'sleep') return new Promise(() => {})
  if (event.does === 'name its thread') return String(threadId)
  if (event.does === 'name itself') {
    const toS3 = request(process.env.AWS_ENDPOINT_URL_S3 ?? '').on('error', () => {})
    toS3.destroy()
    return String(toS3.getHeader(functionHeader))
  }
  const hoard: string[][] = []
  while (event.does === 'hoard') hoard.push(Array.from({ length: 100_000 }, () => `${Math.random()}`))
  return event.does
}
