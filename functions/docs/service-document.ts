import { openapi } from '#http/openapi/document.ts'
import type { OpenApiDocument, ServiceInfo } from '#http/openapi/types.ts'
import { once } from '#kernel/once.ts'
import { type Described, describedEvents } from '#webhooks/catalogue-schema.ts'
import { allEndpoints } from '../manifest.ts'
import { vocabulary } from './vocabulary.ts'

/** The OpenAPI document of every endpoint of the manifest, built at the first call. */
export const serviceDocument = once(
  (): OpenApiDocument => openapi(allEndpoints, { ...info, webhooks: describedEvents().map(webhookOf) }),
)

/** The description of an event type in the document. */
function webhookOf({ type, when, readers, payload, example }: Described) {
  const scopes = readers.map((scope) => `\`${scope}\``).join(' or ')
  const description = `${when} The body contains only ids: read the resource with ${scopes}.`
  return { name: type, description, payload, example }
}

const service = { name: 'Service', description: 'The health check and the documentation.' }
const workspace = {
  name: 'Workspace',
  description:
    'The law firm, its users and their API keys. Data of one workspace is invisible to every other.',
}

const documents = {
  name: 'Documents',
  description:
    'Files of up to 200 MiB, stored byte for byte. After a document is stored, its text is extracted: from the text layer, or by OCR from images.',
}

const parties = { name: 'Parties', description: 'People and organizations that take part in cases.' }

const billing = {
  name: 'Time and invoices',
  description:
    'Time worked on cases, and invoices: drafts, numbers without gaps, cancellation. Amounts are exact decimals.',
}

const fees = {
  name: 'Fees and interest',
  description:
    'Lawyers’ fees (RVG), court fees (GKG, FamGKG), the cost risk of a lawsuit, and interest (§§ 247, 288 BGB): to the cent, each line with its number, rule and table. Nothing is stored.',
}

const info: ServiceInfo = {
  title: 'Aktenlage',
  version: '1.0.0',
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  description: `The back end of a German law firm: cases (Akten) with their parties, staff and history, documents with their text, a calendar that prevents double booking, and deadlines (Fristen) with dual control.

**Authentication.** Send an API key with every request: \`Authorization: Bearer ak_…\`. A key belongs to one user of one workspace and has scopes; each operation names the scope that it needs.

**Lists** return one page: \`data\` and \`pagination\`. Send \`pagination.cursor\` as \`cursor\` to get the next page; it is null on the last page. With a search or filters, a page may hold fewer than \`limit\` items, or none, and still have a cursor: only a null cursor says that nothing else matches.

**Times** in requests are ISO 8601 with \`Z\` or an offset. Times in answers are in UTC; times of events and deadlines have the offset of the workspace’s time zone.

**Errors** always have the same shape: \`error.code\` for programs, \`error.message\` for people, \`error.request_id\` to quote in a support request. For a resource of another workspace, the answer is the same as for one that does not exist.

**German terms.** Some names are German, because German law gives them their meaning:

| term | meaning |
|---|---|
| Akte | a case of the law firm, with its file number (Aktenzeichen) |
| Frist | a legal deadline; missing it may cost the client the case |
| Hauptfrist, Vorfrist, Nachfrist | the deadline itself, an early reminder before it, and a period of grace after it |
| Notfrist | a deadline that no court may extend (§ 224 Abs. 1 ZPO) |
| Vier-Augen-Prinzip | dual control: a second person verifies a deadline |
| Ausgangskontrolle | exit control: somebody else checks in the evening that a deadline was met |
| Wiedervorlage | a reminder to look at a case again |
| Dezernat | a department of the law firm |
| Mandant, Gegner | the client; the opponent |
| beA | the electronic mailbox of lawyers, through which they reach the courts |
| eEB | an electronic acknowledgement of receipt: it fixes the day of service |
| SAFE-ID | the address of a beA postbox |
| Kanzlei | a law firm |

**Methods.** HEAD answers like GET, without a body. A path that has other methods answers 405, and the header \`Allow\` names them.

**Unknown parameters and fields.** A query parameter that an operation does not have is refused with 400. A field of a body that the operation does not read is ignored, also if no body is expected. The header \`X-Ignored-Fields\` of the answer lists the places of such fields, separated by commas: \`nmae, parts.0.rol\`, or \`0.rol\` if the body is a list. The places have the same form as in the details of an error. Unusual characters of names are percent-encoded, and after 50 places the list ends with \`...\`. With \`Prefer: handling=strict\` such a field is refused instead, with 400, or with 422 for a document that is pushed. The error names the most similar field that is read. The answer has \`Preference-Applied: handling=strict\`.

**Concurrent changes.** A resource with an \`ETag\` can be changed with \`If-Match\`; 412 means that somebody else changed it first.

**Repeating a request.** Send a POST with an \`Idempotency-Key\` that you choose (a UUID). If its answer is lost, send it again with the same key within 24 hours: it takes effect once, and you get the first answer again, with \`Idempotent-Replayed: true\`. The answer to a refused request is not kept. A value that is shown only once (an API key, the address of a feed) is left out of a repeated answer.`,
  vocabulary,
  groups: {
    cases: { name: 'Cases', description: 'Akten with their parties, staff, links and timeline.' },
    disposals: {
      name: 'Disposals',
      description:
        'Disposing of cases whose retention period is over: one user proposes, another approves, all records of the cases are removed, and a certificate remains.',
    },
    retention: {
      name: 'Retention',
      description: 'Records that the firm need not keep any longer.',
    },
    documents,
    folders: documents,
    search: {
      name: 'Search',
      description: 'Documents, mail and beA messages by their text.',
    },
    inbox: {
      name: 'Inbox',
      description:
        'Mail and documents that arrived and are not filed yet, each with the suggestion of the triage and its reasons. The triage files an item automatically only if the suggestion is certain.',
    },
    webhooks: {
      // Scalar uses the name `Webhooks` for messages that the service sends.
      name: 'Events for other systems',
      description:
        'The log of events in the firm for other systems. Also the entry points where other systems push documents and mail, each with its own token.',
    },
    parties,
    'conflict-check': parties,
    'time-entries': billing,
    invoices: billing,
    fees,
    interest: fees,
    deadlines: {
      name: 'Deadlines',
      description:
        'Fristen: calculated step by step with the legal basis, created with a Vorfrist, verified by a second person, with a history that nobody can change.',
    },
    calendar: {
      name: 'Calendar',
      description:
        'Events without double booking, free/busy times, iCalendar feeds, and pushing to external calendars. Deadlines are listed among the events.',
    },
    events: {
      name: 'Events',
      description: 'The same events as under `/api/v1/calendar/events`.',
    },
    email: {
      name: 'Outbound mail',
      description:
        'Drafts, replies and sending: each mail is sent once, or reported as not sent. The message is kept as it was passed to the mail provider.',
    },
    correspondence: {
      name: 'Correspondence',
      description:
        'Mail that was sent or received, with the outcome for each recipient, and the whole message.',
    },
    bea: {
      name: 'beA',
      description:
        'The electronic mailbox of lawyers: accounts, sessions and rights, the directory, and messages, which are imported before the network deletes them.',
    },
    shared: {
      name: 'Shared links',
      description: 'Documents that a mail contains as a link instead of an attachment; for recipients.',
    },
    signing: {
      name: 'Signing',
      description:
        'Documents that people outside of the office sign by a link, without an account: envelopes, their signers, and the audit trail.',
    },
    sign: {
      name: 'Signer’s page',
      description: 'The pages, forms and documents behind a magic link.',
    },
    verify: { name: 'Verify', description: 'Anybody can verify a sealed file without uploading it.' },
    exports: {
      name: 'Exports',
      description:
        'Configurations that export the firm’s data as JSON, CSV or XLSX, in any number of rows. Other systems can fetch an export with a token, without an API key.',
    },
    workspace,
    audit: workspace,
    me: workspace,
    users: workspace,
    'api-keys': workspace,
    '': service,
    health: service,
    docs: service,
    'openapi.json': service,
  },
}
