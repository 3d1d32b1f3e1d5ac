import { describe, expect, it } from 'vitest'
import { withUnknownMembers } from '#kernel/with-unknown-members.ts'

/** A value that replaces another keeps its members that this code does not know (U3). */
type Line = { text: string; price?: string }
type Party = { id: string; role: string; name: string }

describe('a member that this code does not know', () => {
  it('is kept at every depth, and known fields have their new values', () => {
    const before = { state: 'open', by: { name: 'Vogt', color: 'rot' }, priority: { level: 1 } }
    const after = { state: 'closed', by: { name: 'Çelik' } }

    expect(withUnknownMembers<object>(before, after, {})).toEqual({
      state: 'closed',
      by: { name: 'Çelik', color: 'rot' },
      priority: { level: 1 },
    })
  })

  it('is kept as it is, whatever it holds', () => {
    const unknown = { list: [1, null, 'ä'], empty: '', nothing: null, zero: 0, no: false, '': 'nameless' }

    expect(withUnknownMembers<object>({ a: { b: 1, ...unknown } }, { a: { b: 2 } }, {})).toEqual({
      a: { b: 2, ...unknown },
    })
  })

  it('is not copied to another record, from a list to an object, or from null', () => {
    expect(withUnknownMembers<object>({ id: 'a', color: 'rot' }, { id: 'b' }, {})).toEqual({ id: 'b' })
    expect(withUnknownMembers<object>([{ color: 'rot' }], { name: 'Vogt' }, {})).toEqual({ name: 'Vogt' })
    expect(withUnknownMembers<object>(null, { name: 'Vogt' }, {})).toEqual({ name: 'Vogt' })
    expect(withUnknownMembers<object | null>({ color: 'rot' }, null, {})).toBeNull()
  })

  it('stays removed if the value may be without it', () => {
    const before = { rights: { read: null, send: '2031-01-01' }, name: 'Postfach', note: 'alt' }
    const after: { rights: Record<string, string | null>; name: string; note?: string } = {
      rights: { read: null },
      name: 'Postfach',
    }

    expect(withUnknownMembers(before, after, { 'rights.*': true, note: true })).toEqual(after)
  })
})

describe('the elements of a list', () => {
  it('keep their fields if others are added, removed and reordered', () => {
    const before = [
      { text: 'Beratung', color: 'rot' },
      { text: 'Auslagen', color: 'blau' },
      { text: 'Reise', color: 'grün' },
    ]
    const after: Line[] = [{ text: 'Reise' }, { text: 'Neu' }, { text: 'Beratung' }]

    expect(withUnknownMembers(before, after, { price: true })).toEqual([
      { text: 'Reise', color: 'grün' },
      { text: 'Neu' },
      { text: 'Beratung', color: 'rot' },
    ])
  })

  it('that are equal each keep one', () => {
    const before = [
      { text: 'Kopie', color: 'rot' },
      { text: 'Kopie', color: 'blau' },
    ]
    const after: Line[] = [{ text: 'Kopie' }, { text: 'Kopie' }, { text: 'Kopie' }]

    const result = withUnknownMembers(before, after, { price: true })

    expect(result).toEqual([...before, { text: 'Kopie' }])
  })

  it('with the same id keep theirs, although they changed', () => {
    const before = [{ id: 'a', role: 'client', name: 'Meier', color: 'rot' }]
    const after: Party[] = [
      { id: 'b', role: 'client', name: 'Meier' },
      { id: 'a', role: 'client', name: 'Meier-Özdemir' },
    ]

    expect(withUnknownMembers(before, after, {})).toEqual([after[0], { ...after[1], color: 'rot' }])
  })

  it('with the same id in several roles keep that of their role, in whatever order and under whatever name', () => {
    const before = [
      { id: 'a', role: 'client', name: 'Meier', color: 'rot' },
      { id: 'a', role: 'witness', name: 'Meier', color: 'blau' },
    ]
    const [witness, client]: Party[] = [
      { id: 'a', role: 'witness', name: 'Meier-Özdemir' },
      { id: 'a', role: 'client', name: 'Meier-Özdemir' },
    ]

    expect(withUnknownMembers<Party[]>(before, [witness, client] as Party[], {})).toEqual([
      { ...witness, color: 'blau' },
      { ...client, color: 'rot' },
    ])
    expect(withUnknownMembers<Party[]>(before, [witness] as Party[], {})).toEqual([
      { ...witness, color: 'blau' },
    ])
  })

  it('are compared without regard to the order of their members', () => {
    const before = [{ name: 'Vogt', address: { city: 'Köln', street: 'Weg 1' }, color: 'rot' }]
    const after = [{ address: { street: 'Weg 1', city: 'Köln' }, name: 'Vogt' }]

    expect(withUnknownMembers<object[]>(before, after, {})).toEqual([{ ...after[0], color: 'rot' }])
  })
})

it('a value without anything unknown is given as it is', () => {
  const after = { lines: [{ text: 'Beratung' }], by: { name: 'Vogt' } }

  expect(withUnknownMembers<object>(structuredClone(after), after, {})).toBe(after)
})

it('ten thousand elements that all changed are compared in a moment', () => {
  const element = (at: number, name: string) => ({ id: `pty_${at}`, role: 'client', name })
  const before = Array.from({ length: 10_000 }, (_, at) => ({ ...element(at, 'alt'), color: at }))
  const after: Party[] = Array.from({ length: 10_000 }, (_, at) => element(9_999 - at, 'neu'))

  const result = withUnknownMembers(before, after, {})

  expect(result.map((one) => Reflect.get(one, 'color'))).toEqual(before.map(({ color }) => 9_999 - color))
})
