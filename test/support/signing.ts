import { expect, vi } from 'vitest'
import { type Api, api } from './api.ts'
import { upload } from './documents.ts'
import type { Firm } from './firm.ts'

/** Options for an envelope; everything else is ordinary: one text document, one signer. */
export type EnvelopeOptions = {
  signers?: { name: string; email?: string; role?: string; access_code?: string }[]
  documents?: DocumentToSign[]
  /** The case and the documents; by default new ones. */
  of?: CaseWithDocuments
  /** Further fields of the request that creates it. */
  fields?: Record<string, unknown>
}

export type DocumentToSign = { bytes: string | Uint8Array<ArrayBuffer>; filename: string }

/** A case with documents for any number of envelopes. */
export type CaseWithDocuments = { case_id: string; document_ids: string[] }

/** A sent envelope, with access to its signers' pages. */
export type SentEnvelope = {
  id: string
  case_id: string
  documents: { id: string; document_id: string; filename: string }[]
  /** In the order of the signers; undefined for signers without a link yet: not their turn, or `cc`. */
  signers: { id: string; name: string }[]
  /** A fresh link for the signer at this place; returns its token. */
  link: (at?: number) => Promise<string>
  /** The envelope as the office sees it now. */
  get: () => Promise<Answered>
  audit: () => Promise<Answered[]>
  /** Resolves when the sealed copies exist. */
  untilCompleted: () => Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they state themselves
type Answered = any

const envelopes = '/api/v1/signing/envelopes'

/** Opens a case and uploads documents: one text by default. */
export async function caseWithDocuments(
  { owner }: Firm,
  documents: DocumentToSign[] = [{ bytes: 'Vollmacht', filename: 'Vollmacht.txt' }],
): Promise<CaseWithDocuments> {
  const case_id = (await owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze' } })).body.id
  const document_ids: string[] = []
  for (const document of documents) document_ids.push((await upload(owner, document)).body.id)
  return { case_id, document_ids }
}

/** Creates an envelope and sends it without mails. */
export async function sendEnvelope(firm: Firm, options: EnvelopeOptions = {}): Promise<SentEnvelope> {
  const { signers = [{ name: 'Anna Meier' }], documents } = options
  const { owner } = firm
  const { case_id, document_ids } = options.of ?? (await caseWithDocuments(firm, documents))
  const body = {
    title: 'Vollmacht und Vergütung',
    document_ids,
    signers: signers.map((signer, at) => ({ email: `unterzeichner-${at}@example.com`, ...signer })),
    ...options.fields,
  }
  const created = await owner('POST', `/api/v1/cases/${case_id}/signing-envelopes`, { body })
  if (created.status !== 201) throw new Error(JSON.stringify(created.body))
  const { id } = created.body
  const sent = await owner('POST', `${envelopes}/${id}/send`, { body: { send_emails: false } })
  if (sent.status !== 200) throw new Error(JSON.stringify(sent.body))
  return {
    id,
    case_id,
    documents: sent.body.documents,
    signers: sent.body.signers,
    link: async (at = 0) => {
      const path = `${envelopes}/${id}/signers/${sent.body.signers[at].id}/link`
      const { status, body } = await owner('POST', path)
      if (status !== 201) throw new Error(JSON.stringify(body))
      return body.url.split('/sign/')[1]
    },
    get: async () => (await owner('GET', `${envelopes}/${id}`)).body,
    audit: async () => (await owner('GET', `${envelopes}/${id}/audit?limit=100`)).body.data,
    untilCompleted: () =>
      vi.waitFor(
        async () => expect((await owner('GET', `${envelopes}/${id}`)).body.status).toBe('completed'),
        { timeout: 90_000, interval: 200 },
      ),
  }
}

const html = { Accept: 'text/html' }

/** The requests of a visitor with a magic link, as a browser without JavaScript sends them. */
export function visitor({ baseUrl }: Firm, token: string, headers: Record<string, string> = {}) {
  const anybody: Api = api(baseUrl, undefined)
  const ask = (method: string, path = '', send: Parameters<Api>[2] = {}) =>
    anybody(method, `/sign/${token}${path}`, { ...send, headers: { ...html, ...headers, ...send.headers } })
  const post = (form: string, fields: Record<string, string> = {}) =>
    ask('POST', `/${form}`, { raw: new URLSearchParams(fields) })
  return {
    ask,
    page: () => ask('GET'),
    post,
    open: () => post('open'),
    sign: (fields: Record<string, string> = {}) =>
      post('sign', { name: 'Anna Meier', consent: 'yes', ...fields }),
    decline: (reason = 'Der Betrag stimmt nicht.') => post('decline', { reason }),
  }
}
