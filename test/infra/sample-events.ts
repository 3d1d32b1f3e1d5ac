import { readdirSync, readFileSync } from 'node:fs'
import type { FunctionDeclaration } from '#functions/declaration.ts'
import { manifest } from '#functions/manifest.ts'

/** The sample events of `events/`, by the names of their files, as they are stored. */
export const sampleFiles: ReadonlyMap<string, string> = new Map(
  readdirSync('events')
    .filter((file) => file !== 'env.json')
    .map((file) => [file, readFileSync(`events/${file}`, 'utf8')]),
)

/** The function whose name the file begins with: the longest such name. */
export function ownerOf(file: string): string | undefined {
  return manifest
    .map(({ name }) => name)
    .filter((name) => file.startsWith(`${name}-`))
    .toSorted((one, other) => other.length - one.length)[0]
}

/** The key in the sample events, which people replace by one of theirs. */
const sampleKey = /ak_[\w-]+_put-a-key-of-your-workspace-here/g

/** The sample events of a function by their files, sent with this API key. */
export function samplesOf(
  { name, everyMinutes }: Pick<FunctionDeclaration, 'name' | 'everyMinutes'>,
  apiKey: string,
): Map<string, { headers?: Record<string, string> }> {
  const own = [...sampleFiles].filter(
    ([file]) => ownerOf(file) === name || (everyMinutes !== undefined && file === 'schedule.json'),
  )
  return new Map(own.map(([file, text]) => [file, JSON.parse(text.replaceAll(sampleKey, apiKey))]))
}
