import { expect } from 'vitest'
import type { Api } from './api.ts'
import { growingPauses } from './growing-pauses.ts'

/** An answer of the search. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they state themselves
export async function search(caller: Api, q: string, query: Record<string, string> = {}): Promise<any> {
  const parameters = new URLSearchParams({ q, ...query })
  const { status, body } = await caller('GET', `/api/v1/search?${parameters}`)
  expect([status, body.error]).toEqual([200, undefined])
  return body
}

/** The ids of the hits of a search. */
export async function idsOf(caller: Api, q: string, query: Record<string, string> = {}): Promise<string[]> {
  return (await search(caller, q, query)).data.map(({ id }: { id: string }) => id)
}

/** Waits until nothing is pending. @throws after `seconds` */
export async function indexed(caller: Api, seconds = 90): Promise<void> {
  const until = performance.now() + seconds * 1_000
  for await (const _ of growingPauses()) {
    const { index } = await search(caller, 'egal')
    if (index.pending === 0) return
    if (performance.now() > until) throw new Error(`${index.pending} are not indexed after ${seconds} s.`)
  }
}

/** Waits until a record is found. @throws after 90 seconds */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they state themselves
export async function found(caller: Api, q: string, id: string): Promise<any> {
  const until = performance.now() + 90_000
  for await (const _ of growingPauses()) {
    const hit = (await search(caller, q)).data.find((one: { id: string }) => one.id === id)
    if (hit !== undefined) return hit
    if (performance.now() > until) throw new Error(`${id} is not found by ${q}.`)
  }
}
