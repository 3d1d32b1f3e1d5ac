import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { PDFDocument } from '@cantoo/pdf-lib'
import { extractImages, extractText, getDocumentProxy } from 'unpdf'
import { beforeAll, describe, expect, it } from 'vitest'
import { bytesKey } from '#documents/keys.ts'
import { isIntact } from '#kernel/hash-chain.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { drawnPages, faultsOf, hasPdfsig, isValidToPdfsig } from '#test/sealing/pades-judge.ts'
import type { Answer } from '#test/support/api.ts'
import { corpus } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { growingPauses } from '#test/support/growing-pauses.ts'
import { formPdf } from '#test/support/pdf-form.ts'
import { drawnPng } from '#test/support/png-writer.ts'
import { newAddress, sentTo } from '#test/support/sent-mail.ts'
import { sharedBucket } from '#test/support/shared-bucket.ts'
import { type SentEnvelope, sendEnvelope, visitor } from '#test/support/signing.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

/** S7: what becomes of an envelope that everybody has signed, in the whole service. */

let firm: Firm
beforeAll(async () => {
  firm = await newFirm('Kanzlei Öztürk')
})

const picture = `data:image/png;base64,${Buffer.from(drawnPng()).toString('base64')}`

async function signAt(envelope: SentEnvelope, at: number, fields: Record<string, string> = {}) {
  const signer = visitor(firm, await envelope.link(at), { 'User-Agent': 'Firefox im Test' })
  expect((await signer.open()).status).toBe(303)
  return signer.sign(fields)
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they state themselves
async function completed(envelope: SentEnvelope): Promise<any> {
  const until = performance.now() + 300_000
  for await (const _ of growingPauses()) {
    const now = await envelope.get()
    if (now.status === 'completed') return now
    if (performance.now() > until) throw new Error(`The envelope stays ${JSON.stringify(now)}`)
  }
}

async function download(documentId: string): Promise<Uint8Array> {
  const { status, bytes } = await firm.owner('GET', `/api/v1/documents/${documentId}/download`)
  expect(status).toBe(200)
  return bytes
}

const verify = (sha256: string): Promise<Answer> =>
  firm.owner('POST', '/api/v1/signing/verify', { body: { sha256 } })

const timelineOf = async ({ case_id }: SentEnvelope): Promise<{ type: string; ref: { id: string } }[]> =>
  (await firm.owner('GET', `/api/v1/cases/${case_id}/timeline?limit=100`)).body.data

const textsOf = async (pdf: Uint8Array): Promise<string[]> =>
  (await extractText(await getDocumentProxy(new Uint8Array(pdf), { verbosity: 0 }), { mergePages: false }))
    .text

const attachmentsOf = async (pdf: Uint8Array): Promise<{ content: Uint8Array }[]> =>
  (await PDFDocument.load(pdf, { updateMetadata: false }))
    .getAttachments()
    .map(({ data }) => ({ content: data }))

/** Everything of a completed envelope exists exactly once. */
async function expectOnce(envelope: SentEnvelope): Promise<void> {
  const actions = (await envelope.audit()).map(({ action }) => action)
  expect(actions.filter((action) => action === 'completed')).toHaveLength(1)
  expect(actions.at(-1)).toBe('completed')
  const entries = await timelineOf(envelope)
  expect(entries.filter(({ type }) => type === 'envelope.completed')).toHaveLength(1)
  const { data } = (await firm.owner('GET', `/api/v1/documents?case_id=${envelope.case_id}&limit=100`)).body
  const filed = data.filter(({ source }: { source: string }) => source === 'signing')
  const { documents } = await envelope.get()
  expect(filed.map(({ id }: { id: string }) => id).toSorted()).toEqual(
    documents.map((one: { sealed_document_id: string }) => one.sealed_document_id).toSorted(),
  )
}

describe('an envelope with documents of every type (S7)', () => {
  const appended = ['vertrag.pdf', 'formular.pdf']
  const converted = ['bild.png', 'scan.jpg', 'scan-group4.tif']
  const attached = ['vertrag.docx', 'vertrag.doc', 'brief-utf8.txt', 'verschluesselt.pdf', 'xfa.pdf']
  /** Those that are no files of the corpus. */
  const made: Record<string, () => Promise<Uint8Array<ArrayBuffer>>> = {
    'formular.pdf': () => formPdf(),
    'xfa.pdf': () => formPdf({ xfa: true }),
    'bild.png': async () => drawnPng(),
  }
  const names = [...appended, ...converted, ...attached]
  const [anna, bert, clara] = [newAddress(), newAddress(), newAddress()]
  const sealed = new Map<string, { id: string; original: Uint8Array; pdf: Uint8Array; text: string }>()
  let envelope: SentEnvelope

  beforeAll(async () => {
    const originals: Uint8Array<ArrayBuffer>[] = []
    for (const name of names) originals.push((await made[name]?.()) ?? corpus(name))
    envelope = await sendEnvelope(firm, {
      documents: names.map((name, at) => ({ bytes: originals[at] ?? '', filename: `Für Müller ${name}` })),
      signers: [
        { name: 'Łukasz Şahin', email: anna },
        { name: 'Bert Schulze', email: bert, role: 'approver' },
        { name: 'Clara Kopie', email: clara, role: 'cc' },
      ],
    })
    expect((await signAt(envelope, 0, { name: 'Łukasz Şahin', signature: picture })).status).toBe(303)
    expect((await signAt(envelope, 1, { name: 'Bert Schulze' })).status).toBe(303)
    const { documents } = await completed(envelope)
    for (const [at, name] of names.entries()) {
      const pdf = await download(documents[at].sealed_document_id)
      const text = (await textsOf(pdf)).join('\n')
      const original = originals[at] ?? expect.unreachable()
      sealed.set(name, { id: documents[at].sealed_document_id, original, pdf, text })
    }
  }, 400_000)

  const of = (name: string) => sealed.get(name) ?? expect.unreachable()

  it.each(
    names,
  )('%s: its sealed copy is filed in the case, valid PAdES, and known to verify', async (name) => {
    const { id, pdf } = of(name)

    const { body } = await firm.owner('GET', `/api/v1/documents/${id}`)
    const { body: answer } = await verify(hexDigest(pdf))

    expect(body).toMatchObject({ case_id: envelope.case_id, source: 'signing', mime_type: 'application/pdf' })
    expect(body.filename).toBe(`Für Müller ${name.replace(/\.\w+$/, '')} (signiert).pdf`)
    expect([body.sha256, body.size_bytes]).toEqual([hexDigest(pdf), pdf.length])
    expect(faultsOf(pdf)).toEqual([])
    if (hasPdfsig) expect(isValidToPdfsig(pdf)).toBe(true)
    expect(answer).toMatchObject({
      known: true,
      envelope: { id: envelope.id, title: 'Vollmacht und Vergütung' },
      document: { filename: body.filename },
    })
    expect(answer.signers.map((signer: { name: string }) => signer.name)).toEqual([
      'Łukasz Şahin',
      'Bert Schulze',
    ])
  })

  it.each(appended)('%s: the pages of the original are the same before and after', async (name) => {
    const { original, pdf } = of(name)
    const [before, after] = [await textsOf(original), await textsOf(pdf)]

    expect(Buffer.compare(pdf.subarray(0, original.length), original)).toBe(0)
    expect(after.slice(0, before.length)).toEqual(before)
    if (hasPdfsig) expect(drawnPages(pdf).slice(0, before.length)).toEqual(drawnPages(original))
  })

  it('a form keeps what was filled in; one that is drawn from data (XFA) is attached', async () => {
    const before = (await PDFDocument.load(of('formular.pdf').original)).getForm()
    const after = (await PDFDocument.load(of('formular.pdf').pdf, { updateMetadata: false })).getForm()

    expect([after.getTextField('mandant.name').getText(), after.getCheckBox('belehrt').isChecked()]).toEqual([
      'Erika Mustermann',
      true,
    ])
    const names = before.getFields().map((field) => field.getName())
    expect(after.getFields().map((field) => field.getName())).toEqual(expect.arrayContaining(names))
    const details = (await envelope.audit()).at(-1).details.documents
    const xfa = details.find(({ filename }: { filename: string }) => filename.endsWith('xfa.pdf'))
    expect(xfa.attached_because).toBe('dynamic_form')
  })

  it.each([...converted, ...attached])('%s: the original comes out again byte for byte', async (name) => {
    const { original, pdf } = of(name)

    const files = await attachmentsOf(pdf)

    expect(files.map(({ content }) => hexDigest(content))).toEqual([hexDigest(original)])
  })

  it.each(
    names,
  )('%s: the certificate names the audit’s last entry before completion and the original', async (name) => {
    const { original, text } = of(name)
    const audit = await envelope.audit()
    const said = text.replaceAll(/\s+/g, '')

    expect(audit.at(-1).action).toBe('completed')
    expect(said).toContain(audit.at(-2).hash)
    expect(said).toContain(hexDigest(original))
    for (const fact of [envelope.id, 'Łukasz Şahin', anna, 'Bert Schulze', bert, clara, 'Firefox im Test'])
      expect(said).toContain(fact.replaceAll(/\s+/g, ''))
  })

  it('with any byte changed, a sealed copy is unknown to verify and invalid to whoever checks the seal', async () => {
    const { pdf } = of('vertrag.pdf')
    const places = [0, 100, Math.floor(pdf.length / 2), pdf.length - 2_000, pdf.length - 10]

    for (const place of places) {
      const changed = Buffer.from(pdf)
      changed[place] = (changed[place] ?? 0) ^ 1
      expect((await verify(hexDigest(changed))).body).toEqual({ known: false })
      expect(faultsOf(changed).length, `byte ${place}`).toBeGreaterThan(0)
      if (hasPdfsig) expect(isValidToPdfsig(changed)).toBe(false)
    }
    expect((await verify(hexDigest(of('vertrag.pdf').original))).body).toEqual({ known: false })
  })

  it('the audit recomputes, and its completed entry has the digests of the sealed copies', async () => {
    const audit = await envelope.audit()

    expect(isIntact(audit, undefined)).toBe(true)
    expect(audit.at(-1).details.documents).toEqual(
      names.map((name) =>
        expect.objectContaining({
          sha256: hexDigest(of(name).original),
          sealed_document_id: of(name).id,
          sealed_sha256: hexDigest(of(name).pdf),
        }),
      ),
    )
  })

  it('each signer, the cc and the creator get one mail, and the timeline has one entry', async () => {
    for (const address of [anna, bert, clara]) {
      await expect.poll(() => sentTo(address).then(({ length }) => length), { timeout: 60_000 }).toBe(1)
    }
    await expectOnce(envelope)
  })

  it('a document that is signed already is attached, its own seal intact', async () => {
    const { pdf } = of('vertrag.pdf')
    const again = await sendEnvelope(firm, {
      documents: [{ bytes: new Uint8Array(pdf), filename: 'Zweimal.pdf' }],
    })
    await signAt(again, 0)

    const { documents } = await completed(again)

    const [file] = await attachmentsOf(await download(documents[0].sealed_document_id))
    expect(file && hexDigest(file.content)).toBe(hexDigest(pdf))
    const entry = (await again.audit()).at(-1)
    expect(entry.details.documents[0].attached_because).toBe('signed')
  })
})

describe('an envelope that fifty sign, with a title longer than a page (S1, S6)', () => {
  it('has all their drawings and the whole title on its certificate', async () => {
    const title = '\u{1f58a}'.repeat(200)
    const people = Array.from({ length: 50 }, (_, at) => ({ name: `Unterzeichner Nr. ${at + 1}` }))
    const envelope = await sendEnvelope(firm, {
      documents: [{ bytes: corpus('vertrag.pdf'), filename: 'vertrag.pdf' }],
      signers: people,
      fields: { title },
    })

    for (const [at, { name }] of people.entries()) {
      // Each drawing has a width of its own.
      const png = `data:image/png;base64,${Buffer.from(drawnPng(500 + at, 150)).toString('base64')}`
      expect((await signAt(envelope, at, { name, signature: png })).status).toBe(303)
    }
    const { documents, signers } = await completed(envelope)

    expect(signers.map(({ status }: { status: string }) => status)).toEqual(people.map(() => 'signed'))
    const pdf = await download(documents[0].sealed_document_id)
    expect(faultsOf(pdf)).toEqual([])
    const own = (await textsOf(pdf)).slice((await textsOf(corpus('vertrag.pdf'))).length)
    const text = own.join('').replaceAll(/\s+/g, '')
    expect(people.filter(({ name }) => !text.includes(name.replaceAll(' ', '')))).toEqual([])
    expect(text.match(/‹U\+1F58A›/g)?.length).toBeGreaterThanOrEqual(200)
    const proxy = await getDocumentProxy(new Uint8Array(pdf), { verbosity: 0 })
    const widths: number[] = []
    for (let page = proxy.numPages - own.length + 1; page <= proxy.numPages; page += 1)
      widths.push(...(await extractImages(proxy, page)).map(({ width }) => width))
    expect(widths.toSorted((one, other) => one - other)).toEqual(people.map((_, at) => 500 + at))
  }, 400_000)
})

describe('exactly once (S7)', () => {
  it('where the two last sign at the same moment', async () => {
    const envelope = await sendEnvelope(firm, { signers: [{ name: 'Anna Meier' }, { name: 'Bert Schulze' }] })
    const signers = []
    for (const at of [0, 1]) signers.push(visitor(firm, await envelope.link(at)))
    for (const signer of signers) await signer.open()

    const answers = await Promise.all(signers.map((signer) => signer.sign()))

    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    await completed(envelope)
    await expectOnce(envelope)
  })

  it('where the message comes three times more, at once and afterwards', async () => {
    const envelope = await sendEnvelope(firm)
    await signAt(envelope, 0)
    const environment = sharedService().environment
    const client = new SQSClient({
      endpoint: environment.AWS_ENDPOINT_URL_SQS ?? '',
      region: 'eu-central-1',
      credentials: {
        accessKeyId: environment.AWS_ACCESS_KEY_ID ?? '',
        secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? '',
      },
      useQueueUrlAsEndpoint: false,
    })
    const send = () =>
      client.send(
        new SendMessageCommand({
          QueueUrl: environment.SEAL_QUEUE_URL,
          MessageBody: JSON.stringify({ workspace_id: firm.workspace.id, envelope_id: envelope.id }),
        }),
      )
    await Promise.all([send(), send()])
    await completed(envelope)
    await send()
    await new Promise((resolve) => setTimeout(resolve, 2_000))

    await expectOnce(envelope)
  })
})

describe('a document whose bytes are lost (S7)', () => {
  it('is shown in its envelope and in the timeline, holds up no other, and is sealed once they are restored', async () => {
    const files = sharedBucket()
    const envelope = await sendEnvelope(firm, { fields: { title: 'Verloren' } })
    const [document] = envelope.documents
    const about = { workspace_id: firm.workspace.id, id: document?.document_id ?? '' }
    const { sha256 } = (await firm.owner('GET', `/api/v1/documents/${about.id}`)).body
    const key = bytesKey({ ...about, sha256 })
    const bytes = await files.read(key)
    await files.remove([key])

    await signAt(envelope, 0)
    const other = await sendEnvelope(firm)
    await signAt(other, 0)

    await completed(other)
    await expect
      .poll(() => envelope.get(), { timeout: 60_000 })
      .toMatchObject({
        status: 'in_progress',
        status_reason: 'bytes_missing',
        completed_at: null,
      })
    const shown = (await timelineOf(envelope)).filter(({ type }) => type === 'envelope.sealing_failed')
    expect(shown).toMatchObject([
      {
        summary: 'Signaturvorgang „Verloren“ kann nicht gesiegelt werden: „Vollmacht.txt“ fehlt im Speicher',
      },
    ])

    await files.put(key, bytes, { mimeType: 'text/plain', sha256 })
    expect(await completed(envelope)).toMatchObject({ status_reason: null })
    await expectOnce(envelope)
  })
})

describe('a case that was deleted while its envelope ran', () => {
  it('does not stop the envelope: the sealed copies belong to it like its other documents', async () => {
    const envelope = await sendEnvelope(firm)
    await firm.owner('DELETE', `/api/v1/cases/${envelope.case_id}`)
    await signAt(envelope, 0)

    const { documents } = await completed(envelope)

    const { body } = await firm.owner('GET', `/api/v1/documents/${documents[0].sealed_document_id}`)
    expect([body.case_id, body.source]).toEqual([envelope.case_id, 'signing'])
    expect((await verify(body.sha256)).body.known).toBe(true)
  })
})
