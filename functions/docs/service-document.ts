import { openapi } from '#http/openapi/document.ts'
import type { OpenApiDocument, ServiceInfo } from '#http/openapi/types.ts'
import { once } from '#kernel/once.ts'
import { allEndpoints } from '../manifest.ts'

/** The OpenAPI document of every endpoint of the manifest, made at the first call. */
export const serviceDocument = once((): OpenApiDocument => openapi(allEndpoints, info))

const service = { name: 'Service', description: 'Whether the service is up, and this description of it.' }
const workspace = {
  name: 'Workspace',
  description:
    'The law firm, its users and their API keys. What belongs to one workspace is invisible to every other.',
}

const documents = {
  name: 'Documents',
  description:
    'Files of any size a court accepts, kept byte for byte. Each is read after it was stored: its text layer, or by machine where it is a picture.',
}

const info: ServiceInfo = {
  title: 'Aktenlage',
  version: '1.0.0',
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  description: `The back end of a German law firm: cases (Akten) with their parties, staff and history, the documents that belong to them, read by machine, a calendar that cannot be booked twice, and deadlines (Fristen) that a second person checks.

**Authentication.** Send an API key with every request: \`Authorization: Bearer ak_…\`. A key belongs to one user of one workspace and has scopes; each operation names the one it needs.

**Lists** answer a page: \`data\` and \`pagination\`. Send \`pagination.cursor\` as \`cursor\` to get the next one; it is null on the last.

**Times** go in as ISO 8601 with \`Z\` or an offset, and come out in UTC; those of events and deadlines come out with the offset of the workspace’s time zone.

**Errors** have one shape, whatever went wrong: \`error.code\` for programs, \`error.message\` for people, \`error.request_id\` for a question to us. What is not there and what belongs to another workspace answer alike.

**Changes that meet.** What carries an \`ETag\` can be changed with \`If-Match\`: 412 tells that somebody else was faster.`,
  groups: {
    cases: { name: 'Cases', description: 'Akten with their parties, staff, links and timeline.' },
    documents,
    folders: documents,
    inbox: { name: 'Inbox', description: 'What arrives and belongs to no case yet.' },
    webhooks: {
      name: 'Webhooks',
      description: 'Doors for other systems, which open to a token of their own.',
    },
    parties: { name: 'Parties', description: 'The people and organizations that cases are about.' },
    deadlines: {
      name: 'Deadlines',
      description:
        'Fristen: reckoned with their paragraphs, entered with Vorfrist, checked by a second person, never deleted without a trace.',
    },
    calendar: {
      name: 'Calendar',
      description:
        'Events that cannot be booked twice, free time, feeds to subscribe to and calendars to push to. Deadlines are among the events.',
    },
    events: {
      name: 'Events',
      description: 'The same events as under `/api/v1/calendar/events`: two doors to one store.',
    },
    workspace,
    users: workspace,
    'api-keys': workspace,
    health: service,
    docs: service,
    'openapi.json': service,
  },
}
