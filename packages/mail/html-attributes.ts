/** The attributes of a tag that are allowed in a mail. An attribute with an invalid value is left out. */
export function attributesOf(tag: string, given: Record<string, string>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of names) {
    const written = Object.hasOwn(given, name) ? given[name] : undefined
    if (written === undefined) continue
    const value = allowedValue(tag, name, written)
    if (value !== undefined && value !== '') kept[name] = value
  }
  return kept
}

/**
 * The address of a picture inside the HTML (`data:`), in the form that `composeMail` reads. Undefined for every other
 * address. SVG is not accepted, because it can contain scripts.
 */
export function pictureOf(source: string | undefined): string | undefined {
  const [, type, data] =
    /^data:image\/(png|jpe?g|gif|webp)(?:;[a-z-]+=[\w-]+)*;base64,([A-Za-z0-9+/]+={0,2})$/i.exec(
      (source ?? '').replace(/\s+/g, ''),
    ) ?? []
  if (type === undefined || data === undefined) return undefined
  return `data:image/${type.toLowerCase().replace('jpg', 'jpeg')};base64,${data}`
}

const percentOrPixels = /^\d{1,4}(\.\d{1,4})?(%|px)?$/
const number = /^\d{1,3}$/
const color = /^#?[a-z0-9]{1,30}$/i
const align = /^(left|right|center|justify)$/i

/** The valid values of presentational attributes. `allowedValue` handles text and addresses. */
const patterns: Record<string, RegExp> = {
  align,
  bgcolor: color,
  border: number,
  cellpadding: number,
  cellspacing: number,
  color,
  colspan: number,
  dir: /^(ltr|rtl|auto)$/i,
  face: /^[\p{L}\p{N} ,'-]{1,200}$/u,
  height: percentOrPixels,
  lang: /^[a-z]{1,8}(-[a-z0-9]{1,8}){0,4}$/i,
  rowspan: number,
  size: /^[+-]?\d$/,
  span: number,
  start: /^-?\d{1,6}$/,
  type: /^(1|a|i|disc|circle|square|cite)$/i,
  valign: /^(top|middle|bottom|baseline)$/i,
  width: percentOrPixels,
}

const names = [...Object.keys(patterns), 'alt', 'href', 'src', 'style', 'title']

/** The attributes that are allowed for at least one tag. `attributesOf` decides which of them a tag keeps. */
export const everyAttribute: string[] = names

/** A longer style attribute is removed, because each one is parsed. */
const maxStyleLength = 4_000

/** In characters. A longer alternative text or title is cut. */
const maxTextLength = 500

function allowedValue(tag: string, name: string, written: string): string | undefined {
  if (name === 'style') return written.length > maxStyleLength ? undefined : written
  if (name === 'href') return tag === 'a' ? linkOf(written) : undefined
  // `pictureFor` of `cleanHtml` has already checked this address.
  if (name === 'src') return tag === 'img' ? written : undefined
  if (name === 'alt' && tag !== 'img') return undefined
  if (name === 'alt' || name === 'title')
    return written
      .slice(0, maxTextLength)
      .toWellFormed()
      .replace(/\p{Cc}+/gu, ' ')
  const value = written.trim()
  return value.length <= 200 && patterns[name]?.test(value) ? value : undefined
}

/** An absolute address. Browsers ignore control characters in addresses, so they are removed before the check. */
function linkOf(written: string): string | undefined {
  const address = written
    .replace(/\p{Cc}+/gu, '')
    .trim()
    .replace(/\s/gu, '%20')
  return /^(https?:\/\/|mailto:|tel:)[^\s]/i.test(address) ? address : undefined
}

/**
 * Valid values of styles. Allowed: words, numbers, strings and colours, including `rgb()` and `hsl()`. Not allowed: any
 * other function, such as `url()`, `expression()` or `var()`; backslashes, which could hide a function; negative
 * lengths, which could put text over other text.
 */
const plainValue =
  /^(?!.*(?:^|[\s,])-[\d.])(?:[\p{L}\p{N}#%.,'"\s/!_-]|(?:rgb|hsl)a?\([\d\s.,%/]{1,60}\)){1,300}$/iu

/**
 * Valid values of `text-indent`. They may be negative: Microsoft Word indents lists with a negative value and a margin.
 */
const indentValue = /^-?[\d.]{1,8}(px|pt|em|ex|cm|mm|in|%)?$/i

const sides = (property: string) => ['', '-top', '-right', '-bottom', '-left'].map((side) => property + side)

/** Excludes properties that move a block, hide it or load something: `position`, `transform`, `opacity`, `content`. */
const plainProperties = [
  ...['background', 'background-color', 'color'],
  ...['font', 'font-family', 'font-size', 'font-stretch', 'font-style', 'font-variant', 'font-weight'],
  ...['letter-spacing', 'line-height', 'word-spacing', 'word-break', 'word-wrap', 'overflow-wrap', 'hyphens'],
  ...[
    'text-align',
    'text-decoration',
    'text-decoration-color',
    'text-decoration-line',
    'text-decoration-style',
  ],
  ...['text-transform', 'vertical-align', 'white-space', 'direction', 'quotes'],
  ...['width', 'min-width', 'max-width', 'height', 'min-height', 'max-height', 'box-sizing'],
  ...[...sides('margin'), ...sides('padding'), ...sides('border'), 'border-radius'],
  ...sides('border').flatMap((side) => ['color', 'style', 'width'].map((part) => `${side}-${part}`)),
  ...['border-collapse', 'border-spacing', 'caption-side', 'empty-cells', 'table-layout', 'float', 'clear'],
  ...['list-style', 'list-style-position', 'list-style-type'],
  ...[
    'page-break-after',
    'page-break-before',
    'page-break-inside',
    'break-after',
    'break-before',
    'break-inside',
  ],
]

/** The styles that are allowed in a mail: for each property, the patterns of its valid values. */
export const styles: Record<string, RegExp[]> = {
  ...Object.fromEntries(plainProperties.map((property) => [property, [plainValue]])),
  display: [/^(block|inline|inline-block|list-item|table|table-row|table-cell)$/i],
  'text-indent': [indentValue],
}
