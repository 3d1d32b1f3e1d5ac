import { eachToken } from './analyse.ts'
import type { Matched, Part, Query, Snippet } from './types.ts'

const maxSnippets = 3
/** UTF-16 units of a snippet (T1). */
const longestSnippet = 240
/** Characters before the first highlight. */
const leadIn = 50
/** After this number of characters or matches, the search stops if a match was found. */
const maxCharacters = 2_000_000
const maxPlaces = 50_000
/** A longer page is searched in parts, so that a page of millions of characters takes little memory. */
const longestPart = 100_000

/** A match of a part of the query in a text. */
type Place = { part: Part; start: number; end: number }
type Candidate = { page: number | null; text: string; start: number; places: Place[]; value: number }

/**
 * The best matches of a query in stored texts, best first; titles only if no page matches. Empty: no part of the query
 * occurs in these texts. If the query only excludes, the snippet is the beginning of the text.
 *
 * @param texts.isWhole false: some text of the record is missing, so the titles alone must match
 * @param matched the terms that the search matched, for compounds
 */
export function snippets(
  texts: { titles: readonly string[]; pages: readonly string[]; isWhole?: boolean },
  query: Query,
  matched: Matched,
): Snippet[] {
  const parts = query.groups.flat()
  if (parts.length === 0) return startOf(texts)
  if (texts.isWhole === false && !haveAll(texts.titles, query, matched)) return []
  const found: Candidate[] = []
  const occurrences = new Map<Part, number>()
  let characters = 0
  let count = 0
  for (const { page, text, next } of partsOf(texts.pages)) {
    if (found.length > 0 && (characters > maxCharacters || count > maxPlaces)) break
    characters += text.length
    const places = placesIn(text, next, parts, matched)
    count += places.length
    for (const { part } of places) occurrences.set(part, (occurrences.get(part) ?? 0) + 1)
    found.push(...windowsOf(text, page, places))
  }
  if (found.length === 0)
    for (const text of texts.titles)
      found.push(...windowsOf(text, null, placesIn(text, undefined, parts, matched)))
  // A part that is rare in these texts weighs more than a frequent one.
  const weight = (part: Part) => 1 / (1 + Math.log(occurrences.get(part) ?? 1))
  for (const candidate of found) {
    const present = new Set(candidate.places.map(({ part }) => part))
    candidate.value = [...present].reduce((sum, part) => sum + weight(part), candidate.places.length / 1_000)
  }
  return found
    .toSorted((one, other) => other.value - one.value)
    .slice(0, maxSnippets)
    .map(snippetOf)
}

/** The pages, each with the text that follows. Long pages are cut at blanks. */
function* partsOf(pages: readonly string[]): Generator<{ page: number; text: string; next?: string }> {
  let before: { page: number; text: string } | undefined
  for (const [page, whole] of pages.entries())
    for (let start = 0; start < whole.length; ) {
      const end = whole.length - start <= longestPart ? whole.length : partEnd(whole, start + longestPart)
      const text = whole.slice(start, end)
      start = end
      // A phrase may continue after a blank page.
      if (text.trim() === '') continue
      if (before !== undefined) yield { ...before, next: text }
      before = { page, text }
    }
  if (before !== undefined) yield before
}

/** The first blank or line break at or after a position. If the next part has none, the end of that part. */
function partEnd(text: string, from: number): number {
  const next = text.slice(from, from + longestPart)
  const blank = next.search(/\s/)
  return from + (blank === -1 ? next.length : blank)
}

/** Whether each group of a query matches in some of these texts. */
function haveAll(texts: readonly string[], { groups }: Query, matched: Matched): boolean {
  return groups.every((group) => texts.some((text) => placesIn(text, undefined, group, matched).length > 0))
}

function startOf({ titles, pages }: { titles: readonly string[]; pages: readonly string[] }): Snippet[] {
  const page = pages.findIndex((text) => text.trim() !== '')
  const text = pages[page] ?? titles[0]
  return text === undefined
    ? []
    : [snippetOf({ page: page === -1 ? null : page, text, start: 0, places: [], value: 0 })]
}

/** The matches in a text, in order. A phrase may continue on the next page; its match ends with this page. */
function placesIn(text: string, next: string | undefined, parts: Part[], matched: Matched): Place[] {
  const phrases = parts.flatMap((part) => (part.type === 'phrase' ? [part] : []))
  const others = parts.flatMap((part) => (part.type === 'phrase' ? [] : [part]))
  const longest = Math.max(1, ...phrases.map(({ terms }) => terms.length))
  const recent: { term: string; start: number; end: number }[] = []
  const places: Place[] = []
  const takePhrases = (word: string, term: string): void => {
    for (const part of phrases) {
      const { terms, isPrefix } = part
      const last = terms.at(-1) ?? ''
      if (term !== last && !(isPrefix && word.startsWith(last))) continue
      const tokens = recent.slice(-terms.length)
      const start = tokens[0]?.start ?? 0
      const isPlace =
        tokens.length === terms.length && terms.slice(0, -1).every((one, at) => tokens[at]?.term === one)
      if (isPlace && start < text.length)
        places.push({ part, start, end: Math.min(text.length, tokens.at(-1)?.end ?? start) })
    }
  }
  const remember = (term: string, start: number, end: number): void => {
    recent.push({ term, start, end })
    if (recent.length > 2 * longest) recent.splice(0, longest)
  }
  eachToken(text, (word, term, start, end) => {
    for (const part of others)
      if (isDirectMatch(part, word, term) || matched.get(part)?.has(term)) places.push({ part, start, end })
    remember(term, start, end)
    takePhrases(word, term)
  })
  if (next !== undefined && longest > 1)
    eachToken(next.slice(0, longest * 40), (word, term, start, end) => {
      remember(term, text.length + start, text.length + end)
      takePhrases(word, term)
    })
  return places.toSorted((one, other) => one.start - other.start)
}

/** Whether a word itself matches a part, not only as a compound or another form. */
function isDirectMatch(part: Part, word: string, term: string): boolean {
  return (
    (part.type === 'word' && term === part.term) || (part.type === 'prefix' && word.startsWith(part.word))
  )
}

/** Sections of a text that contain nearby matches and do not overlap. */
function windowsOf(text: string, page: number | null, places: Place[]): Candidate[] {
  const windows: Candidate[] = []
  for (let at = 0; at < places.length; ) {
    const first = places[at]?.start ?? 0
    const start = wordStart(text, Math.max(0, first - leadIn), first)
    let next = at
    while (next < places.length && (next === at || (places[next]?.end ?? 0) <= start + longestSnippet))
      next += 1
    windows.push({ page, text, start, places: places.slice(at, next), value: 0 })
    at = next
  }
  return windows
}

/** The beginning of a word at or after a position, not after `latest`. */
function wordStart(text: string, from: number, latest: number): number {
  if (from === 0) return 0
  const blank = /\s/g
  blank.lastIndex = from
  const at = blank.exec(text)?.index
  return at === undefined || at >= latest ? latest : at + 1
}

function snippetOf({ page, text, start, places }: Candidate): Snippet {
  const end = wordEnd(text, start + longestSnippet, places.at(-1)?.end ?? start)
  // Consecutive blanks become one, so the offsets move.
  const offsets: number[] = []
  let shown = ''
  for (let at = start; at < end; at += 1) {
    offsets.push(shown.length)
    const isBlank = /[\s\p{Cc}]/u.test(text[at] ?? '')
    if (!isBlank) shown += text[at]
    else if (shown !== '' && !shown.endsWith(' ')) shown += ' '
  }
  const offsetOf = (at: number): number => offsets[at - start] ?? shown.length
  const highlights: Snippet['highlights'] = []
  for (const place of places) {
    const from = offsetOf(place.start)
    const to = offsetOf(Math.min(place.end, end))
    const last = highlights.at(-1)
    if (last !== undefined && from < last[1]) last[1] = Math.max(last[1], to)
    else if (to > from) highlights.push([from, to])
  }
  const trimmed = shown.trimEnd()
  return {
    text: trimmed,
    page,
    highlights: highlights.map(([from, to]) => [from, Math.min(to, trimmed.length)]),
  }
}

/** The end of a snippet: before the last blank, but not within the last match unless it is longer than a snippet. */
function wordEnd(text: string, longest: number, lastPlace: number): number {
  if (text.length <= longest) return text.length
  const blank = Math.max(text.lastIndexOf(' ', longest), text.lastIndexOf('\n', longest))
  const end = blank > lastPlace ? blank : Math.min(longest, Math.max(lastPlace, blank))
  const isHalf = /[\ud800-\udbff]/.test(text[end - 1] ?? '')
  return isHalf ? end - 1 : end
}
