import { createHash, randomUUID } from 'node:crypto'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { EventRecord } from '#calendar/ports.ts'
import type { CorrespondenceRecord, DraftRecord } from '#correspondence/ports.ts'
import { firstStep } from '#deadlines/history.ts'
import type { DeadlineChange } from '#deadlines/ports.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import { jobRunner } from '#jobs/runner.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { scopes } from '#kernel/scope.ts'
import { messageIdDomain } from '#mail/message-id-domain.ts'
import { dueAt } from '#signing/envelopes/envelope-states.ts'
import { newLinkToken } from '#signing/signer/link-token.ts'
import { calendarStore } from '#store/calendar/calendar-store.ts'
import { caseStore } from '#store/cases/case-store.ts'
import { correspondenceStore } from '#store/correspondence/correspondence-store.ts'
import { draftStore } from '#store/correspondence/draft-store.ts'
import { counterEntity } from '#store/counter-entity.ts'
import type { Cursors } from '#store/cursor.ts'
import { deadlineStore } from '#store/deadlines/deadline-store.ts'
import { documentStore } from '#store/documents/document-store.ts'
import { folderStore } from '#store/folders/folder-store.ts'
import type { Outbox } from '#store/outbox.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { wordsFollowUp } from '#store/search-words.ts'
import { envelopeStore } from '#store/signing/envelope-store.ts'
import { transact } from '#store/transact.ts'
import { keyStore } from '#store/workspace/key-store.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { aSigner } from '#test/support/an-envelope.ts'
import { envelopeDocument, envelopeRecord, newEnvelope, userChange } from '#test/support/envelope-records.ts'
import { caseChange, plain } from '#test/support/store-changes.ts'
import { entryOf } from '#timeline/schema.ts'
import { caseNumberKey } from '#triage/file-numbers.ts'
import { workspaceService } from '#workspace/workspace.ts'
import { caseDraft } from './case-names.ts'
import { clientOf, insurerOf, learntOf, opponentOf } from './triage-seed.ts'

/** An item of the table. */
export type Item = Record<string, unknown>

/** A workspace of the bench. It has as many deadlines, events, documents, mails and drafts as cases, and a tenth of envelopes. */
export type Firm = {
  cases: number
  /** As many as cases, at least. */
  parties: number
  workspaceId: string
  userId: string
  key: string
  /** The key of a colleague who has events and no deadlines. */
  colleagueKey: string
  oldestCaseId: string
  deadlineId: string
  eventId: string
  documentId: string
  correspondenceId: string
  /** A draft. All drafts belong to the key's user. */
  draftId: string
  /** An envelope that was not sent. */
  envelopeId: string
  /** The magic link of a signer of another one, which was sent. */
  linkToken: string
  /** A folder with every fourth document. */
  folderId: string
  /** The year in two digits, as in the numbers of the cases: `0001/26` and so on. */
  year: string
  /** The message id of a mail that was sent in the oldest case. */
  messageId: string
  /** Fifty users, including the user of the key. Some of them take part in events. */
  userIds: string[]
}

/** How many users take part in events: there is one event an hour, for each of them in turn. */
const attending = 24
const users = 50

/** How many documents, and how many mails, the oldest case has; every other case has at most one. */
const documentsOfOldestCase = 80

/** One envelope is made for every ten cases; the first 80 envelopes belong to the oldest case. */
const casesPerEnvelope = 10

const table = 'seed'

/** The year in two digits, as in file numbers and in the key of their counter. */
const yearNow = new Intl.DateTimeFormat('de-DE', { timeZone: 'Europe/Berlin', year: '2-digit' })

/**
 * Makes a workspace with users, a key with every scope, and the given number of cases with one deadline each. It adds
 * as many events, documents, mails and drafts, and a tenth as many envelopes. Every item goes to `write`.
 *
 * The items are the store's own: the real stores run on a client that keeps what they write instead of sending it. Of
 * the jobs that follow a change only those run that file records under their words.
 */
export async function seedFirm(
  cases: number,
  write: (items: Iterable<Item>) => Promise<void>,
): Promise<Firm> {
  const kept = keepingClient()
  const deps = depsOn(kept.client)
  const workspaces = workspaceService({
    workspaces: workspaceStore(deps.db),
    users: userStore(deps),
    keys: keyStore(deps.db, deps.cursors),
    cleanHtml: async (html) => html,
    clock: deps.clock,
  })
  const workspace = await workspaces.create({
    name: `Kanzlei mit ${cases} Akten`,
    time_zone: 'Europe/Berlin',
    holiday_region: 'DE-BE',
    inbound_domain: 'inbound.localhost',
  })
  const member = { workspace_id: workspace.id }
  const user = await workspaces.addUser(member, {
    name: 'Dr. Jana Vogt',
    email: 'vogt@example.de',
    signature_html: null,
  })
  const userIds = [user.id]
  while (userIds.length < users) {
    const { id } = await workspaces.addUser(member, {
      name: `Kollegin ${userIds.length}`,
      email: 'kollegin@example.de',
      signature_html: null,
    })
    userIds.push(id)
  }
  const key = await workspaces.addKey(member, {
    user_id: user.id,
    name: 'Bench',
    scopes: [...scopes],
    expires_at: null,
  })
  const ofColleague = await workspaces.addKey(member, {
    user_id: userIds[1] ?? '',
    name: 'Bench',
    scopes: ['calendar:read', 'calendar:write'],
    expires_at: null,
  })
  await write(kept.take())

  const actor = {
    workspace_id: workspace.id,
    user_id: user.id,
    user_name: user.name,
    key_id: key.id,
    scopes: [...scopes],
  }
  const store = caseStore({ ...deps, numberKey: caseNumberKey })
  const year = yearNow.format(deps.clock.now())
  const deadlines = deadlineStore(deps)
  const calendar = calendarStore({ ...deps, deadlines })
  const firstDue = Date.now() + 7 * 86_400_000
  let oldestCaseId = ''
  let deadlineId = ''
  let eventId = ''
  let documentId = ''
  let correspondenceId = ''
  let draftId = ''
  let envelopeId = ''
  const folderId = newId('folder')
  await folderStore(deps).add(
    plain({
      ...member,
      id: folderId,
      name: 'Posteingang',
      parent_id: null,
      case_id: null,
      created_at: timestamp(deps.clock),
      version: 1,
      closed_until: null,
    }),
  )
  await write(kept.take())
  const documents = documentStore({ ...deps, requireUnused: async () => [] })
  const mails = correspondenceStore({ ...deps, providerDomain: messageIdDomain() })
  const drafts = draftStore(deps)
  const envelopes = envelopeStore({ ...deps, dueAt })
  const parties = partyStore(deps)
  const insurer = insurerOf(workspace.id)
  await parties.add(plain(insurer))
  let partyCount = 1
  let messageId = ''
  for (let at = 0; at < cases; at += 1) {
    const id = newId('case')
    oldestCaseId ||= id
    const now = timestamp(deps.clock)
    const number = `${String(at + 1).padStart(4, '0')}/${year}`
    const client = clientOf(workspace.id, at)
    const opponent = opponentOf(workspace.id, at)
    for (const party of [client, opponent]) {
      if (party === undefined) continue
      await parties.add(plain(party))
      partyCount += 1
    }
    const named = [insurer, ...(client === undefined ? [] : [client])]
    await store.add(
      {
        ...member,
        ...caseDraft(at),
        id,
        file_number: number,
        parties: named.map((party) => ({ id: party.id, name: party.name, role: 'client' })),
        staff: [],
        closed_at: null,
        holds: null,
        created_at: now,
        updated_at: now,
        version: 1,
      },
      (record) =>
        caseChange(
          record,
          entryOf(deps.clock, actor, {
            type: 'case.created',
            summary: `Akte ${number} angelegt`,
            ref: { type: 'case', id },
          }),
        ),
    )
    const ofCase = at < documentsOfOldestCase ? oldestCaseId : id
    const document = documentDraft(workspace.id, at, {
      case_id: ofCase,
      folder_id: at % 4 === 0 ? folderId : null,
    })
    documentId ||= document.id
    const created = entryOf(deps.clock, actor, {
      type: 'document.created',
      summary: `Dokument „${document.filename}“ hinzugefügt`,
      ref: { type: 'document', id: document.id },
    })
    await documents.add([{ record: document, timeline: [{ case_id: ofCase, entry: created }] }], undefined)
    const entered = deadlineDraft(actor, id, at, new Date(firstDue + at * 3_600_000), deps.clock)
    const [{ after }] = entered.steps
    if (after.completed_at === null) deadlineId ||= after.id
    await deadlines.add(entered)
    const event = eventDraft(actor, userIds[at % attending] ?? '', at, new Date(firstDue + at * 3_600_000))
    eventId ||= event.id
    await calendar.add({ record: event, check: true, answer: undefined })
    const mail = mailDraft(actor, at, ofCase)
    correspondenceId ||= mail.id
    const claim = {
      by: 'key',
      user_id: user.id,
      key: randomUUID(),
      digest: mail.id,
      expires_at: now,
    } as const
    await mails.begin({ record: mail, claim, jobs: [] }, deps.clock.now())
    if (mail.direction === 'outbound') messageId ||= mail.header_message_id
    const partyIds = [...named, opponent].map((party) => party.id)
    await write(learntOf(deps.db, workspace.id, id, at, partyIds).map(itemOf))
    const draft = draftOf(mail, user.id)
    draftId ||= draft.id
    await drafts.add(plain(draft))
    if (at % casesPerEnvelope === 0) {
      const isOfOldest = at < documentsOfOldestCase * casesPerEnvelope
      const envelope = envelopeRecord(workspace.id, {
        case_id: isOfOldest ? oldestCaseId : id,
        created_by: user.id,
        documents: [envelopeDocument(document)],
        signers: [aSigner(), aSigner({ order: 2 })],
      })
      envelopeId ||= envelope.id
      await envelopes.add(newEnvelope(userChange(envelope, {}, 'created')))
    }
    await write(kept.take())
  }

  const link = newLinkToken()
  const sent = envelopeRecord(workspace.id, {
    case_id: oldestCaseId,
    created_by: user.id,
    status: 'sent',
    expires_at: new Date(firstDue).toISOString(),
    documents: [envelopeDocument({ ...documentDraft(workspace.id, 0), id: documentId })],
    signers: [aSigner({ link_sha256: link.sha256 }), aSigner({ order: 2 })],
  })
  await envelopes.add(newEnvelope(userChange(sent, {}, 'sent')))
  await write(kept.take())

  await write([itemOf(counterEntity(deps.db).put({ ...member, series: `file_number/${year}`, last: cases }))])
  return {
    cases,
    parties: partyCount,
    workspaceId: workspace.id,
    userId: user.id,
    key: key.key,
    colleagueKey: ofColleague.key,
    oldestCaseId,
    deadlineId,
    eventId,
    documentId,
    correspondenceId,
    draftId,
    envelopeId,
    linkToken: link.token,
    folderId,
    year,
    messageId,
    userIds,
  }
}

/**
 * The mail with this number about a case. It was sent and delivered; every fourth was received. Its addresses are short
 * and without names, since each three letters of them are an item.
 */
function mailDraft({ workspace_id, user_id }: Actor, at: number, case_id: string): CorrespondenceRecord {
  const now = new Date().toISOString()
  const id = newId('correspondence')
  const isReceived = at % 4 === 0
  const ours = { name: null, email: 'ra@vogt.de' }
  const theirs = { name: null, email: `mandantin@${at}.de` }
  return {
    workspace_id,
    id,
    direction: isReceived ? 'inbound' : 'outbound',
    status: isReceived ? 'received' : 'sent',
    from: isReceived ? theirs : ours,
    to: [(isReceived ? ours : theirs).email],
    cc: [],
    bcc: [],
    subject: caseDraft(at).name,
    case_id,
    party_id: null,
    assigned_to: null,
    attachments: [
      {
        document_id: newId('document'),
        filename: 'Schriftsatz.pdf',
        mime_type: 'application/pdf',
        size_bytes: 120_000,
        content_id: null,
      },
    ],
    message_id: id,
    in_reply_to: null,
    sent_at: isReceived ? null : now,
    received_at: isReceived ? now : null,
    delivery: isReceived ? [] : [{ email: theirs.email, status: 'delivered', at: now, reason: null }],
    created_at: now,
    user_id: isReceived ? null : user_id,
    draft_id: null,
    about: null,
    header_message_id: `<${id}@inbound.localhost>`,
    references: [],
    sending_since: isReceived ? null : now,
    lost_at: null,
    attempts: isReceived ? 0 : 1,
    refusal: null,
    status_reason: null,
    verdicts: null,
    sender_verified: null,
    sender_verified_reason: null,
    protection: 'none',
    triage: null,
    reply_to: [],
    inbox: null,
    teaches: { references: [], sender: null },
    version: 1,
  }
}

/** The draft of a mail, written by this user, with an empty body. */
function draftOf(
  { workspace_id, to, subject, case_id, created_at }: CorrespondenceRecord,
  user_id: string,
): DraftRecord {
  return {
    workspace_id,
    id: newId('draft'),
    user_id,
    to,
    cc: [],
    bcc: [],
    subject,
    attachments: [],
    attachments_as: 'files',
    warnings: [],
    case_id,
    in_reply_to: null,
    status: 'draft',
    correspondence_id: null,
    sending_since: null,
    body_key: null,
    references: [],
    created_at,
    updated_at: created_at,
    version: 1,
  }
}

/** The deadline of a case: one for each hour. Every fifth is verified, every tenth completed. */
function deadlineDraft(
  actor: Actor,
  case_id: string,
  at: number,
  due: Date,
  clock: Clock,
): DeadlineChange<undefined> {
  const { workspace_id, user_id } = actor
  const now = timestamp(clock)
  const verified = at % 5 === 0 ? now : null
  const completed = at % 10 === 0 ? now : null
  const deadline = {
    workspace_id,
    id: newId('event'),
    title: `Berufungsbegründung Nr. ${at}`,
    case_id,
    frist_type: 'hauptfrist' as const,
    due_at: due.toISOString(),
    assigned_to: user_id,
    category: 'other' as const,
    basis: null,
    on_working_day: false,
    chain_id: newId('chain'),
    follows_days: null,
    created_by: user_id,
    created_at: now,
    due_set_by: user_id,
    case_deleted_at: null,
    verified_by: verified && user_id,
    verified_at: verified,
    delegation: null,
    completed_at: completed,
    completed_by: completed && user_id,
    evidence: null,
    struck_at: null,
    struck_by: null,
    struck_reason: null,
    extension: null,
    provisional_for: null,
    exit_control: null,
  }
  const entry = entryOf(clock, actor, {
    type: 'deadline.created',
    summary: `Frist ${at} eingetragen`,
    ref: { type: 'deadline', id: deadline.id },
  })
  return {
    steps: [firstStep(deadline, { at: now, actor, action: 'created', timeZone: 'Europe/Berlin' })],
    timeline: [{ case_id, entry }],
    answer: undefined,
  }
}

/** The event of an hour. It takes half an hour; every fiftieth takes a whole day, every five hundredth three days. */
function eventDraft({ workspace_id, user_id }: Actor, attendee: string, at: number, due: Date): EventRecord {
  const start = new Date(Math.floor(due.getTime() / 3_600_000) * 3_600_000)
  const minutes = at % 500 === 7 ? 3 * 1_440 : at % 50 === 7 ? 1_440 : 30
  const all_day = minutes > 30
  const now = new Date().toISOString()
  return {
    workspace_id,
    id: newId('event'),
    title: `Besprechung Nr. ${at}`,
    type: at % 4 === 0 ? 'meeting' : 'event',
    starts_at: start.toISOString(),
    ends_at: new Date(start.getTime() + minutes * 60_000).toISOString(),
    all_day,
    first_day: all_day ? start.toISOString().slice(0, 10) : null,
    last_day: all_day ? start.toISOString().slice(0, 10) : null,
    case_id: null,
    location: 'Besprechungsraum 2',
    description: null,
    attendees: [attendee],
    created_by: user_id,
    created_at: now,
    updated_at: now,
    deleted_at: null,
    version: 1,
  }
}

/** The document with this number. It was read long ago; reading failed for every fourth. */
export function documentDraft(
  workspace_id: string,
  at: number,
  places: Pick<DocumentRecord, 'case_id' | 'folder_id'> = { case_id: null, folder_id: null },
): DocumentRecord {
  const now = new Date().toISOString()
  const isRead = at % 4 !== 0
  return {
    workspace_id,
    id: newId('document'),
    filename: `${caseDraft(at).name} - Schriftsatz.pdf`,
    mime_type: 'application/pdf',
    size_bytes: 120_000 + at,
    status: isRead ? 'processed' : 'failed',
    status_reason: isRead ? null : 'corrupt',
    ...places,
    parties: [],
    extracted_text_length: isRead ? 8_000 : null,
    page_count: isRead ? 4 : null,
    sha256: createHash('sha256').update(`${workspace_id} ${at}`).digest('hex'),
    metadata: null,
    source: 'upload',
    created_at: now,
    updated_at: now,
    has_twins: false,
    upload_expires_at: null,
    assigned_at: {},
    attempts: 0,
    attempted_at: null,
    correspondence_id: null,
    inbox: null,
    envelope_ids: [],
    version: 1,
  }
}

/** The dependencies of the stores, with an outbox that runs only the jobs that file records under their words. */
function depsOn(client: DynamoDBDocumentClient) {
  const db = { client, table }
  const clock: Clock = { now: () => new Date() }
  const cursors: Cursors = { seal: neverCalled, open: neverCalled }
  const runner = jobRunner(wordsFollowUp(db))
  const enqueue: Outbox['enqueue'] = async (actions, jobs, change) => {
    const answer = await transact(db, actions, change)
    return async () => {
      for (const job of jobs)
        if (runner.definitions().some(({ name }) => name === job.name)) await runner.run(job)
      return answer
    }
  }
  const outbox: Outbox = {
    enqueue,
    commit: async (actions, jobs, change) => {
      const follow = await enqueue(actions, jobs, change)
      return follow()
    },
  }
  return { db, clock, cursors, outbox }
}

function neverCalled(): never {
  throw new Error('Seeding reads no lists, and its jobs do not fail.')
}

/** A document client that keeps the items that are put, and has no other items. */
function keepingClient() {
  const items = new Map<string, Item>()
  const kept = new Map<string, Item>()
  const placeOf = (item: Item) => `${item.pk}\n${item.sk}`
  const find = (key: Item) => items.get(placeOf(key)) ?? kept.get(placeOf(key))
  const send = async (command: { input: SeedInput }): Promise<unknown> => {
    const { Key, RequestItems, TransactItems, KeyConditionExpression, ExpressionAttributeValues } =
      command.input
    const batch = RequestItems?.[table]
    if (Array.isArray(batch)) {
      for (const { PutRequest } of batch) items.set(placeOf(PutRequest.Item), PutRequest.Item)
      return {}
    }
    if (batch !== undefined) return { Responses: { [table]: batch.Keys.flatMap((key) => find(key) ?? []) } }
    if (Key !== undefined) return { Item: find(Key) }
    // The only question to a list: which entry of the audit is the last?
    if (KeyConditionExpression !== undefined) {
      const partition = [...kept.values(), ...items.values()].filter(
        ({ pk }) => pk === ExpressionAttributeValues?.[':pk'],
      )
      return { Items: partition.toSorted((one, other) => (String(one.sk) < String(other.sk) ? 1 : -1)) }
    }
    if (TransactItems === undefined) throw new Error(`Seeding does not support ${command.constructor.name}.`)
    for (const { Put, Update } of TransactItems) {
      const item = Put?.Item ?? rewritten(Update)
      if (item !== undefined) items.set(placeOf(item), item)
    }
    return {}
  }
  return {
    client: { send } as unknown as DynamoDBDocumentClient,
    /** The items that were put since the last call. Users, folders and the audit can still be read afterwards. */
    take: (): Item[] => {
      const taken = [...items.values()]
      for (const [place, item] of items) if (isKept.has(String(item.__edb_e__))) kept.set(place, item)
      items.clear()
      return taken
    },
  }
}

const isKept = new Set(['user', 'folder', 'firmaudit'])

type SeedInput = {
  Key?: Item
  /** Of a batch: the keys to read, or the items to put. */
  RequestItems?: Record<string, { Keys: Item[] } | { PutRequest: { Item: Item } }[]>
  TransactItems?: { Put?: { Item: Item }; Update?: Update }[]
  KeyConditionExpression?: string
  ExpressionAttributeValues?: Item
}

type Update = {
  Key: Item
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues?: Item
}

/** The item that a `rewrite` writes; undefined for other updates. */
function rewritten(update: Update | undefined): Item | undefined {
  const { Key, ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = update ?? {}
  const set = Object.entries(names).filter(([name]) => name.startsWith('#_') && `:${name.slice(1)}` in values)
  if (set.length === 0) return undefined
  return { ...Key, ...Object.fromEntries(set.map(([name, field]) => [field, values[`:${name.slice(1)}`]])) }
}

function itemOf(operation: { params: () => unknown }): Item {
  return (operation.params() as { Item: Item }).Item
}
