import { randomUUID } from 'node:crypto'
import { rareSurname } from './case-names.ts'
import type { Measured } from './cost.ts'
import type { Request } from './requests.ts'
import type { Firm } from './seed.ts'

const correspondence = '/api/v1/correspondence'
export const outbound = '/api/v1/email/outbound'

/** The cost of listing mails, for `measureCost`. */
export const ofCorrespondence: Measured = {
  things: 'mails',
  first: (firm) => listing(firm),
  operations: [
    { name: 'list', request: (firm) => listing(firm), isHeldToTarget: true },
    {
      name: 'list of a case',
      request: (firm) => listing(firm, { case_id: firm.oldestCaseId }),
      isHeldToTarget: true,
    },
    {
      name: 'list by direction',
      request: (firm) => listing(firm, { direction: 'inbound' }),
      isHeldToTarget: true,
    },
    {
      name: 'search, a full page',
      request: (firm) => listing(firm, { search: 'chmi' }),
      isHeldToTarget: true,
    },
    {
      name: 'search, three hits',
      request: (firm) => listing(firm, { search: rareSurname }),
      isHeldToTarget: true,
    },
    {
      name: 'search within a case',
      request: (firm) => listing(firm, { case_id: firm.oldestCaseId, search: 'mandantin' }),
      isHeldToTarget: true,
    },
  ],
}

/** The cost of drafts and sends, for `measureCost`. */
export const ofOutboundMail: Measured = {
  things: 'mails',
  first: (firm) => drafts(firm),
  operations: [
    { name: 'drafts', request: (firm) => drafts(firm), isHeldToTarget: true },
    {
      name: 'create a draft',
      request: ({ key, oldestCaseId }) => ({
        method: 'POST',
        resource: `${outbound}/drafts`,
        body: {
          to: ['mandantin@example.de'],
          subject: 'Klage',
          body_html: '<p>Hallo</p>',
          case_id: oldestCaseId,
        },
        key,
      }),
      isHeldToTarget: true,
    },
    {
      name: 'save a draft',
      request: ({ key, draftId }) => ({
        method: 'PUT',
        resource: `${outbound}/drafts/{id}`,
        params: { id: draftId },
        body: { body_html: '<p>Hallo!</p>' },
        key,
      }),
      isHeldToTarget: true,
    },
    {
      name: 'send',
      request: ({ key, oldestCaseId }) => ({
        method: 'POST',
        resource: `${outbound}/send`,
        body: {
          idempotency_key: randomUUID(),
          to_recipients: ['mandantin@example.de'],
          subject: 'Becker ./. Wagner wegen Kaufpreis',
          body_html: '<p>Hallo</p>',
          case_id: oldestCaseId,
        },
        key,
      }),
      isHeldToTarget: true,
    },
  ],
}

function listing({ key }: Firm, query: Record<string, string> = {}): Request {
  return { method: 'GET', resource: correspondence, query, key }
}

function drafts({ key }: Firm): Request {
  return { method: 'GET', resource: `${outbound}/drafts`, key }
}
