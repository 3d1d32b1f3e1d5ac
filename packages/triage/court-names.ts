import { courtDomainOf } from './sender-domains.ts'

/** Kinds of courts, with the short form that begins their domains, such as `lg-koeln`. */
const kinds: [kind: string, short: string][] = [
  ['bundesverfassungsgericht', 'bverfg'],
  ['bundesgerichtshof', 'bgh'],
  ['bundesarbeitsgericht', 'bag'],
  ['bundesverwaltungsgericht', 'bverwg'],
  ['bundessozialgericht', 'bsg'],
  ['bundesfinanzhof', 'bfh'],
  ['bundespatentgericht', 'bpatg'],
  ['oberlandesgericht', 'olg'],
  ['kammergericht', 'kg'],
  ['landesarbeitsgericht', 'lag'],
  ['landessozialgericht', 'lsg'],
  ['oberverwaltungsgericht', 'ovg'],
  ['verwaltungsgerichtshof', 'vgh'],
  ['verwaltungsgericht', 'vg'],
  ['finanzgericht', 'fg'],
  ['sozialgericht', 'sg'],
  ['arbeitsgericht', 'arbg'],
  ['amtsgericht', 'ag'],
  ['landgericht', 'lg'],
]

/** The number of characters of a letter in which its head names the writer. */
const headCharacters = 300

/**
 * Whether a letter was not written by the court that sends it, such as an enclosed decision of a lower court. Then its
 * head names a court of another kind than the sender. If the kind of the sender is not known, every letter of a court
 * counts as another court's.
 */
export function isOfAnotherCourt(letter: string, mailbox: string, name: string | null): boolean {
  const named = kindIn(letter.slice(0, headCharacters))
  return named !== undefined && named !== kindOf(mailbox, name)
}

/**
 * How the court that sends a message writes its own name, such as `Landgericht Köln` or `LG Köln`; null if that is not
 * known.
 */
export function ownCourtName(mailbox: string, name: string | null): RegExp | null {
  const own = kinds.find(([kind]) => kind === kindOf(mailbox, name))
  return own === undefined
    ? null
    : new RegExp(
        `(?<!\\p{L})(?:${own[0]}|${own[1]})s?(?: \\p{Lu}[\\p{L}-]{1,30})?(?: I{1,3})?(?!\\p{L})`,
        'giu',
      )
}

function kindOf(mailbox: string, name: string | null): string | undefined {
  return kindIn(name ?? '') ?? kindOfMailbox(mailbox)
}

function kindIn(text: string): string | undefined {
  const compact = text.toLowerCase()
  return kinds
    .map(([kind]) => ({ kind, at: compact.search(new RegExp(`(?<!\\p{L})${kind}`, 'u')) }))
    .filter(({ at }) => at !== -1)
    .toSorted((one, other) => one.at - other.at)[0]?.kind
}

function kindOfMailbox(mailbox: string): string | undefined {
  const labels = (courtDomainOf(mailbox) ?? '').split(/[.-]/)
  return kinds.find(([, short]) => labels.includes(short))?.[0]
}
