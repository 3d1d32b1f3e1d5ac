import { limits } from './limits.ts'
import { readPlainText } from './plain-text.ts'

/** The number of HTML tags that may still be read in the files that a DOCX inserts. */
export type TagBudget = { tags: number }

/**
 * The text of a file that a DOCX inserts as a whole (`altChunk`): HTML, MHTML or plain text. Programs that make
 * documents from templates add such files. Word turns them into text of the document when it opens and saves it.
 *
 * @returns undefined for a file that is not read, such as RTF
 */
export async function textOfInserted(bytes: Uint8Array, budget: TagBudget): Promise<string | undefined> {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  if (bytes.length > limits.insertedFileBytes || /^\s*\{\\rtf/.test(head)) return undefined
  if (/^\s*(?:MIME-Version|Content-Type|From):/i.test(head)) return textOfMhtml(bytes, budget)
  const text = readPlainText(bytes)
  return /<(?:html|head|body|p|div|table|h\d|ul|ol|span|b|br)\b/i.test(text) ? textOfHtml(text, budget) : text
}

async function textOfMhtml(bytes: Uint8Array, budget: TagBudget): Promise<string | undefined> {
  const { default: PostalMime } = await import('postal-mime')
  const { html, text } = await PostalMime.parse(bytes)
  return html === undefined ? text : textOfHtml(html, budget)
}

/**
 * The text of HTML, without the URLs of links and pictures. Elements that are nested too deeply are left out.
 *
 * @returns undefined for HTML with too many tags, because at each tag the parser may visit all open ones
 */
async function textOfHtml(html: string, budget: TagBudget): Promise<string | undefined> {
  const tags = html.match(/</g)?.length ?? 0
  if (tags > Math.min(limits.insertedTags, budget.tags)) return undefined
  budget.tags -= tags
  const { convert } = await import('html-to-text')
  return convert(html, {
    wordwrap: false,
    limits: { maxDepth: limits.xmlDepth },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'skip' },
      ...[1, 2, 3, 4, 5, 6].map((level) => ({ selector: `h${level}`, options: { uppercase: false } })),
    ],
  })
}
