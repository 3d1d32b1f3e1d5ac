import { createHash } from 'node:crypto'
import type { BeaRight } from '#bea/rights/right-schema.ts'
import { arrived, deliver, filed, messageOf, newCase } from './arriving-mail.ts'
import { beaOffice } from './bea-office.ts'
import { aBeaAccountOf, aBeaMessageIn } from './bea-records.ts'
import { remoteAttachment } from './bea-remote.ts'
import { settled, upload } from './documents.ts'
import { aConfig, aToken } from './exports.ts'
import type { Given, Prepared } from './fixture.ts'
import { newAddress, send, sentTo } from './sent-mail.ts'
import { signMail } from './signed-mail.ts'

/** A request that finds more stored data than the endpoint's example. */
export type Situation = {
  operation: string
  title: string
  prepare: (given: Given) => Promise<Prepared>
  /** The status of the answer, if it differs from the status of the endpoint. */
  status?: number
}

const made = async ({ firm }: Given, path: string, body?: object) => {
  const answer = await firm.owner('POST', `/api/v1${path}`, { ...(body && { body }) })
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** A case with two parties, a lawyer, a document, a folder, an event and a deadline. */
async function aBusyCase(given: Given) {
  const { owner, ownerUser } = given.firm
  const id = await newCase(given.firm)
  const parties = [
    { name: 'Anna Müller', role: 'client' },
    { name: 'Karl Becker', role: 'opponent' },
  ]
  const { data } = await made(given, `/cases/${id}/parties`, parties)
  await made(given, `/cases/${id}/staff`, { staff: [{ id: ownerUser.id, role: 'lead_attorney' }] })
  const folder = await made(given, '/folders', { name: 'Schriftsätze', case_id: id })
  const fields = { case_id: id, folder_id: folder.id, party_ids: [data[0].id] }
  const document = (await upload(owner, {}, fields)).body
  await settled(owner, document.id)
  const times = { start: '2031-05-06T09:00:00Z', end: '2031-05-06T10:00:00Z' }
  const event = await made(given, '/events', {
    title: 'Termin',
    case_id: id,
    ...times,
    attendees: [ownerUser.id],
  })
  const deadline = await made(given, '/deadlines', {
    title: 'Berufung',
    case_id: id,
    calculation: { preset: 'zpo_berufungsbegruendung', event_date: '2031-03-06', region: 'DE-BE' },
    create_vorfrist: true,
  })
  return {
    id,
    party_id: data[0].id as string,
    folder_id: folder.id as string,
    document_id: document.id as string,
    event_id: event.id as string,
    deadline_id: deadline.id as string,
  }
}

const court = 'Geschäftsstelle <poststelle@lg-koeln.nrw.de>'

const ofCourt = {
  from: court,
  subject: 'Landgericht Köln, Az. 3 O 45/26',
  text: 'In dem Rechtsstreit Müller ./. Becker\nGeschäftsnummer: 3 O 45/26\nwird um Stellungnahme gebeten.',
}

/** A mail in a case that has learned from two mails of the same court. */
async function aLearntMail(given: Given) {
  const case_id = await newCase(given.firm)
  const first = await arrived(given.firm, ofCourt)
  await made(given, `/inbox/${first.id}/file`, { case_id })
  const id = await deliver(given.firm, ofCourt)
  await filed(given.firm, id)
  return { id, case_id }
}

/** An event that was pushed to a calendar. */
async function aPushedEvent(given: Given): Promise<Prepared> {
  const login = { provider: 'caldav', url: given.caldavUrl, username: 'vogt', password: 'geheim' }
  await made(given, '/calendar/sync/accounts', login)
  const { ownerUser } = given.firm
  const times = { start: '2031-05-06T09:00:00Z', end: '2031-05-06T10:00:00Z' }
  const { id } = await made(given, '/events', { title: 'Termin', ...times, attendees: [ownerUser.id] })
  await made(given, `/calendar/sync/events/${id}/push`)
  return { params: { id } }
}

/** Rights of a colleague at a postbox. */
async function aGrant(given: Given, ...rights: BeaRight[]) {
  const account = await aBeaAccountOf(given.firm)
  const { user } = await given.firm.colleague()
  const target = { account_id: account.id, user_id: user.id }
  await made(given, '/bea/permissions', { ...target, rights })
  return target
}

/** An envelope of two signers, one after the other, with reminders and a code. */
async function anEnvelope(given: Given) {
  const { id: caseId, document_id } = await aBusyCase(given)
  const { id, signers } = await made(given, `/cases/${caseId}/signing-envelopes`, {
    title: 'Vollmacht',
    document_ids: [document_id],
    signing_order: 'sequential',
    reminders: { first_after_days: 3, repeat_every_days: 2 },
    signers: [
      { name: 'Anna Müller', email: 'anna@example.com' },
      { name: 'Emre Çelik', email: 'celik@example.com', access_code: 'Ahorn-27' },
    ],
  })
  return { id: id as string, signers: signers as { id: string }[] }
}

/** The token of the only signer of a sent envelope, who has read it. */
async function anOpenedLink(given: Given): Promise<string> {
  const { id: caseId, document_id } = await aBusyCase(given)
  const signers = [{ name: 'Anna Müller', email: 'anna@example.com' }]
  const body = { title: 'Vollmacht', document_ids: [document_id], signers }
  const {
    id,
    signers: [signer],
  } = await made(given, `/cases/${caseId}/signing-envelopes`, body)
  await made(given, `/signing/envelopes/${id}/send`, { send_emails: false })
  const { url } = await made(given, `/signing/envelopes/${id}/signers/${signer.id}/link`)
  const token = url.split('/sign/')[1]
  await fetch(`${given.firm.baseUrl}/sign/${token}/open`, { method: 'POST', redirect: 'manual' })
  return token
}

/** A draft of an invoice for a time entry. */
async function anInvoice(given: Given) {
  const { id: case_id, party_id } = await aBusyCase(given)
  const entry = { case_id, date: '2026-03-16', minutes: 90, activity: 'Entwurf', rate: '250.00' }
  const { id: time_entry_id } = await made(given, '/time-entries', entry)
  const lines = [{ time_entry_id }, { text: 'Beratung', unit_price: '190.00' }]
  const body = { case_id, party_id, lines }
  const { id } = await made(given, '/invoices', body)
  return { id: id as string, time_entry_id: time_entry_id as string }
}

const onCase =
  (of: keyof Awaited<ReturnType<typeof aBusyCase>> = 'id', body?: Record<string, unknown>) =>
  async (given: Given): Promise<Prepared> => {
    const id = (await aBusyCase(given))[of]
    return { params: { id, event_id: id }, ...(body && { body }) }
  }

/** Situations beyond the examples of endpoints: records with many references, and actions that were already done. */
export const situations: Situation[] = [
  { operation: 'updateCase', title: 'with all that a case may have', prepare: onCase() },
  { operation: 'deleteCase', title: 'with all that a case may have', prepare: onCase(), status: 200 },
  {
    operation: 'addCaseParties',
    title: 'in another role',
    prepare: async (given) => {
      const { id, party_id } = await aBusyCase(given)
      return { params: { id }, body: { parties: [{ id: party_id, role: 'opponent' }] } }
    },
  },
  {
    operation: 'replaceCaseParties',
    title: 'in other roles',
    prepare: async (given) => {
      const { id, party_id } = await aBusyCase(given)
      const roles = ['witness', 'opponent', 'client']
      return { params: { id }, body: { parties: roles.map((role) => ({ id: party_id, role })) } }
    },
  },
  {
    operation: 'assignDocument',
    title: 'to the party that it has',
    prepare: async (given) => {
      const { id, party_id, document_id } = await aBusyCase(given)
      return { params: { id: document_id }, body: { case_id: id, party_ids: [party_id] } }
    },
  },
  { operation: 'replaceCaseParties', title: 'in place of others', prepare: onCase() },
  { operation: 'updateParty', title: 'in a case and at a document', prepare: onCase('party_id') },
  { operation: 'updateFolder', title: 'of a case, with a document', prepare: onCase('folder_id') },
  { operation: 'updateDocument', title: 'in a case', prepare: onCase('document_id') },
  { operation: 'deleteDocument', title: 'in a case', prepare: onCase('document_id') },
  { operation: 'updateDeadline', title: 'with basis and Vorfrist', prepare: onCase('deadline_id') },
  { operation: 'strikeDeadline', title: 'with basis and Vorfrist', prepare: onCase('deadline_id') },
  {
    operation: 'completeDeadline',
    title: 'with basis and Vorfrist',
    prepare: onCase('deadline_id', { evidence: { type: 'note', text: 'Eingereicht.' } }),
  },
  {
    operation: 'requestDeadlineExtension',
    title: 'with basis and Vorfrist',
    prepare: onCase('deadline_id'),
  },
  {
    operation: 'updateEvent',
    title: 'to another day',
    prepare: onCase('event_id', { start: '2031-05-06T15:00:00Z', end: '2031-05-06T16:00:00Z' }),
  },
  { operation: 'updateEvent', title: 'that was pushed', prepare: aPushedEvent },
  { operation: 'deleteEvent', title: 'that was pushed', prepare: aPushedEvent },
  {
    operation: 'fileInboxItem',
    title: 'a mail, into another case than the one that it taught',
    prepare: async (given) => ({
      params: { id: (await aLearntMail(given)).id },
      body: { case_id: await newCase(given.firm) },
    }),
  },
  {
    operation: 'reopenInboxItem',
    title: 'a mail that taught a case',
    prepare: async (given) => ({ params: { id: (await aLearntMail(given)).id } }),
  },
  {
    operation: 'receiveMail',
    title: 'with the message id of another mail',
    prepare: async (given) => {
      const messageId = '<immer-gleich@scanner.example>'
      await arrived(given.firm, { ...ofCourt, messageId, subject: 'Erste Seite' })
      const { inbound_address } = given.firm.workspace
      const raw = await messageOf({ ...ofCourt, to: [inbound_address], messageId, subject: 'Zweite Seite' })
      return {
        credential: signMail(),
        body: {
          sender: 'poststelle@lg-koeln.nrw.de',
          recipient: inbound_address,
          'body-mime': raw.toString('latin1'),
        },
      }
    },
  },
  {
    operation: 'signDeadlineRegister',
    title: 'of a day that was signed before',
    prepare: async (given) => {
      await made(given, '/deadlines/register/2024-03-18/sign', { remarks: 'Geprüft' })
      return { params: { date: '2024-03-18' } }
    },
  },
  {
    operation: 'grantBeaPermission',
    title: 'besides another right',
    prepare: async (given) => ({ body: { ...(await aGrant(given, '01')), rights: ['03'] } }),
  },
  {
    operation: 'revokeBeaPermission',
    title: 'of several rights',
    prepare: async (given) => ({ body: { ...(await aGrant(given, '01', '03')), rights: ['03'] } }),
  },
  {
    operation: 'assignBeaMessage',
    title: 'with many attachments',
    prepare: async (given) => {
      const office = await beaOffice(given.firm)
      await office.openSession()
      const attachments = Array.from({ length: 30 }, (_, at) =>
        remoteAttachment(`Anlage ${at}.txt`, `Anlage ${at}`),
      )
      return {
        params: { message_id: await office.receive({ attachments }) },
        body: { case_id: await newCase(given.firm) },
      }
    },
  },
  {
    operation: 'connectBeaAccount',
    title: 'that was disconnected',
    prepare: async ({ bea }) => {
      await bea.connect(1)
      await bea.free(1)
      const { label = '', certificate_base64 = '', passphrase = '' } = bea.certificates[1] ?? {}
      return { body: { label, certificate_base64, passphrase } }
    },
  },
  {
    operation: 'updateExportConfig',
    title: 'with a schedule and a token',
    prepare: async ({ firm }) => {
      const { id } = await aConfig(firm, {
        columns: [{ field: 'name', label: 'Name' }],
        schedule: { frequency: 'daily', time: '06:00' },
      })
      await aToken(firm, id)
      return { params: { id }, body: { schedule: { frequency: 'weekly', time: '07:00', weekday: 1 } } }
    },
  },
  {
    operation: 'deleteExportConfig',
    title: 'with a schedule and a token',
    prepare: async ({ firm }) => {
      const { id } = await aConfig(firm, { schedule: { frequency: 'daily', time: '06:00' } })
      await aToken(firm, id)
      return { params: { id } }
    },
  },
  {
    operation: 'updateEnvelope',
    title: 'of two signers',
    prepare: async (given) => ({ params: { id: (await anEnvelope(given)).id } }),
  },
  {
    operation: 'sendEnvelope',
    title: 'to two signers',
    prepare: async (given) => ({ params: { id: (await anEnvelope(given)).id } }),
  },
  {
    operation: 'removeEnvelopeSigner',
    title: 'of two',
    prepare: async (given) => {
      const { id, signers } = await anEnvelope(given)
      return { params: { id, signer_id: signers[0]?.id ?? '' } }
    },
  },
  {
    operation: 'signEnvelope',
    title: 'as the last, before it is sealed',
    prepare: async (given) => {
      const token = await anOpenedLink(given)
      return { params: { token }, credential: token }
    },
  },
  {
    operation: 'updateInvoice',
    title: 'of a time entry',
    prepare: async (given) => ({ params: { id: (await anInvoice(given)).id } }),
  },
  {
    operation: 'issueInvoice',
    title: 'of a time entry',
    prepare: async (given) => ({ params: { id: (await anInvoice(given)).id } }),
  },
  {
    operation: 'deleteInvoice',
    title: 'of a time entry',
    prepare: async (given) => ({ params: { id: (await anInvoice(given)).id } }),
  },
  {
    operation: 'updateWorkspace',
    title: 'with seller and DATEV',
    prepare: async ({ firm }) => {
      const seller = { name: 'Kanzlei Vogt', city: 'Berlin', country: 'DE' }
      await firm.owner('PATCH', '/api/v1/workspace', {
        body: { seller, datev: { consultant: '1001', client: '7' } },
      })
      return { body: { seller: { city: 'Potsdam' }, datev: { client: '8' } } }
    },
  },
  {
    operation: 'updateDraft',
    title: 'with recipients and attachments',
    prepare: async (given) => {
      const body = {
        to: ['Anna Müller <anna@example.com>', 'kanzlei@example.com'],
        subject: 'Entwurf',
        attachments: [await given.makeDocument()],
      }
      const { id } = await made(given, '/email/outbound/drafts', body)
      return { params: { id }, body: { ...body, subject: 'Klage' } }
    },
  },
  {
    operation: 'sendDraft',
    title: 'with attachments as links',
    prepare: async (given) => {
      const body = {
        to: ['anna@example.com'],
        subject: 'Entwurf',
        attachments: [await given.makeDocument()],
        attachments_as: 'links',
      }
      return { params: { id: (await made(given, '/email/outbound/drafts', body)).id } }
    },
  },
  {
    operation: 'completeUpload',
    title: 'after its bytes have arrived',
    prepare: async (given) => {
      const bytes = Buffer.from('Sehr geehrte Damen und Herren')
      const body = {
        filename: 'Brief.txt',
        mime_type: 'text/plain',
        size_bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      }
      const { document, upload: to } = await made(given, '/documents/uploads', body)
      await fetch(to.url, { method: to.method, headers: to.headers, body: bytes })
      return { params: { id: document.id } }
    },
  },
  {
    operation: 'dismissInboxItem',
    title: 'a message of beA',
    prepare: async (given) => {
      const account = await aBeaAccountOf(given.firm)
      return { params: { id: await aBeaMessageIn(account) } }
    },
  },
  {
    operation: 'deleteMailLink',
    title: 'that was opened',
    prepare: async (given) => {
      const [to, { id: case_id, document_id }] = [newAddress(), await aBusyCase(given)]
      const links = { case_id, attachments: [document_id], attachments_as: 'links' }
      const { body } = await send(given.firm.owner, { to: [to], ...links })
      const [message] = await sentTo(to)
      const [, token = ''] = /\/shared\/([\w-]+)/.exec(message?.mail.html ?? '') ?? []
      await fetch(`${given.firm.baseUrl}/shared/${token}/documents/${document_id}`)
      const { data } = (await given.firm.owner('GET', `/api/v1/correspondence/${body.id}/shared-links`)).body
      return { params: { id: body.id, link_id: data[0].id } }
    },
  },
]
