/** The state that inner tags inherit. They cannot undo `isGone`, but they can undo the other two. */
type Visibility = { isGone: boolean; hasNoSize: boolean; isHidden: boolean }

/**
 * Tracks the open tags of HTML while it is parsed, and finds out whether the reader of a mail sees the text at the
 * current position. Text is invisible inside a tag with `hidden`, `display:none`, `opacity:0`, or no height and hidden
 * overflow. It is also invisible if its font size is zero or its visibility is hidden. An inner tag may undo these two,
 * as the tables of newsletters do.
 *
 * Only the attributes of tags are read: no style sheets, and no colours.
 */
export function textVisibility() {
  const open: Visibility[] = []
  const here = () => open.at(-1) ?? { isGone: false, hasNoSize: false, isHidden: false }
  return {
    openTag: (attributes: Record<string, string>) => void open.push(visibilityIn(here(), attributes)),
    closeTag: () => void open.pop(),
    isVisible: () => !Object.values(here()).includes(true),
  }
}

function visibilityIn(outer: Visibility, attributes: Record<string, string>): Visibility {
  const style = declarationsOf(attributes.style ?? '')
  const display = style.get('display')
  const isNotDisplayed = display === undefined ? attributes.hidden !== undefined : display === 'none'
  const isCollapsed =
    /^(hidden|clip)/.test(style.get('overflow') ?? '') &&
    [style.get('height'), style.get('max-height')].some((height) => isTiny(height ?? ''))
  return {
    isGone: outer.isGone || isNotDisplayed || isCollapsed || isTiny(style.get('opacity') ?? ''),
    hasNoSize: hasNoSize(style.get('font-size') ?? '', outer.hasNoSize),
    isHidden: isHidden(style.get('visibility') ?? '', outer.isHidden),
  }
}

/** A relative size, such as `2em`, inside a size of zero is zero. */
function hasNoSize(value: string, outer: boolean): boolean {
  if (isTiny(value)) return true
  const isAbsolute = /^([\d.]+(px|pt|pc|cm|mm|in|q|rem|vw|vh)|(x{1,3}-)?(small|large)|medium|initial)$/.test(
    value,
  )
  return isAbsolute ? false : outer
}

function isHidden(visibility: string, outer: boolean): boolean {
  if (/^(hidden|collapse)$/.test(visibility)) return true
  return /^(visible|initial)$/.test(visibility) ? false : outer
}

/** Whether a size is zero, or too small to be visible in any unit. */
function isTiny(value: string): boolean {
  return size.test(value) && Number.parseFloat(value) < 0.1
}

const size = /^[+-]?[\d.]+(e[+-]?\d+)?([a-z]+|%)?$/
const inherits = /^(inherit|initial|unset|revert)$/

/** The properties that are read, with their valid values. Like browsers, we ignore declarations with other values. */
const properties: Record<string, RegExp[]> = {
  display: [
    /^(none|contents|block|inline|list-item|flow-root|(inline-)?(block|flex|grid|table)|table-[a-z-]{1,20})$/,
    inherits,
  ],
  'font-size': [size, /^((x{1,3}-)?(small|large)|medium|smaller|larger)$/, inherits],
  height: [size, /^auto$/, inherits],
  'max-height': [size, /^none$/, inherits],
  opacity: [size, inherits],
  overflow: [/^(visible|hidden|clip|scroll|auto)( (visible|hidden|clip|scroll|auto))?$/, inherits],
  visibility: [/^(visible|hidden|collapse)$/, inherits],
}

/** The declarations of a `style` attribute, in lower case. As in browsers, `!important` wins, then the later one. */
function declarationsOf(style: string): Map<string, string> {
  const written = withoutComments(style)
    .replace(/\\(?:([\da-f]{1,6})\s?|([^\n]))/gi, (_, code: string | undefined, character: string) =>
      code === undefined ? character : characterOf(Number.parseInt(code, 16)),
    )
    .toLowerCase()
  const [plain, important] = [new Map<string, string>(), new Map<string, string>()]
  for (const declaration of written.split(';')) {
    const colon = declaration.indexOf(':')
    const name = declaration.slice(0, Math.max(0, colon)).trim()
    const [value = '', mark] = declaration
      .slice(colon + 1)
      .split('!', 2)
      .map((part) => part.trim())
    const kept = mark === 'important' ? important : plain
    if (name === 'font') {
      const [, written] = /(?:^|\s)([\d.]+(?:[a-z]+|%)?)(?=\/|\s+\D)/.exec(value) ?? []
      if (written !== undefined) kept.set('font-size', written)
    } else if (
      value !== '' &&
      Object.hasOwn(properties, name) &&
      properties[name]?.some((it) => it.test(value))
    )
      kept.set(name, value)
  }
  return new Map([...plain, ...important])
}

function withoutComments(style: string): string {
  const [first = '', ...others] = style.split('/*')
  return others.reduce((kept, piece) => {
    const end = piece.indexOf('*/')
    return end === -1 ? kept : kept + piece.slice(end + 2)
  }, first)
}

function characterOf(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
}
