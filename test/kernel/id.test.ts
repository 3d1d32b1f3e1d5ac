import { describe, expect, it } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import {
  bareUuid,
  derivedIdAt,
  idFilter,
  idOf,
  idPrefixes,
  newId,
  readId,
  timeOf,
  uuidv7,
} from '#kernel/id.ts'
import fc from '#test/support/properties.ts'

const kinds = Object.keys(idPrefixes) as (keyof typeof idPrefixes)[]

describe('ids', () => {
  it('are UUIDs of version 7 with the prefix of their kind, a case’s without', () => {
    for (const kind of kinds)
      expect(newId(kind)).toMatch(
        new RegExp(
          `^${idPrefixes[kind]}[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`,
        ),
      )
    expect(idPrefixes.case).toBe('')
  })

  it('of the same event at the same time are always the same, and contain that time', () => {
    const moments = ['2026-11-20T05:00:00.000Z', '2026-11-21T05:00:00.000Z'].map((at) => new Date(at))
    const [config, other] = [newId('exportConfig'), newId('exportConfig')]

    const made = [config, other].flatMap((id) => moments.map((at) => derivedIdAt('exportRun', id, at)))

    expect(made.map((id) => readId('exportRun', id))).toEqual(made)
    expect(made.map(timeOf)).toEqual([...moments, ...moments])
    expect(new Set(made).size).toBe(4)
    expect(derivedIdAt('exportRun', config, moments[0] as Date)).toBe(made[0])
  })

  it('sort in the order they were made, however fast', () => {
    const made = Array.from({ length: 20_000 }, () => uuidv7())
    expect(made.toSorted()).toEqual(made)
    expect(new Set(made).size).toBe(made.length)
  })

  it('sort in the order they were made, and keep their form, also if thousands are made in a millisecond', () => {
    const made = Array.from({ length: 10_000 }, () => uuidv7(0))
    expect(made.toSorted()).toEqual(made)
    expect(made.map((id) => readId('case', id))).toEqual(made)
  })

  it('sort also when the clock goes back', () => {
    const later = uuidv7(epochMilliseconds() + 60_000)
    expect(uuidv7(epochMilliseconds()) > later).toBe(true)
  })

  it('are read with and without their prefix, in upper and lower case, and come out canonical', () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.uuid(), (kind, uuid) => {
        const canonical = idPrefixes[kind] + uuid
        for (const text of [uuid, canonical, canonical.toUpperCase(), ` ${uuid} `])
          expect(readId(kind, text)).toBe(canonical)
        expect(bareUuid(canonical)).toBe(uuid)
      }),
    )
  })

  it('that are malformed are unknown as references and refused as filters', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => readId('party', text) === undefined),
        (text) => {
          expect(idOf('party').parse(text)).toBe('pty_00000000-0000-0000-0000-000000000000')
          expect(idFilter('party').safeParse(text).success).toBe(false)
        },
      ),
    )
  })
})
