import type { Measured } from './cost.ts'
import type { Request } from './requests.ts'
import type { Firm } from './seed.ts'

const envelopes = '/api/v1/signing/envelopes'

const signers = [
  { name: 'Anna Meier', email: 'anna.meier@example.de' },
  { name: 'Emre Çelik', email: 'emre.celik@example.de' },
]

/**
 * The cost of envelopes for the office, for `measureCost`. `test/store/envelope-units.test.ts` counts the cost of
 * signers.
 */
export const ofSigning: Measured = {
  things: 'envelopes (a tenth of the cases)',
  first: (firm) => listing(firm),
  operations: [
    { name: 'list', request: (firm) => listing(firm), isHeldToTarget: true },
    {
      name: 'list of a case',
      request: (firm) => listing(firm, { case_id: firm.oldestCaseId }),
      isHeldToTarget: true,
    },
    {
      name: 'list of a case by status',
      request: (firm) => listing(firm, { case_id: firm.oldestCaseId, status: 'draft' }),
      isHeldToTarget: true,
    },
    { name: 'list by status', request: (firm) => listing(firm, { status: 'draft' }), isHeldToTarget: true },
    { name: 'get', request: (firm) => ofOne(firm, ''), isHeldToTarget: true },
    { name: 'audit', request: (firm) => ofOne(firm, '/audit'), isHeldToTarget: true },
    { name: 'create', request: (firm) => creating(firm, false), isHeldToTarget: true },
    { name: 'create and send', request: (firm) => creating(firm, true), isHeldToTarget: true },
  ],
}

function listing({ key }: Firm, query: Record<string, string> = {}): Request {
  return { method: 'GET', resource: envelopes, query, key }
}

function ofOne({ key, envelopeId }: Firm, path: string): Request {
  return { method: 'GET', resource: `${envelopes}/{id}${path}`, params: { id: envelopeId }, key }
}

function creating({ key, oldestCaseId, documentId }: Firm, send_emails: boolean): Request {
  return {
    method: 'POST',
    resource: '/api/v1/cases/{id}/signing-envelopes',
    params: { id: oldestCaseId },
    body: { title: 'Vollmacht', document_ids: [documentId], signers, send_emails },
    key,
  }
}
