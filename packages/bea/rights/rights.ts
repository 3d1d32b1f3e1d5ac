import type { BeaRight } from './right-schema.ts'

/** The rights at an account that each operation needs, all of them (B8). */
export const neededRights = {
  /** To see sender, date and size of a message in a list. */
  see: ['01'],
  /** To read a message and its attachments. */
  read: ['06'],
  read_confidential: ['11'],
  draft: ['03'],
  search_directory: ['03'],
  send: ['05'],
  /** A receipt declares that the lawyer has read the message, so it needs the right to read it. */
  answer_eeb: ['06', '13', '14'],
  answer_eeb_confidential: ['11', '13', '14'],
  /** To file a message, hand it to somebody, or take it out of the inbox. */
  assign: ['08'],
  assign_confidential: ['08', '11'],
} as const satisfies Record<string, readonly BeaRight[]>

export type BeaOperation = keyof typeof neededRights

/** The rights that a right includes (B8). */
const implied: Partial<Record<BeaRight, BeaRight>> = { '07': '06', '06': '01', '12': '11' }

/** These rights with all implied ones. */
export function withImplied(rights: Iterable<BeaRight>): Set<BeaRight> {
  const all = new Set<BeaRight>()
  for (const right of rights) {
    for (let each: BeaRight | undefined = right; each !== undefined; each = implied[each]) all.add(each)
  }
  return all
}

/** Whether these rights, with the implied ones, are enough. */
export function mayDo(rights: Iterable<BeaRight>, operation: BeaOperation): boolean {
  const all = withImplied(rights)
  return neededRights[operation].every((right) => all.has(right))
}
