/** Gives a recorded value with the parts of `fresh` instead of the recorded ones. */
export type Fill<Fresh> = (fresh: Fresh) => unknown

/**
 * A function that gives a recorded value with new parts, a new copy for each call.
 *
 * @param placeOf gives what replaces a string or number; undefined if it stays the same
 */
export function template<Fresh>(
  value: unknown,
  placeOf: (value: string | number) => Fill<Fresh> | undefined,
): Fill<Fresh> {
  if (typeof value === 'string' || typeof value === 'number') return placeOf(value) ?? (() => value)
  if (Array.isArray(value)) {
    const fills = value.map((one) => template(one, placeOf))
    return (fresh) => fills.map((fill) => fill(fresh))
  }
  if (typeof value !== 'object' || value === null) return () => value
  const fields = Object.entries(value).map(([name, one]) => [name, template(one, placeOf)] as const)
  return (fresh) => {
    const made: Record<string, unknown> = {}
    for (const [name, fill] of fields) made[name] = fill(fresh)
    return made
  }
}

/** Replaces a text that contains one of these parts: the part becomes the value of `replacing`. */
export function placeIn<Fresh>(
  text: string,
  parts: readonly string[],
  replacing: (fresh: Fresh, at: number) => string | undefined,
): Fill<Fresh> | undefined {
  const at = parts.findIndex((part) => text.includes(part))
  const part = parts[at]
  if (part === undefined) return undefined
  const [before, after] = [text.slice(0, text.indexOf(part)), text.slice(text.indexOf(part) + part.length)]
  return (fresh) => before + replacing(fresh, at) + after
}

/** Each UUID of a text once. */
export function uuidsOf(text: string): string[] {
  return [...new Set(text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g))]
}
