import type { Service } from './service.ts'

/**
 * Moves the time of a service forward by a duration (`P1D`), after everything that is due meanwhile is done.
 *
 * @throws Error with the answer if it was refused
 */
export async function moveClock(
  { baseUrl }: Pick<Service, 'baseUrl'>,
  advance: string,
): Promise<{ now: string; settled: boolean }> {
  const answer = await fetch(`${baseUrl}/local/clock`, {
    method: 'POST',
    body: JSON.stringify({ advance }),
  })
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
  return (await answer.json()) as { now: string; settled: boolean }
}
