import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { scopes } from '#kernel/scope.ts'
import {
  allEventTypes,
  describedEvents,
  eventTypes,
  readersOf,
  typesNamed,
} from '#webhooks/catalogue-schema.ts'
import { maySee } from '#webhooks/visibility.ts'

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

  it('shows a beA event to nobody if the event does not name its account', () => {
    const all = { scopes, hasBeaRight: () => true }
    const ofBea = allEventTypes.filter((type) => /^(bea_message|eeb)\./.test(type))

    const shown = allEventTypes.filter((type) => maySee({ type }, all))

    expect(ofBea).not.toEqual([])
    expect(shown).toEqual(allEventTypes.filter((type) => !ofBea.includes(type)))
  })

  it('is filtered by a type, or by all types of a subject', () => {
    expect(typesNamed('case.deleted')).toEqual(['case.deleted'])
    expect(typesNamed('case.*')).toEqual(['case.created', 'case.updated', 'case.deleted'])
    for (const unknown of ['case', 'cas*', '*', '*.*', '.*', 'case.opened', '', 'constructor'])
      expect(typesNamed(unknown)).toBeUndefined()
  })
})
