import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  allEventTypes,
  describedEvents,
  eventTypes,
  readersOf,
  typesNamed,
} from '#webhooks/catalogue-schema.ts'

describe('the catalogue of events', () => {
  it('is the table of the README', () => {
    const readme = readFileSync(new URL('../../packages/webhooks/README.md', import.meta.url), 'utf8')

    const rows = allEventTypes.map((type) => {
      const scopes = readersOf(type).map((scope) => `\`${scope}\``)
      return `| \`${type}\` | ${eventTypes[type]} | ${scopes.join(' or ')} |`
    })

    const table = readme.split('\n').filter((line) => /^\| `\w+\.\w+` /.test(line))
    expect(table).toEqual(rows)
  })

  it.each(
    describedEvents(),
  )('$type has an example of its shape, with ids and a status alone', (described) => {
    const { payload, example } = described
    expect(payload.parse(example)).toEqual(example)
    for (const name of Object.keys(example.data)) expect(name).toMatch(/^(id|\w+_id|status)$/)
  })

  it('is filtered by a type, or by all types of a subject', () => {
    expect(typesNamed('case.deleted')).toEqual(['case.deleted'])
    expect(typesNamed('case.*')).toEqual(['case.created', 'case.updated', 'case.deleted'])
    for (const unknown of ['case', 'cas*', '*', '*.*', '.*', 'case.opened', '', 'constructor'])
      expect(typesNamed(unknown)).toBeUndefined()
  })
})
