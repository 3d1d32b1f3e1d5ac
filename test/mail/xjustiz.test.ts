import { describe, expect, it } from 'vitest'
import { FormatFault } from '#formats/format-fault.ts'
import { readXJustiz, readXJustizReceipt } from '#formats/xjustiz.ts'

const kind = 'nachricht.gds.uebermittlungSchriftgutobjekte.0005005'
const sender = '<t:absender.gericht><!--Amtsgericht Leipzig--><code>U1308</code></t:absender.gericht>'
const record = ({ head = '', choice = sender, namespace = 'http://www.xjustiz.de', rest = '' } = {}) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<t:${kind} xmlns:t="${namespace}"><t:nachrichtenkopf xjustizVersion="3.5.1">
<t:aktenzeichen.absender>36 IN 77/26</t:aktenzeichen.absender>
<t:aktenzeichen.empfaenger> 0080/26 </t:aktenzeichen.empfaenger>${head}
<t:auswahl_absender>${choice}</t:auswahl_absender></t:nachrichtenkopf>${rest}</t:${kind}>`
const read = (xml: string) => readXJustiz(Buffer.from(xml))

/** A message of version 3.6 or later, after the schema `xjustiz_0000_grunddatensatz_3_6.xsd`. */
const recent = (choice = '<t:gericht><!--Amtsgericht Leipzig--><code>U1308</code></t:gericht>') =>
  `<?xml version="1.0" encoding="UTF-8"?>
<t:${kind} xmlns:t="http://www.xjustiz.de"><t:nachrichtenkopf xjustizVersion="3.6.2">
<t:absender><t:informationen><t:auswahl_kommunikationspartner>${choice}</t:auswahl_kommunikationspartner></t:informationen>
<t:aktenzeichen>36 IN 77/26</t:aktenzeichen><t:eigeneNachrichtenID>4711-abc</t:eigeneNachrichtenID></t:absender>
<t:empfaenger><t:informationen><t:auswahl_kommunikationspartner><t:sonstige>Kanzlei Vogt</t:sonstige>
</t:auswahl_kommunikationspartner></t:informationen><t:auswahl_aktenzeichen><t:aktenzeichen.freitext>0080/26
</t:aktenzeichen.freitext></t:auswahl_aktenzeichen></t:empfaenger></t:nachrichtenkopf><t:schriftgutobjekte><t:dokument>
<t:xjustiz.fachspezifischeDaten><t:ruecksendungEEB.erforderlich>true</t:ruecksendungEEB.erforderlich>
</t:xjustiz.fachspezifischeDaten></t:dokument></t:schriftgutobjekte></t:${kind}>`

const refused = (bytes: Uint8Array) => {
  try {
    return readXJustiz(bytes)
  } catch (error) {
    if (error instanceof FormatFault) return error.kind
    throw error
  }
}

describe('an XJustiz message', () => {
  it('gives its kind, its court and the references of both sides', () => {
    expect(read(record())).toEqual({
      message_type: kind,
      version: '3.5.1',
      sender: { kind: 'court', code: 'U1308', name: 'Amtsgericht Leipzig' },
      sender_references: ['36 IN 77/26'],
      recipient_references: ['0080/26'],
      proceedings_references: [],
    })
  })

  it('is read with any prefix, and with none', () => {
    const prefixed = (prefix: string, namespace: string) =>
      record()
        .replace(/<(\/?)t:/g, `<$1${prefix}`)
        .replace('xmlns:t=', `${namespace}=`)
    const bare = prefixed('', 'xmlns')
    const other = prefixed('tns:', 'xmlns:tns')

    expect(read(bare)).toEqual(read(record()))
    expect(read(other)).toEqual(read(record()))
  })

  it('has the references of its proceedings', () => {
    const rest =
      '<t:grunddaten><t:verfahrensdaten><t:instanzdaten><t:aktenzeichen><t:aktenzeichen.freitext>3 O 45/26</t:aktenzeichen.freitext></t:aktenzeichen></t:instanzdaten></t:verfahrensdaten></t:grunddaten>'

    expect(read(record({ rest }))?.proceedings_references).toEqual(['3 O 45/26'])
  })

  it('of a prosecutor or a lawyer is no court’s', () => {
    const prosecutor =
      '<t:absender.gericht><!--Staatsanwaltschaft Köln--><code>R9001</code></t:absender.gericht>'
    const lawyer = '<t:absender.sonstige>Rechtsanwälte Lang</t:absender.sonstige>'

    expect(read(record({ choice: prosecutor }))?.sender.kind).toBe('authority')
    expect(read(record({ choice: lawyer }))?.sender).toEqual({
      kind: 'other',
      code: null,
      name: 'Rechtsanwälte Lang',
    })
  })

  it('is read in UTF-16 and in Latin charsets that it declares', () => {
    const lawyer = record({ choice: '<t:absender.sonstige>Müller</t:absender.sonstige>' })
    const latin = Buffer.from(lawyer.replace('UTF-8', 'ISO-8859-1'), 'latin1')

    expect(readXJustiz(latin)?.sender.name).toBe('Müller')
    expect(readXJustiz(Buffer.from(`\ufeff${lawyer}`, 'utf16le'))?.sender.name).toBe('Müller')
  })

  it('is not what has another root or namespace', () => {
    expect(read('<rechnung/>')).toBeUndefined()
    expect(read(record({ namespace: 'urn:other' }))).toBeUndefined()
  })
})

describe('an XJustiz message of version 3.6', () => {
  it('gives the same as one of an earlier version', () => {
    expect(read(recent())).toEqual({ ...read(record()), version: '3.6.2' })
  })

  it.each([
    ['<t:rvTraeger><code>01</code></t:rvTraeger>', { kind: 'authority', code: '01', name: null }],
    ['<t:polizeibehoerde><code>02</code></t:polizeibehoerde>', { kind: 'authority', code: '02', name: null }],
    [
      '<t:sonstige>Rechtsanwälte Lang</t:sonstige>',
      { kind: 'other', code: null, name: 'Rechtsanwälte Lang' },
    ],
  ])('with the sender %s', (choice, expected) => {
    expect(read(recent(choice))?.sender).toEqual(expected)
  })
})

describe('only the head of an XJustiz message', () => {
  const partner =
    '<t:auswahl_kommunikationspartner><t:gericht><code>Z</code></t:gericht></t:auswahl_kommunikationspartner>'
  const inner = `<t:nachrichtenkopf xjustizVersion="9"><t:eigeneNachrichtenID>other</t:eigeneNachrichtenID></t:nachrichtenkopf>
<t:absender><t:informationen>${partner}</t:informationen></t:absender><t:auswahl_absender>${sender}</t:auswahl_absender>`

  it('names its sender and its id', () => {
    const plain = recent('<t:sonstige>Kanzlei Lang</t:sonstige>').replace('4711-abc', '')
    const xml = plain.replace(
      '<t:schriftgutobjekte>',
      `<t:fachdaten>${inner}</t:fachdaten><t:schriftgutobjekte>`,
    )

    expect(read(xml)).toEqual(read(plain))
    expect(readXJustizReceipt(Buffer.from(xml))?.own_message_id).toBeNull()
  })
})

describe('the request for an electronic receipt', () => {
  const head = '<t:eigeneNachrichtenID>4711-abc</t:eigeneNachrichtenID>'
  const earlier = (element: string, text: string) =>
    record({ head, rest: `<t:schriftgutobjekte><t:${element}>${text}</t:${element}></t:schriftgutobjekte>` })

  it.each([
    ['of version 3.6', recent(), true],
    ['of an earlier version', earlier('ruecksendungEEB.erforderlich', 'true'), true],
    ['with an older name', earlier('ruecksendung_EEB_erforderlich', '1'), true],
    ['that is none', earlier('ruecksendungEEB.erforderlich', 'false'), false],
  ])('%s is read, with the id of the message', (_, xml, is_receipt_requested) => {
    expect(readXJustizReceipt(Buffer.from(xml))).toEqual({
      own_message_id: '4711-abc',
      is_receipt_requested,
    })
  })
})

describe('a hostile XJustiz message', () => {
  it.each([
    ['a document type', record().replace('<t:nachricht', '<!DOCTYPE a [<!ENTITY e "x">]><t:nachricht')],
    ['an entity of its own', record({ head: '<t:a>&e;</t:a>' })],
    ['an element that does not end', record().slice(0, -20)],
    ['no XML', 'Guten Tag'],
    ['another charset than it says', '\u00ff'],
  ])('with %s is corrupt', (_, xml) => {
    const isLatin = xml === '\u00ff'
    expect(
      refused(Buffer.from(isLatin ? record().replace('IN', 'Ä') : xml, isLatin ? 'latin1' : 'utf8')),
    ).toBe('corrupt')
  })

  it('that is too deep, or too long, is too large', () => {
    expect(refused(Buffer.from(record({ rest: '<t:a>'.repeat(500) })))).toBe('too_large')
    expect(refused(Buffer.alloc(5 * 1024 * 1024, 32))).toBe('too_large')
  })

  it('gives no more than twenty references, and no endless text', () => {
    const many = Array.from(
      { length: 500 },
      (_, at) => `<t:aktenzeichen.absender>${at} O 1/26</t:aktenzeichen.absender>`,
    )
    const long = `<t:aktenzeichen.empfaenger>${'x'.repeat(100_000)}</t:aktenzeichen.empfaenger>`
    const message = read(record({ head: many.join('') + long }))

    expect(message?.sender_references).toHaveLength(20)
    expect(message?.recipient_references[1]).toHaveLength(500)
  })
})
