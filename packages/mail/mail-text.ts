import type { DomNode, FormatCallback, HtmlToTextOptions } from 'html-to-text'

/**
 * The text of clean HTML, for a reader without HTML. Each paragraph is one line. Links become `text <address>`. List
 * items come after `-` or their number, quotes after `> `. A table row is one line with ` | ` between its cells.
 * Pictures become their alternative text.
 *
 * The text cannot become much longer than the HTML: content deeper than 12 quotes and lists is not indented, and
 * nothing is indented once indentation has used a mebibyte.
 */
export async function textOf(html: string): Promise<string> {
  const { convert } = await import('html-to-text')
  const written = convert(html, optionsWith(indenting()))
  return written
    .replaceAll('\u00a0', ' ')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()
}

const maxIndentedLevels = 12
const maxIndentation = 1024 * 1024

/** `clean` refuses deeper HTML. */
const maxDepth = 600

const block = (breaks: number) => ({
  format: 'block',
  options: { leadingLineBreaks: breaks, trailingLineBreaks: breaks },
})

const paragraphs = ['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'dl', 'figure']
const lines = ['div', 'center', 'address', 'figcaption', 'caption', 'dt', 'dd', 'tr', 'li']

function optionsWith(indent: Indenting): HtmlToTextOptions {
  return {
    wordwrap: false,
    limits: { maxDepth },
    formatters: { link, picture, table, list: listWith(indent), quote: quoteWith(indent) },
    selectors: [
      ...paragraphs.map((selector) => ({ selector, ...block(2) })),
      ...lines.map((selector) => ({ selector, ...block(1) })),
      { selector: 'a', format: 'link' },
      { selector: 'img', format: 'picture' },
      { selector: 'hr', options: { length: 10 } },
      { selector: 'blockquote', format: 'quote' },
      { selector: 'ul', format: 'list' },
      { selector: 'ol', format: 'list' },
      { selector: 'table', format: 'table' },
    ],
  }
}

const link: FormatCallback = (node, walk, builder) => {
  walk(node.children, builder)
  const address = String(node.attribs?.href ?? '').replace(/^(mailto|tel):/i, '')
  if (address === '' || bare(address) === bare(beginningOf(node, address.length + 2))) return
  builder.addInline(` <${address}>`, { noWordTransform: true })
}

/** An address as people write it, without `https://` and the last slash. */
function bare(address: string): string {
  return address.replace(/^https?:\/\//i, '').replace(/\/$/, '')
}

/** The text at the beginning of a node, at most `maxLength` characters. */
function beginningOf(node: DomNode, maxLength: number): string {
  let [text, visited] = ['', 0]
  const visit = ({ type, data = '', children = [] }: DomNode) => {
    if (type === 'text') text += data.slice(0, maxLength)
    for (const child of children) {
      visited += 1
      if (visited > 20 || text.length > maxLength) return
      visit(child)
    }
  }
  visit(node)
  return text.trim()
}

const picture: FormatCallback = (node, _walk, builder) => {
  builder.addInline(String(node.attribs?.alt ?? ''))
}

type Indenting = {
  /** Puts `first` before the first line of the text that `write` writes, and `rest` before its other lines. */
  inside: (first: string, rest: string, write: (transform: (text: string) => string) => void) => void
}

function indenting(): Indenting {
  let [level, spent] = [0, 0]
  return {
    inside(first, rest, write) {
      level += 1
      const isDeep = level > maxIndentedLevels
      write((text) => {
        if (isDeep || spent > maxIndentation) return text
        const [firstLine = '', ...others] = trimmed(text).split('\n')
        spent += (others.length + 1) * rest.length
        if (spent > maxIndentation) return text
        return [first + firstLine, ...others.map((line) => rest + line)].join('\n')
      })
      level -= 1
    },
  }
}

/** The text without empty lines around it. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  while (text[start] === '\n') start += 1
  while (end > start && text[end - 1] === '\n') end -= 1
  return text.slice(start, end)
}

function quoteWith(indent: Indenting): FormatCallback {
  return (node, walk, builder) =>
    indent.inside('> ', '> ', (blockTransform) => {
      builder.openBlock({ leadingLineBreaks: 2 })
      walk(node.children, builder)
      builder.closeBlock({ trailingLineBreaks: 2, blockTransform })
    })
}

function listWith(indent: Indenting): FormatCallback {
  return (node, walk, builder) => {
    const breaks = node.parent?.name === 'li' ? 1 : 2
    let number = Number(node.attribs?.start ?? 1)
    builder.openBlock({ leadingLineBreaks: breaks })
    for (const child of node.children) {
      if (child.name !== 'li') {
        walk([child], builder)
        continue
      }
      const mark = node.name === 'ol' ? `${number}. ` : '- '
      number += 1
      indent.inside(mark, ' '.repeat(mark.length), (blockTransform) => {
        builder.openBlock({ leadingLineBreaks: 1 })
        walk(child.children, builder)
        builder.closeBlock({ trailingLineBreaks: 1, blockTransform })
      })
    }
    builder.closeBlock({ trailingLineBreaks: breaks })
  }
}

const sections = ['thead', 'tbody', 'tfoot']

const table: FormatCallback = (node, walk, builder) => {
  const rows = node.children.flatMap((child) =>
    sections.includes(child.name ?? '') ? child.children : [child],
  )
  walk(
    rows.filter(({ name }) => name === 'caption'),
    builder,
  )
  builder.openTable()
  for (const row of rows) {
    if (row.name === 'caption' || isEmpty(row)) continue
    builder.openTableRow()
    for (const cell of row.name === 'tr' ? row.children : [row]) {
      if (isEmpty(cell)) continue
      builder.openTableCell()
      walk(['td', 'th'].includes(cell.name ?? '') ? cell.children : [cell], builder)
      builder.closeTableCell()
    }
    builder.closeTableRow()
  }
  builder.closeTable({
    tableToString: (written) =>
      written.map((cells) => rowText(cells.map(({ text }) => text.trim()))).join('\n'),
    leadingLineBreaks: 2,
    trailingLineBreaks: 2,
  })
}

/**
 * Whether a child of a table or row has no content. Text outside of cells is not valid; it gets its own row or cell.
 */
function isEmpty({ type, name, data = '' }: DomNode): boolean {
  if (type === 'text') return data.trim() === ''
  return type !== 'tag' || name === 'col' || name === 'colgroup'
}

/** The cells of a row in one line. If a cell has several lines, as in layout tables, each cell begins a new line. */
function rowText(cells: string[]): string {
  const filled = cells.filter((cell) => cell !== '')
  if (filled.length <= 1) return filled[0] ?? ''
  return filled.some((cell) => cell.includes('\n')) ? filled.join('\n') : cells.join(' | ').trimEnd()
}
