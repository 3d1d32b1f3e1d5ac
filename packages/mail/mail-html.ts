import type { IOptions } from 'sanitize-html'
import type { MailHtml } from '#correspondence/sending-ports.ts'
import { type Failure, invalid } from '#kernel/failure.ts'
import { attributesOf, everyAttribute, pictureOf, styles } from './html-attributes.ts'
import { withoutTokens } from './link-tokens.ts'
import { textOf } from './mail-text.ts'
import { textVisibility } from './text-visibility.ts'

/**
 * Cleans the HTML of mails, and converts it to text, with sanitize-html and html-to-text (M4).
 *
 * `clean` keeps only the items of an allowlist: text, tables, lists, quotes, certain inline styles, links to `http`,
 * `https`, `mailto` and `tel`, and `data:` pictures (PNG, JPEG, GIF, WebP). It removes any other tag and
 * keeps its content: a form becomes text. It removes scripts, styles, titles, frames, SVG, MathML and other foreign
 * content together with their content. `<base>`, `<meta>`, `<link>` and comments are removed, too.
 *
 * It removes remote pictures, also from mail that we send, and keeps their alternative text. Fetching a picture
 * reveals to a third party when, where and by whom the mail is read. A law firm has a duty of confidentiality and must
 * not cause this. The owner of the picture could also replace it later. Then the stored message would differ from what
 * the reader saw. Pictures that name an attachment of another message (`cid:`) are removed, too.
 */
export const mailHtml: MailHtml = {
  async clean(html, path = 'body.body_html') {
    const pictures = new Set<string>()
    return cleanHtml(html, path, (source) => {
      const picture = pictureOf(source)
      if (picture !== undefined) pictures.add(picture)
      if (pictures.size > maxPictures) throw tooMuch(path, `At most ${maxPictures} different pictures.`)
      return picture
    })
  },
  textOf,
  withoutTokens,
}

/**
 * Cleans HTML like `mailHtml`, except for pictures.
 *
 * @param path the path of the field, named in the error
 * @param pictureFor gets the address of a picture, and returns the one to write (`data:` or `cid:`). It returns
 *   undefined to remove the picture.
 * @throws Failure VALIDATION_ERROR if the HTML has too many tags, or they are nested too deeply
 */
export async function cleanHtml(
  html: string,
  path: string,
  pictureFor: (source: string | undefined) => string | undefined,
): Promise<string> {
  const { default: sanitizeHtml } = await import('sanitize-html')
  return sanitizeHtml(html.toWellFormed(), { ...allowed, ...limited(path, pictureFor) })
}

/**
 * Cleans HTML like `mailHtml` and keeps only the text that a reader sees: no pictures or alternative texts, and no
 * hidden text (`textVisibility`).
 *
 * @throws Failure VALIDATION_ERROR if the HTML has too many tags, or they are nested too deeply
 */
export async function cleanVisibleText(html: string, path: string): Promise<string> {
  const { default: sanitizeHtml } = await import('sanitize-html')
  const { onOpenTag, onCloseTag, textFilter } = limited(path, () => undefined)
  const { openTag, closeTag, isVisible } = textVisibility()
  return sanitizeHtml(html.toWellFormed(), {
    ...allowed,
    onOpenTag: (_, attribs) => {
      onOpenTag()
      openTag(attribs)
    },
    onCloseTag: () => {
      closeTag()
      onCloseTag()
    },
    textFilter: (text) => {
      const kept = textFilter(text)
      return isVisible() ? kept : ''
    },
    transformTags: {
      '*': (tagName, attribs) => ({ tagName, attribs: isVisible() ? attributesOf(tagName, attribs) : {} }),
      img: () => ({ tagName: 'span', attribs: {} }),
    },
  })
}

/** The maximum number of tags. Reading one takes about ten microseconds. */
const maxTags = 50_000

/** The maximum nesting of tags. Deep HTML is slow, because at each end tag the parser searches all open tags. */
const maxDepth = 500

/** The maximum number of pieces of text. Tags, entities and single angle brackets separate them. */
const maxTexts = 300_000

/** The maximum number of different pictures in a mail. SES accepts 500 parts. */
const maxPictures = 100

const allowed: IOptions = {
  // biome-ignore format: groups of tags, one a line
  allowedTags: [
    'p', 'div', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'center', 'address',
    'article', 'aside', 'footer', 'header', 'main', 'nav', 'section', 'figure', 'figcaption',
    'ul', 'ol', 'li', 'dl', 'dt', 'dd',
    'table', 'caption', 'colgroup', 'col', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td',
    'a', 'img', 'span', 'font', 'b', 'strong', 'i', 'em', 'u', 's', 'strike', 'del', 'ins', 'mark', 'small', 'big',
    'sub', 'sup', 'abbr', 'cite', 'code', 'dfn', 'kbd', 'q', 'samp', 'time', 'tt', 'var', 'bdi', 'bdo', 'wbr',
  ],
  // biome-ignore format: as above
  nonTextTags: [
    'script', 'style', 'title', 'textarea', 'select', 'option', 'xmp', 'iframe', 'noembed', 'noframes', 'template',
    'svg', 'math', 'object', 'applet', 'audio', 'video', 'canvas',
  ],
  allowedAttributes: { '*': everyAttribute },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  // `pictureFor` decides which of these pictures are kept.
  allowedSchemesByTag: { img: ['data', 'cid'] },
  allowProtocolRelative: false,
  allowedStyles: { '*': styles },
  selfClosing: ['img', 'br', 'hr', 'col', 'wbr'],
}

/** The options that count the tags and texts of one mail, and throw when a limit is exceeded. */
function limited(path: string, pictureFor: Parameters<typeof cleanHtml>[2]) {
  let [tags, depth, texts] = [0, 0, 0]
  return {
    onOpenTag: () => {
      tags += 1
      depth += 1
      if (tags > maxTags) throw tooMuch(path, `At most ${maxTags} tags.`)
      if (depth > maxDepth) throw tooMuch(path, `At most ${maxDepth} nested tags.`)
    },
    onCloseTag: () => {
      depth -= 1
    },
    textFilter: (text: string) => {
      texts += 1
      if (texts > maxTexts)
        throw tooMuch(path, `At most ${maxTexts} pieces of text, entities and angle brackets.`)
      return withoutControls(text)
    },
    transformTags: {
      '*': (tagName, attribs) => ({ tagName, attribs: attributesOf(tagName, attribs) }),
      img: (tagName, attribs) => {
        const src = pictureFor(attribs.src)
        if (src === undefined)
          return { tagName: 'span', attribs: {}, text: withoutControls(attribs.alt ?? '') }
        return { tagName, attribs: { ...attribs, src } }
      },
    },
  } satisfies IOptions
}

function tooMuch(path: string, message: string): Failure {
  return invalid('The HTML is too large or too complicated for a mail.', [{ path, message }])
}

function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\t\n\r]+/gu, '')
}
