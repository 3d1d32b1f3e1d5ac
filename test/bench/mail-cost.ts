import { randomUUID } from 'node:crypto'
import { rareSurname } from './case-names.ts'
import type { Measured } from './cost.ts'
import type { Request } from './requests.ts'
import type { Office } from './seed.ts'

const correspondence = '/api/v1/correspondence'
const outbound = '/api/v1/email/outbound'

/** What the list of mails costs, for `measureCost`. */
export const ofCorrespondence: Measured = {
  things: 'mails',
  first: (office) => listing(office),
  operations: [
    { name: 'list', request: (office) => listing(office), isHeldToTarget: true },
    {
      name: 'list of a case',
      request: (office) => listing(office, { case_id: office.oldestCaseId }),
      isHeldToTarget: true,
    },
    {
      name: 'list by direction',
      request: (office) => listing(office, { direction: 'inbound' }),
      isHeldToTarget: true,
    },
    {
      name: 'search, a full page',
      request: (office) => listing(office, { search: 'chmi' }),
      isHeldToTarget: true,
    },
    {
      name: 'search, three hits',
      request: (office) => listing(office, { search: rareSurname }),
      isHeldToTarget: true,
    },
    {
      name: 'search within a case',
      request: (office) => listing(office, { case_id: office.oldestCaseId, search: 'mandantin' }),
      isHeldToTarget: true,
    },
  ],
}

/** What drafts and sends cost, for `measureCost`. */
export const ofOutboundMail: Measured = {
  things: 'mails',
  first: (office) => drafts(office),
  operations: [
    { name: 'drafts', request: (office) => drafts(office), isHeldToTarget: true },
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

function listing({ key }: Office, query: Record<string, string> = {}): Request {
  return { method: 'GET', resource: correspondence, query, key }
}

function drafts({ key }: Office): Request {
  return { method: 'GET', resource: `${outbound}/drafts`, key }
}
