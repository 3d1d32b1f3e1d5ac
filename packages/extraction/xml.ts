import { TextDecoder } from 'node:util'
import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { FormatFault } from '#formats/format-fault.ts'
import { limits } from './limits.ts'
import { ExtractionRefusal } from './refusal.ts'

/** Callbacks for the parts of an XML document, in document order. Element names have no prefix. */
export type XmlHandlers = {
  open(element: string, attributes: Record<string, string>): void
  text?(text: string): void
  close?(element: string): void
}

/**
 * Parses XML as a stream, in UTF-8, or in UTF-16 with a byte order mark. It resolves only the five predefined entities,
 * fetches nothing, and refuses a document type declaration without reading it.
 *
 * @throws ExtractionRefusal `unsafe` for a document type declaration, `too_complex` for deep nesting; FormatFault
 *   `corrupt` for XML that is not well-formed; errors of `chunks`
 */
export async function parseXml(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  handlers: XmlHandlers,
): Promise<void> {
  const parser = new SaxesParser()
  let depth = 0
  parser.on('doctype', () => {
    throw new ExtractionRefusal('unsafe', 'The document declares an XML document type.')
  })
  parser.on('error', (error) => {
    throw new FormatFault('corrupt', 'A part of the document is not well-formed XML.', { cause: error })
  })
  parser.on('opentag', (tag: SaxesTagPlain) => {
    depth += 1
    if (depth > limits.xmlDepth)
      throw new ExtractionRefusal('too_complex', 'The document is nested too deeply.')
    handlers.open(withoutPrefix(tag.name), tag.attributes)
  })
  parser.on('text', (text) => handlers.text?.(text))
  parser.on('cdata', (text) => handlers.text?.(text))
  parser.on('closetag', (tag: SaxesTagPlain) => {
    depth -= 1
    handlers.close?.(withoutPrefix(tag.name))
  })
  let decoder: TextDecoder | undefined
  for await (const chunk of chunks) {
    signal.throwIfAborted()
    decoder ??= decoderFor(chunk)
    parser.write(decode(decoder, chunk))
  }
  parser.write(decoder === undefined ? '' : decode(decoder)).close()
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function decoderFor(head: Uint8Array): TextDecoder {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le')
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be')
  return new TextDecoder('utf-8', { fatal: true })
}

/** Decodes a chunk. Without a chunk, it ends the text. @throws FormatFault `corrupt` */
function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined })
  } catch (error) {
    throw new FormatFault('corrupt', 'A part of the document is not valid Unicode.', { cause: error })
  }
}
