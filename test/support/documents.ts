import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { Answer, Api } from './api.ts'
import { growingPauses } from './growing-pauses.ts'

/** A file of the corpus. */
export function corpus(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(new URL(`../corpus/${name}`, import.meta.url)))
}

export type Part = { bytes: Uint8Array<ArrayBuffer> | string; filename?: string }

/** A form as a browser sends it: files, and fields that may be repeated. */
export function form(
  files: Record<string, Part | Part[]>,
  fields: Record<string, string | string[]> = {},
): FormData {
  const data = new FormData()
  for (const [name, parts] of Object.entries(files)) {
    for (const { bytes, filename = 'datei.txt' } of [parts].flat())
      data.append(name, new Blob([bytes]), filename)
  }
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) data.append(name, value)
  }
  return data
}

/** Uploads this file, or a unique text. */
export function upload(
  caller: Api,
  part: Partial<Part> = {},
  fields: Record<string, string | string[]> = {},
): Promise<Answer> {
  const { bytes = `Ein Schriftsatz, Nummer ${Math.random()}.`, filename = 'Schriftsatz.txt' } = part
  return caller('POST', '/api/v1/documents', { raw: form({ file: { bytes, filename } }, fields) })
}

/** Waits until the document is read or has failed. @throws after `seconds` */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they state themselves
export async function settled(caller: Api, id: string, seconds = 90): Promise<any> {
  const until = performance.now() + seconds * 1_000
  for await (const _ of growingPauses()) {
    const { status, body } = await caller('GET', `/api/v1/documents/${id}`)
    expect(status).toBe(200)
    if (body.status !== 'pending') return body
    if (performance.now() > until) throw new Error(`${id} is still pending after ${seconds} s.`)
  }
}
