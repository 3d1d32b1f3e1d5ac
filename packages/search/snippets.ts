import { eachToken } from './analyse.ts'
import type { Matched, Part, Query, Snippet } from './types.ts'

const maxSnippets = 3
/** The maximum length of a snippet, in UTF-16 units (T1). */
const longestSnippet = 240
/** The maximum number of characters before the first highlight. */
const leadIn = 50
/** After this number of characters or matches, the search stops if it has found a match. */
const maxCharacters = 2_000_000
const maxMatches = 50_000
/** A longer page is searched in sections, so that a page of millions of characters takes little memory. */
const longestSection = 100_000

/** A match of a part of the query in a text. */
type Match = { part: Part; start: number; end: number }
type Candidate = { page: number | null; text: string; start: number; matches: Match[]; value: number }

/**
 * The best matches of a query in stored texts, best first. Titles are used only if no page matches. Empty: no part of
 * the query occurs in these texts. For a query of only exclusions, the snippet is the beginning of the text.
 *
 * @param texts.isWhole false: a text of the record is missing, so the titles alone must match
 * @param matched the terms that the search found, such as compounds
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
  for (const { page, text, next } of sectionsOf(texts.pages)) {
    if (found.length > 0 && (characters > maxCharacters || count > maxMatches)) break
    characters += text.length
    const matches = matchesIn(text, next, parts, matched)
    count += matches.length
    for (const { part } of matches) occurrences.set(part, (occurrences.get(part) ?? 0) + 1)
    found.push(...windowsOf(text, page, matches))
  }
  if (found.length === 0)
    for (const text of texts.titles)
      found.push(...windowsOf(text, null, matchesIn(text, undefined, parts, matched)))
  // A part that is rare in these texts has more weight than a frequent one.
  const weight = (part: Part) => 1 / (1 + Math.log(occurrences.get(part) ?? 1))
  for (const candidate of found) {
    const present = new Set(candidate.matches.map(({ part }) => part))
    candidate.value = [...present].reduce((sum, part) => sum + weight(part), candidate.matches.length / 1_000)
  }
  return found
    .toSorted((one, other) => other.value - one.value)
    .slice(0, maxSnippets)
    .map(snippetOf)
}

/** The pages, each with the text that follows. Long pages are split into sections at whitespace. */
function* sectionsOf(pages: readonly string[]): Generator<{ page: number; text: string; next?: string }> {
  let before: { page: number; text: string } | undefined
  for (const [page, whole] of pages.entries())
    for (let start = 0; start < whole.length; ) {
      const end =
        whole.length - start <= longestSection ? whole.length : sectionEnd(whole, start + longestSection)
      const text = whole.slice(start, end)
      start = end
      // A phrase may continue after a blank page.
      if (text.trim() === '') continue
      if (before !== undefined) yield { ...before, next: text }
      before = { page, text }
    }
  if (before !== undefined) yield before
}

/** The first whitespace at or after a position, or the end of the next section if that has none. */
function sectionEnd(text: string, from: number): number {
  const next = text.slice(from, from + longestSection)
  const space = next.search(/\s/)
  return from + (space === -1 ? next.length : space)
}

/** Whether each group of a query matches in one of these texts. */
function haveAll(texts: readonly string[], { groups }: Query, matched: Matched): boolean {
  return groups.every((group) => texts.some((text) => matchesIn(text, undefined, group, matched).length > 0))
}

function startOf({ titles, pages }: { titles: readonly string[]; pages: readonly string[] }): Snippet[] {
  const page = pages.findIndex((text) => text.trim() !== '')
  const text = pages[page] ?? titles[0]
  return text === undefined
    ? []
    : [snippetOf({ page: page === -1 ? null : page, text, start: 0, matches: [], value: 0 })]
}

/** The matches in a text, in order. A phrase may continue in the next text; its match ends with this text. */
function matchesIn(text: string, next: string | undefined, parts: Part[], matched: Matched): Match[] {
  const phrases = parts.flatMap((part) => (part.type === 'phrase' ? [part] : []))
  const others = parts.flatMap((part) => (part.type === 'phrase' ? [] : [part]))
  const longest = Math.max(1, ...phrases.map(({ terms }) => terms.length))
  const recent: { term: string; start: number; end: number }[] = []
  const matches: Match[] = []
  const takePhrases = (word: string, term: string): void => {
    for (const part of phrases) {
      const { terms, isPrefix } = part
      const last = terms.at(-1) ?? ''
      if (term !== last && !(isPrefix && word.startsWith(last))) continue
      const tokens = recent.slice(-terms.length)
      const start = tokens[0]?.start ?? 0
      const isMatch =
        tokens.length === terms.length && terms.slice(0, -1).every((one, at) => tokens[at]?.term === one)
      if (isMatch && start < text.length)
        matches.push({ part, start, end: Math.min(text.length, tokens.at(-1)?.end ?? start) })
    }
  }
  const remember = (term: string, start: number, end: number): void => {
    recent.push({ term, start, end })
    if (recent.length > 2 * longest) recent.splice(0, longest)
  }
  eachToken(text, (word, term, start, end) => {
    for (const part of others)
      if (isDirectMatch(part, word, term) || matched.get(part)?.has(term)) matches.push({ part, start, end })
    remember(term, start, end)
    takePhrases(word, term)
  })
  if (next !== undefined && longest > 1)
    eachToken(next.slice(0, longest * 40), (word, term, start, end) => {
      remember(term, text.length + start, text.length + end)
      takePhrases(word, term)
    })
  return matches.toSorted((one, other) => one.start - other.start)
}

/** Whether a word matches a part itself, not because the search found its term as a compound. */
function isDirectMatch(part: Part, word: string, term: string): boolean {
  return (
    (part.type === 'word' && term === part.term) || (part.type === 'prefix' && word.startsWith(part.word))
  )
}

/** The windows of a text that contain nearby matches and do not overlap. */
function windowsOf(text: string, page: number | null, matches: Match[]): Candidate[] {
  const windows: Candidate[] = []
  for (let at = 0; at < matches.length; ) {
    const first = matches[at]?.start ?? 0
    const start = wordStart(text, Math.max(0, first - leadIn), first)
    let next = at
    while (next < matches.length && (next === at || (matches[next]?.end ?? 0) <= start + longestSnippet))
      next += 1
    windows.push({ page, text, start, matches: matches.slice(at, next), value: 0 })
    at = next
  }
  return windows
}

/** The beginning of a word at or after a position, not after `latest`. */
function wordStart(text: string, from: number, latest: number): number {
  if (from === 0) return 0
  const space = /\s/g
  space.lastIndex = from
  const at = space.exec(text)?.index
  return at === undefined || at >= latest ? latest : at + 1
}

function snippetOf({ page, text, start, matches }: Candidate): Snippet {
  const end = wordEnd(text, start + longestSnippet, matches.at(-1)?.end ?? start)
  // Consecutive whitespace becomes one space, so the offsets change.
  const offsets: number[] = []
  let shown = ''
  for (let at = start; at < end; at += 1) {
    offsets.push(shown.length)
    const isSpace = /[\s\p{Cc}]/u.test(text[at] ?? '')
    if (!isSpace) shown += text[at]
    else if (shown !== '' && !shown.endsWith(' ')) shown += ' '
  }
  const offsetOf = (at: number): number => offsets[at - start] ?? shown.length
  const highlights: Snippet['highlights'] = []
  for (const match of matches) {
    const from = offsetOf(match.start)
    const to = offsetOf(Math.min(match.end, end))
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

/** The end of a snippet: before the last space, but not within the last match unless it is longer than a snippet. */
function wordEnd(text: string, longest: number, lastMatch: number): number {
  if (text.length <= longest) return text.length
  const space = Math.max(text.lastIndexOf(' ', longest), text.lastIndexOf('\n', longest))
  const end = space > lastMatch ? space : Math.min(longest, Math.max(lastMatch, space))
  const isHalf = /[\ud800-\udbff]/.test(text[end - 1] ?? '')
  return isHalf ? end - 1 : end
}
