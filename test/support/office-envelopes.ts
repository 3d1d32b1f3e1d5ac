import type { Answer, Api } from './api.ts'
import { upload } from './documents.ts'

export const anna = { name: 'Anna Meier', email: 'anna.meier@example.com' }
export const bert = { name: 'Bert Schulze', email: 'bert.schulze@example.com' }

export const envelopes = '/api/v1/signing/envelopes'

export async function newCase(caller: Api, name = 'Meier ./. Schulze'): Promise<string> {
  return (await caller('POST', '/api/v1/cases', { body: { name } })).body.id
}

export async function newDocument(caller: Api): Promise<string> {
  return (await upload(caller)).body.id
}

/** Requests an envelope with one new document and one signer in a new case, unless the fields say otherwise. */
export async function createEnvelope(
  caller: Api,
  fields: Record<string, unknown> & { case_id?: string } = {},
): Promise<Answer> {
  const { case_id = await newCase(caller), ...others } = fields
  const document_ids = 'document_ids' in others ? others.document_ids : [await newDocument(caller)]
  const body = { title: 'Vollmacht', signers: [anna], ...others, document_ids }
  return caller('POST', `/api/v1/cases/${case_id}/signing-envelopes`, { body })
}

/** Creates an envelope and sends it without mails. */
export async function sendEnvelope(
  caller: Api,
  fields: Record<string, unknown> & { case_id?: string } = {},
): Promise<Answer> {
  const { id } = (await createEnvelope(caller, fields)).body
  return caller('POST', `${envelopes}/${id}/send`, { body: { send_emails: false } })
}

/** A new link of a signer, and its token. */
export async function linkOf(
  caller: Api,
  envelopeId: string,
  signerId: string,
): Promise<{ url: string; token: string }> {
  const { body } = await caller('POST', `${envelopes}/${envelopeId}/signers/${signerId}/link`)
  return { url: body.url, token: body.url.split('/').at(-1) }
}
