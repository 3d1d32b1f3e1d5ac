import { SaxesParser, type SaxesTagNS } from 'saxes'
import { FormatFault } from './format-fault.ts'

/**
 * The sender of an XJustiz message. `code` comes from the list GDS.Gerichte; `name` is present if the message contains
 * it.
 */
type XJustizSender = {
  kind: 'court' | 'authority' | 'other'
  code: string | null
  name: string | null
}

/** The head of an XJustiz message and the references of its proceedings. */
type XJustizMessage = {
  /** The name of the root without prefix: `nachricht.gds.uebermittlungSchriftgutobjekte.0005005`. */
  message_type: string
  version: string | null
  sender: XJustizSender
  sender_references: string[]
  /** The recipient's own references, as the sender knows them. */
  recipient_references: string[]
  /** The references in `grunddaten/verfahrensdaten/instanzdaten` that are given as text. */
  proceedings_references: string[]
}

/** The maximum size of a message in bytes; real ones have a few kilobytes. */
const maxBytes = 4 * 1024 * 1024

const maxDepth = 100
const maxReferences = 20
const maxTextLength = 500

/**
 * Reads an XJustiz message (`xjustiz_nachricht.xml`) of version 2 or 3 with any prefix, in UTF-8, UTF-16 with a byte order
 * mark, or a Latin charset that it declares. Only the five entities of XML itself are resolved; nothing is fetched.
 *
 * Since version 3.6 the head has the sender and the recipient as elements of their own, with their references and ids
 * (`absender`, `empfaenger`). Both forms are read.
 *
 * @returns undefined for XML that is not an XJustiz message
 * @throws FormatFault `corrupt` if it is not well-formed XML or declares a document type, `too_large` beyond the limits
 */
export function readXJustiz(bytes: Uint8Array): XJustizMessage | undefined {
  let message: XJustizMessage | undefined
  const isXJustiz = visit(bytes, {
    open: (path, { local, attributes }) => {
      message ??= emptyMessage(local)
      if (local === 'nachrichtenkopf' && path.length === 2)
        message.version =
          Object.entries(attributes).find(([name]) => name.endsWith('xjustizVersion'))?.[1].value ?? null
      if (inSender(path)?.length === 1) message.sender.kind = kindOf(local)
    },
    close: (path, text) => {
      if (message !== undefined) takeOver(message, path, text)
    },
    comment: (path, comment) => {
      // Programs of the judiciary write the name next to the code, as `<!--Amtsgericht Leipzig-->`.
      if (message !== undefined && inSender(path) !== undefined && message.sender.name === null)
        message.sender.name = comment.trim().slice(0, maxTextLength)
    },
  })
  if (!isXJustiz || message === undefined) return undefined
  const isProsecutor = /staatsanwaltschaft/i.test(message.sender.name ?? '')
  return isProsecutor ? { ...message, sender: { ...message.sender, kind: 'authority' } } : message
}

/**
 * The data for an electronic receipt (eEB): the message's own id (`eigeneNachrichtenID`), and whether a document
 * requests a receipt.
 */
export type XJustizReceipt = { own_message_id: string | null; is_receipt_requested: boolean }

/**
 * Reads the data for an electronic receipt from an XJustiz message, with the limits of `readXJustiz`.
 *
 * @returns undefined for XML that is not an XJustiz message
 * @throws FormatFault as `readXJustiz`
 */
export function readXJustizReceipt(bytes: Uint8Array): XJustizReceipt | undefined {
  const receipt: XJustizReceipt = { own_message_id: null, is_receipt_requested: false }
  const isXJustiz = visit(bytes, {
    close: (path, text) => {
      const name = path.at(-1) ?? ''
      if (/^(absender\/)?eigeneNachrichtenID$/.test(inHead(path)) && text !== '')
        receipt.own_message_id ??= text
      if (receiptRequest.test(name) && /^(true|1)$/.test(text)) receipt.is_receipt_requested = true
    },
  })
  return isXJustiz ? receipt : undefined
}

/** The element of a document that requests a receipt: `ruecksendungEEB.erforderlich`, or an older form of its name. */
const receiptRequest = /^ruecksendung_?EEB[._]erforderlich$/

/** Functions that are called for the parts of an XJustiz message. `path` holds the local names from the root on; texts are trimmed. */
type Visitor = {
  open?: (path: string[], tag: SaxesTagNS) => void
  close: (path: string[], text: string) => void
  comment?: (path: string[], comment: string) => void
}

/** @returns whether it is an XJustiz message; otherwise nothing was called. @throws FormatFault */
function visit(bytes: Uint8Array, visitor: Visitor): boolean {
  if (bytes.length > maxBytes) throw new FormatFault('too_large', 'The XJustiz message is too large.')
  const parser = new SaxesParser({ xmlns: true })
  const path: string[] = []
  let isXJustiz = false
  let text = ''
  parser.on('error', (error) => {
    throw new FormatFault('corrupt', 'The XJustiz message is not well-formed XML.', { cause: error })
  })
  parser.on('doctype', () => {
    throw new FormatFault('corrupt', 'The XJustiz message declares a document type.')
  })
  parser.on('opentag', (tag: SaxesTagNS) => {
    if (path.length >= maxDepth)
      throw new FormatFault('too_large', 'The XJustiz message is nested too deeply.')
    if (path.length === 0) isXJustiz = /xjustiz/i.test(tag.uri) && tag.local.startsWith('nachricht.')
    path.push(tag.local)
    text = ''
    if (isXJustiz) visitor.open?.(path, tag)
  })
  const take = (piece: string) => {
    if (text.length < maxTextLength) text += piece.slice(0, maxTextLength - text.length)
  }
  parser.on('text', take)
  parser.on('cdata', take)
  parser.on('comment', (comment) => {
    if (isXJustiz) visitor.comment?.(path, comment)
  })
  parser.on('closetag', () => {
    if (isXJustiz) visitor.close(path, text.trim())
    path.pop()
    text = ''
  })
  parser.write(decoded(bytes)).close()
  return isXJustiz
}

function emptyMessage(type: string): XJustizMessage {
  return {
    message_type: type,
    version: null,
    sender: { kind: 'other', code: null, name: null },
    sender_references: [],
    recipient_references: [],
    proceedings_references: [],
  }
}

/** The path of an element below the head of the message, such as `absender/aktenzeichen`; empty for others. */
function inHead(path: string[]): string {
  return path[1] === 'nachrichtenkopf' ? path.slice(2).join('/') : ''
}

/** The part of a path below the choice of the kind of sender; undefined for another path. */
function inSender(path: string[]): string[] | undefined {
  const found =
    /^(?:auswahl_absender|absender\/informationen\/auswahl_kommunikationspartner)(?:\/(.*))?$/.exec(
      inHead(path),
    )
  return found === null ? undefined : (found[1]?.split('/') ?? [])
}

function kindOf(choice: string): XJustizSender['kind'] {
  const kind = choice.replace(/^absender\./, '')
  if (kind === 'gericht') return 'court'
  return ['rvTraeger', 'polizeibehoerde', 'finanzbehoerde'].includes(kind) ? 'authority' : 'other'
}

/** Adds the content of a closed element to the message. */
function takeOver(message: XJustizMessage, path: string[], text: string): void {
  if (text === '') return
  const name = path.at(-1)
  const add = (references: string[]) => {
    if (references.length < maxReferences && !references.includes(text)) references.push(text)
  }
  const place = inHead(path)
  if (/^(aktenzeichen\.absender|absender\/aktenzeichen)$/.test(place)) add(message.sender_references)
  if (/^(aktenzeichen\.empfaenger|empfaenger\/auswahl_aktenzeichen\/aktenzeichen\.freitext)$/.test(place))
    add(message.recipient_references)
  if (name === 'aktenzeichen.freitext' && path.includes('instanzdaten')) add(message.proceedings_references)
  const ofSender = inSender(path)
  if (ofSender?.length === 2 && name === 'code') message.sender.code = text
  if (ofSender?.length === 1 && /^(absender\.)?sonstige$/.test(name ?? '')) message.sender.name = text
}

/** @throws FormatFault `corrupt` for bytes that are not in the charset that the XML declares */
function decoded(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1')
  const declared = /^<\?xml[^>]{0,100}encoding=["']([\w-]{1,20})["']/.exec(head)?.[1] ?? 'utf-8'
  const isLatin = /^(iso-8859-1|iso-8859-15|windows-1252|us-ascii)$/i.test(declared)
  const charset =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : isLatin
          ? declared
          : 'utf-8'
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch (error) {
    throw new FormatFault('corrupt', 'The XJustiz message is not in its charset.', { cause: error })
  }
}
