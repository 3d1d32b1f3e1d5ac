import { isObject } from './is-object.ts'

/** The type of the value if it is an object, or of the objects in a list. */
type ObjectsIn<Value> = Extract<Value extends readonly (infer Element)[] ? Element : Value, object>

type NamesIn<Objects> = Objects extends unknown ? keyof Objects & string : never

type ValuesOf<Objects, Name> = Objects extends unknown
  ? Name extends keyof Objects
    ? Objects[Name]
    : never
  : never

type OptionalIn<Objects> = Objects extends unknown
  ? {
      [Name in keyof Objects & string]-?: undefined extends Objects[Name] ? Name : never
    }[keyof Objects & string]
  : never

type LackedBy<Objects, Path extends string> = string extends keyof Objects
  ? `${Path}*`
  :
      | `${Path}${OptionalIn<Objects> | Exclude<NamesIn<Objects>, keyof Objects>}`
      | {
          [Name in NamesIn<Objects>]: MayLack<ValuesOf<Objects, Name>, `${Path}${Name}.`>
        }[NamesIn<Objects>]

/**
 * The members that may be missing in a value of this type, at every depth: optional ones, and members that only some
 * alternatives of a union have. Each is given by its path, without the index of list elements: `parties.side`. In a
 * dictionary, whose names are data, and in a value of any type, every member may be missing: `rights.*`.
 */
export type MayLack<Value, Path extends string = ''> = unknown extends Value
  ? `${Path}*`
  : [ObjectsIn<Value>] extends [never]
    ? never
    : LackedBy<ObjectsIn<Value>, Path>

/** The same for the members of a record, without the optional members of the record itself. */
export type NestedMayLack<Stored> = {
  [Name in keyof Stored & string]: MayLack<Stored[Name], `${Name}.`>
}[keyof Stored & string]

/** Names every one of these paths: the compiler refuses a list in which one is missing. */
export type Named<Paths extends string> = { readonly [Path in Paths]: true }

/**
 * A value that replaces another, with the members of the other that this code does not know. Newer code, which runs at
 * the same time or ran before a rollback, has stored them (U3). Code sets every member that its types require. So a
 * member of `before` that is missing in `after` is unknown, unless the type allows it to be missing.
 *
 * Elements of lists match if they agree in all members that `after` knows. Otherwise they match by their `id`, or by
 * their `email` and all their members that end in `_id`. If several match, the most similar one is taken. An object
 * with another `id` is a different object, and inherits nothing.
 *
 * @param mayLack the members that may be missing in `after`
 * @returns `after` itself if there is nothing to carry over
 */
export function withUnknownMembers<Value>(
  before: unknown,
  after: Value,
  mayLack: Named<MayLack<Value>>,
): Value {
  return withUnknownAt('', before, after, mayLack) as Value
}

/** The same for the value at a path: `certificate.`, with the dot. */
export function withUnknownAt(path: string, before: unknown, after: unknown, mayLack: object): unknown {
  if (before === after) return after
  if (Array.isArray(before) && Array.isArray(after)) return withUnknownIn(path, before, after, mayLack)
  if (!isObject(before) || !isObject(after) || isAnother(before, after)) return after
  const unknown: [string, unknown][] = []
  for (const [name, old] of Object.entries(before)) {
    const isLacking = !(name in after)
    if (isLacking && (`${path}${name}` in mayLack || `${path}*` in mayLack)) continue
    const now = isLacking ? old : withUnknownAt(`${path}${name}.`, old, after[name], mayLack)
    if (now !== after[name]) unknown.push([name, now])
  }
  return unknown.length === 0 ? after : { ...after, ...Object.fromEntries(unknown) }
}

function withUnknownIn(path: string, before: unknown[], after: unknown[], mayLack: object): unknown[] {
  if (!before.some(isObject)) return after
  const left = new Set(before)
  const partners = new Map<number, unknown>()
  const match = (at: number, partner: unknown) => {
    partners.set(at, partner)
    left.delete(partner)
  }
  for (const [at, element] of after.entries()) if (left.has(element)) match(at, element)
  for (const keyOf of [contentLike, identityOf]) {
    // The remaining elements of `before` are indexed by the names that an element has.
    const indexes = new Map<string, Map<string | undefined, object[]>>()
    for (const [at, element] of after.entries()) {
      if (partners.has(at) || !isObject(element)) continue
      const names = Object.keys(element).toSorted()
      const index =
        indexes.get(names.join()) ?? Map.groupBy([...left].filter(isObject), (old) => keyOf(old, names))
      indexes.set(names.join(), index)
      const key = keyOf(element, names)
      const alike = key === undefined ? [] : (index.get(key)?.filter((old) => left.has(old)) ?? [])
      const partner = keyOf === contentLike ? alike[0] : mostAlike(element, alike)
      if (partner !== undefined) match(at, partner)
    }
  }
  const result = after.map((element, at) => withUnknownAt(path, partners.get(at), element, mayLack))
  return result.every((element, at) => element === after[at]) ? after : result
}

/** The values of an object under these names, as text. */
function contentLike(value: Members, names: readonly string[]): string {
  return textOf(names.map((name) => value[name]))
}

/** The members that identify an object in its list, as text; undefined if there are none. */
function identityOf(value: Members, names: readonly string[]): string | undefined {
  if (typeof value.id === 'string') return textOf(value.id)
  const ids = names.filter(
    (name) => (name.endsWith('_id') || name === 'email') && typeof value[name] === 'string',
  )
  return ids.length === 0 ? undefined : textOf(ids.map((name) => [name, value[name]]))
}

/** The candidate with most members in common with an element: a list may name somebody twice, in two roles. */
function mostAlike(element: Members, candidates: object[]): object | undefined {
  if (candidates.length <= 1) return candidates[0]
  const likenesses = candidates.map((one) => likeness(element, one as Members))
  return candidates[likenesses.indexOf(Math.max(...likenesses))]
}

/** How many members two objects have in common. */
function likeness(one: Members, other: Members): number {
  return Object.entries(one).filter(([name, value]) => textOf(value) === textOf(other[name])).length
}

/** JSON in which the order of members does not count. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, one) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1))) : one,
  )
}

function isAnother({ id: one }: Members, { id: other }: Members): boolean {
  return typeof one === 'string' && typeof other === 'string' && one !== other
}

type Members = Record<string, unknown>
