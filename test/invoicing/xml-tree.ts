import { SaxesParser } from 'saxes'

export type Element = {
  name: string
  attributes: Record<string, string>
  children: Element[]
  /** Its own text, without the text of its children. */
  text: string
}

/** Reads an XML document. @throws Error if it is not well-formed */
export function readXml(xml: string): Element {
  const document: Element = { name: '', attributes: {}, children: [], text: '' }
  const open = [document]
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = { name, attributes: { ...attributes }, children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('text', (text) => {
    const current = open.at(-1)
    if (current !== undefined) current.text += text
  })
  parser.on('closetag', () => {
    open.pop()
  })
  parser.write(xml).close()
  const [root] = document.children
  if (root === undefined) throw new Error('The document is empty.')
  return root
}

/** Writes an element as XML. */
export function writeXml({ name, attributes, children, text }: Element): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  const content = children.length === 0 ? escaped(text) : children.map(writeXml).join('')
  return `<${name}${pairs.join('')}>${content}</${name}>`
}

/** The elements at a path below an element, such as `ram:Seller/ram:Name`. The name `*` means any. */
export function at(element: Element, path: string): Element[] {
  return path
    .split('/')
    .reduce((found, name) => found.flatMap(({ children }) => named(children, name)), [element])
}

/** The element and all elements below it. */
export function everyElement(element: Element): Element[] {
  return [element, ...element.children.flatMap(everyElement)]
}

function named(elements: Element[], name: string): Element[] {
  return elements.filter((element) => name === '*' || element.name === name)
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
