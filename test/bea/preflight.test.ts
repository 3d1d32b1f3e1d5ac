import { describe, expect, it } from 'vitest'
import type { BeaDocument } from '#bea/drafts/draft-ports.ts'
import { correctedFileNames, fileNameFault } from '#bea/drafts/file-names.ts'
import { type PreflightInput, preflight } from '#bea/drafts/preflight.ts'

/** The checks before a message is sent (B7). */

const court = 'DE.Justiz.5f1a2b3c-0001-4a5b-8c6d-7e8f9a0b1c2d.ab12'
const lawyer = 'DE.BRAK.5f1a2b3c-0002-4a5b-8c6d-7e8f9a0b1c2d.cd34'

const aDocument = (fields: Partial<BeaDocument> = {}): BeaDocument => ({
  id: 'doc_1',
  filename: 'Klage.pdf',
  mime_type: 'application/pdf',
  size_bytes: 1_000,
  sha256: 'ab'.repeat(32),
  is_complete: true,
  is_protected: false,
  key: 'files/ws_1/doc_1/abab',
  ...fields,
})

const aDraft = (
  documents: (BeaDocument | undefined)[],
  fields: Partial<PreflightInput> = {},
): PreflightInput => ({
  to: [{ bea_id: court }],
  subject: 'Klage',
  eeb_requested: false,
  attachments: documents.map((document) => document?.id ?? 'doc_gone'),
  documents,
  ...fields,
})

const faultsOf = (input: PreflightInput) => preflight(input, { rename: false }).faults.map(({ path }) => path)

describe('a message', () => {
  it('without faults is sent unchanged', () => {
    const { faults, files } = preflight(aDraft([aDocument()]), { rename: false })

    expect(faults).toEqual([])
    expect(files).toEqual([
      {
        document_id: 'doc_1',
        filename: 'Klage.pdf',
        mime_type: 'application/pdf',
        size_bytes: 1_000,
        sha256: 'ab'.repeat(32),
        key: 'files/ws_1/doc_1/abab',
      },
    ])
  })

  it('gets all its faults at once', () => {
    const documents = [
      aDocument({ filename: 'Klage Müller.pdf' }),
      undefined,
      aDocument({ id: 'doc_3', is_complete: false, sha256: null }),
      aDocument({
        id: 'doc_4',
        filename: 'tabelle.xlsx',
        mime_type: 'application/zip',
        size_bytes: 61_000_000,
      }),
    ]

    const faults = faultsOf(aDraft(documents, { to: [{ bea_id: court }, { bea_id: lawyer }], subject: '' }))

    expect(faults).toEqual(
      expect.arrayContaining([
        'to',
        'subject',
        'attachments.0',
        'attachments.1',
        'attachments.2',
        'attachments.3',
        'attachments',
      ]),
    )
  })

  it.each([
    ['no recipient', { to: [] }, ['to']],
    ['one recipient twice', { to: [{ bea_id: lawyer }, { bea_id: lawyer.toUpperCase() }] }, ['to.1.bea_id']],
    ['two recipients, one of them a court', { to: [{ bea_id: lawyer }, { bea_id: court }] }, ['to']],
    ['no subject', { subject: '' }, ['subject']],
    ['a subject of two lines', { subject: 'Klage\nBcc: x' }, ['subject']],
    ['a request for a receipt, but no file', { eeb_requested: true }, ['eeb_requested']],
  ])('is refused with %s', (_, fields, paths) => {
    expect(faultsOf(aDraft([], fields))).toEqual(paths)
  })

  it('may go to two lawyers', () => {
    expect(faultsOf(aDraft([], { to: [{ bea_id: lawyer }, { bea_id: `${lawyer}x` }] }))).toEqual([])
  })

  it.each([
    [60_000_000, []],
    [60_000_001, ['attachments']],
  ])('with %i bytes of files has the faults %j', (size_bytes, paths) => {
    expect(faultsOf(aDraft([aDocument({ size_bytes })]))).toEqual(paths)
  })

  it.each([
    [1_000, []],
    [1_001, ['attachments']],
  ])('with %i files has the faults %j', (count, paths) => {
    const documents = Array.from({ length: count }, (_, at) =>
      aDocument({ id: `doc_${at}`, filename: `A${at}.pdf` }),
    )

    expect(faultsOf(aDraft(documents))).toEqual(paths)
  })
})

describe('a court', () => {
  it.each([
    [['application/pdf Klage.pdf'], []],
    [['image/tiff Klage.tif'], []],
    [['application/pdf Klage.pdf', 'text/plain xjustiz.xml'], []],
    [['text/plain xjustiz.xml'], ['attachments.0']],
    [['text/plain ABC021.EDA'], []],
    [['application/pdf Klage.pdf', 'text/plain notiz.txt'], ['attachments.1']],
    [['image/png Foto.png'], ['attachments.0']],
    [
      ['application/vnd.openxmlformats-officedocument.wordprocessingml.document Klage.docx'],
      ['attachments.0'],
    ],
  ])('receives %j with the faults %j', (files, paths) => {
    const documents = files.map((file, at) => {
      const [mime_type = '', filename = ''] = file.split(' ')
      return aDocument({ id: `doc_${at}`, mime_type, filename })
    })

    expect(faultsOf(aDraft(documents))).toEqual(paths)
    expect(faultsOf(aDraft(documents, { to: [{ bea_id: lawyer }] }))).toEqual([])
  })

  // Postboxes of courts on their web pages, such as https://amtsgericht-wolfsburg.niedersachsen.de, 30 November 2026.
  it.each([
    'govello-1273063535525-000216931',
    'safe-sp1-1323163297230-011164095',
  ])('may have a SAFE-ID of an older form: %s', (bea_id) => {
    const documents = [
      aDocument({ filename: 'Klage.txt', mime_type: 'text/plain' }),
      aDocument({ is_protected: true }),
    ]

    const faults = faultsOf(aDraft(documents, { to: [{ bea_id }, { bea_id: lawyer }] }))

    expect(faults.toSorted()).toEqual(['attachments.0', 'attachments.1', 'to'])
  })

  it.each([
    ['application/pdf', 'Klage.docx', 'Klage_docx.pdf'],
    ['application/pdf', 'Bescheid_vom_12-05.2026', 'Bescheid_vom_12-05_2026.pdf'],
    ['image/tiff', 'Anlage.pdf', 'Anlage_pdf.tiff'],
  ])('does not get the %s %s, but %s', (mime_type, filename, expected) => {
    const documents = [aDocument({ mime_type, filename })]
    const renamed = preflight(aDraft(documents), { rename: true })

    expect(faultsOf(aDraft(documents))).toEqual(['attachments.0'])
    expect(faultsOf(aDraft(documents, { to: [{ bea_id: lawyer }] }))).toEqual([])
    expect([renamed.faults, renamed.files.map((file) => file.filename)]).toEqual([[], [expected]])
  })

  it('does not accept a file with a password; a lawyer does', () => {
    const documents = [aDocument({ is_protected: true })]

    expect(faultsOf(aDraft(documents))).toEqual(['attachments.0'])
    expect(faultsOf(aDraft(documents, { to: [{ bea_id: lawyer }] }))).toEqual([])
  })
})

describe('a file name', () => {
  it.each(['Klage.pdf', 'Klage_Müller-Größl_2026.PDF', `${'a'.repeat(86)}.pdf`])('%s is accepted', (name) => {
    expect(fileNameFault(name)).toBeUndefined()
  })

  it.each([
    'Klage Müller.pdf',
    'Klage.v2.pdf',
    'Klage',
    '.pdf',
    'Klage.',
    'Klage(1).pdf',
    'Café.pdf',
    'Klage\u0308.pdf',
    'a/b.pdf',
    '../b.pdf',
    `${'a'.repeat(87)}.pdf`,
    '',
  ])('%j is refused', (name) => {
    expect(fileNameFault(name)).toBeDefined()
  })

  it('may occur once in a message, regardless of upper and lower case', () => {
    const documents = [aDocument(), aDocument({ id: 'doc_2', filename: 'KLAGE.PDF' })]

    expect(faultsOf(aDraft(documents))).toEqual(['attachments.1'])
  })

  it('is corrected on request, and the document keeps its name', () => {
    const documents = [
      aDocument({ filename: 'Klage Müller ./. Schmidt (Entwurf).v2.pdf' }),
      aDocument({ id: 'doc_2', filename: 'klage_müller_schmidt_entwurf_v2.pdf' }),
      aDocument({ id: 'doc_3', filename: 'Café  crème' }),
      aDocument({ id: 'doc_4', filename: `${'ü'.repeat(120)}.pdf` }),
      aDocument({ id: 'doc_5', filename: '???.pdf' }),
    ]

    const { faults, files } = preflight(aDraft(documents), { rename: true })

    expect(faults).toEqual([])
    expect(files.map(({ filename }) => filename)).toEqual([
      'Klage_Müller_Schmidt_Entwurf_v2.pdf',
      'klage_müller_schmidt_entwurf_v2_2.pdf',
      'Cafe_creme.pdf',
      `${'ü'.repeat(86)}.pdf`,
      'Anlage.pdf',
    ])
    expect(documents[0]?.filename).toBe('Klage Müller ./. Schmidt (Entwurf).v2.pdf')
  })

  it.each([
    ['Bescheid vom 12.05.2026', 'Bescheid_vom_12_05_2026.pdf'],
    ['Anlage K1.1', 'Anlage_K1_1.pdf'],
    ['Bescheid.2026', 'Bescheid_2026.pdf'],
    ['Anlage K1.mp3', 'Anlage_K1.mp3'],
  ])('has an extension only if that contains a letter: %s', (filename, expected) => {
    expect(correctedFileNames([{ filename }], () => 'pdf')).toEqual([expected])
  })

  it('that is valid stays, unless an earlier file has it', () => {
    const names = ['Klage__1.pdf', '_x.pdf', 'Klage__1.PDF', 'Klage_1.pdf'].map((filename) => ({ filename }))

    expect(correctedFileNames(names, () => 'pdf')).toEqual([
      'Klage__1.pdf',
      '_x.pdf',
      'Klage_1.PDF',
      'Klage_1_2.pdf',
    ])
  })

  it('that is corrected is always valid and unique', () => {
    const odd = [
      '',
      '.',
      '...',
      'a.b.c',
      ' .pdf',
      '💼.pdf',
      'x'.repeat(300),
      `a.${'y'.repeat(100)}`,
      'Ä.PDF',
      'ä.pdf',
    ]

    const names = correctedFileNames(
      odd.map((filename) => ({ filename })),
      () => 'pdf',
    )

    expect(names.map(fileNameFault)).toEqual(odd.map(() => undefined))
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(odd.length)
  })
})
