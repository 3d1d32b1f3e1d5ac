import { draftFiles } from '#bea/drafts/draft-files.ts'
import type { BeaDocument } from '#bea/drafts/draft-ports.ts'
import { beaDraftService } from '#bea/drafts/drafts.ts'
import {
  type BeaConnection,
  notAuthenticated,
  type OutgoingMessage,
  type RemoteMessage,
} from '#bea/network/gateway-ports.ts'
import type { BeaAccountRecord, BeaMessageRecord, KnownMessage, UseBeaSession } from '#bea/ports.ts'
import type { BeaRight } from '#bea/rights/right-schema.ts'
import { beaSending } from '#bea/sending/sending.ts'
import type { Actor } from '#kernel/actor.ts'
import { Failure } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import { inMemoryDrafts, inMemoryFiles } from './in-memory-drafts.ts'

/** A network in memory, with the messages that it accepted, and its failures. */
export type Network = {
  /** The messages that it accepted. */
  taken: RemoteMessage[]
  outbox: RemoteMessage[]
  sends: number
  /** Called at a step of a send or search. An error that it throws is the network's error. */
  at: Partial<Record<'begin' | 'last' | 'answer' | 'read', () => unknown>>
  now: () => Date
}

export const workspace_id = 'ws_1'
export const court = 'DE.Justiz.5f1a2b3c-0001-4a5b-8c6d-7e8f9a0b1c2d.ab12'

export const actor: Actor = {
  workspace_id,
  user_id: 'usr_1',
  user_name: 'Dr. Jana Vogt',
  key_id: 'ak_1',
  scopes: ['documents:read'],
}

/** Drafts, their service and their worker in memory, over a network in memory. Time stands still until it is moved. */
export function sendingSetup() {
  let now = new Date('2026-11-20T10:00:00.000Z')
  const clock = { now: () => now }
  const drafts = inMemoryDrafts()
  const files = inMemoryFiles()
  const objects = draftFiles(files)
  const network: Network = { taken: [], outbox: [], sends: 0, at: {}, now: clock.now }
  const account = {
    workspace_id,
    id: newId('beaAccount'),
    user_id: actor.user_id,
    postbox_safe_id: 'DE.BRAK.5f1a2b3c-0002-4a5b-8c6d-7e8f9a0b1c2d.cd34',
    disconnected_at: null as string | null,
  } as BeaAccountRecord
  const accounts = {
    find: async (_: string, id: string) =>
      id === account.id && account.disconnected_at === null ? account : undefined,
    findEver: async (_: string, id: string) => (id === account.id ? account : undefined),
    listEver: async () => [account],
  }
  const documents: BeaDocument[] = []
  const imported = new Map<string, string>()
  /** The times when synchronisations imported messages, by the network's ids. */
  const synchronised = new Map<string, string>()
  const log: { level: string; message: string; workspace_id?: unknown }[] = []
  const write =
    (level: string) =>
    (message: string, { workspace_id }: Record<string, unknown> = {}) =>
      void log.push({ level, message, ...(workspace_id !== undefined && { workspace_id }) })
  const state = { isActive: true, canImport: true, rights: new Set<BeaRight>(['03', '05', '06', '13', '14']) }

  const useSession: UseBeaSession = async (_, use) =>
    use(connectionOf(network, account.postbox_safe_id ?? ''), async () => false)
  const deps = {
    drafts: drafts.store,
    accounts,
    access: { rightsOf: async () => state.rights },
    sessions: {
      requireActive: async () => {
        if (!state.isActive) throw notAuthenticated()
      },
    },
    documents: {
      findAll: async (_: string, ids: string[]) => documents.filter(({ id }) => ids.includes(id)),
    },
    objects,
    clock,
  }
  const messages = {
    known: async (_: string, __: string, ids: string[]) =>
      new Map(
        ids.filter((id) => synchronised.has(id)).map((id) => [id, { id: `bea_msg_${id}` } as KnownMessage]),
      ),
    findAll: async (_: string, ids: string[]) =>
      [
        ...[...synchronised].map(([id, imported_at]) => ({ id: `bea_msg_${id}`, imported_at })),
        ...[...imported.values()].map((id) => ({ id, confidential: false })),
      ].filter(({ id }) => ids.includes(id)) as BeaMessageRecord[],
  }
  const workerDeps = {
    ...deps,
    messages,
    useSession,
    files,
    importSent: async (_: unknown, remoteId: string) => {
      if (!state.canImport) throw new Failure('upstream', 'BEA_GATEWAY_ERROR', 'The gateway is silent.')
      if (!network.taken.some(({ message_id }) => message_id === remoteId)) return undefined
      const id = imported.get(remoteId) ?? newId('beaMessage')
      imported.set(remoteId, id)
      return id
    },
    log: { info: write('info'), warn: write('warn'), error: write('error') },
  }
  const service = beaDraftService(deps)
  const worker = beaSending(workerDeps)
  const signal = new AbortController().signal

  return {
    ...drafts,
    deps,
    workerDeps,
    service,
    worker,
    network,
    account,
    files,
    state,
    log,
    imported,
    synchronised,
    clock,
    wait: (minutes: number) => {
      now = new Date(now.getTime() + minutes * 60_000)
    },

    aDocument(filename = 'Klage.pdf', text = '%PDF-1.7 Klage'): BeaDocument {
      const bytes = new TextEncoder().encode(text)
      const id = newId('document')
      const sha256 = hexDigest(bytes)
      const key = `files/${workspace_id}/${id}/${sha256}`
      files.objects.set(key, bytes)
      const about = { mime_type: 'application/pdf', is_complete: true, is_protected: false }
      const document = { id, filename, size_bytes: bytes.length, sha256, key, ...about }
      documents.push(document)
      return document
    },

    aDraft(
      fields: { subject?: string; attachments?: string[]; case_id?: string | null; body?: string } = {},
    ) {
      return service.create(actor, {
        account_id: account.id,
        to: [{ name: 'Landgericht', bea_id: court }],
        subject: 'Klage Meier ./. Schulze',
        body: 'Anbei die Klage.',
        attachments: [],
        reference_sender: '0001/26',
        reference_recipient: null,
        eeb_requested: false,
        case_id: '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10',
        ...fields,
      })
    },

    /** Runs the worker for a draft, as a message of the queue does. */
    run: (draft_id: string) => worker.run({ workspace_id, draft_id }, signal),
  }
}

/** A draft whose send was accepted. */
export async function accepted(fields?: Parameters<ReturnType<typeof sendingSetup>['aDraft']>[0]) {
  const setup = sendingSetup()
  const draft = await setup.aDraft({ attachments: [setup.aDocument().id], ...fields })
  await setup.service.send(actor, draft.id, { rename: null })
  const read = () => setup.service.get(actor, draft.id)
  return {
    ...setup,
    draft,
    id: draft.id,
    read,
    sendAgain: () => setup.service.send(actor, draft.id, { rename: null }),
  }
}

/** A draft whose last answer was lost: the network accepted its message (`isTaken`) or did not. */
export async function unknown({ isTaken }: { isTaken: boolean }) {
  const setup = await accepted()
  setup.network.at.answer = () => 'lost'
  await setup.run(setup.id)
  setup.network.at = {}
  if (!isTaken) setup.network.taken.length = 0
  return setup
}

/** A connection that behaves as the port promises, unless `network.at` makes a step fail. */
function connectionOf(network: Network, postbox: string): BeaConnection {
  const never = async () => {
    throw new Error('This test does not need it.')
  }
  return {
    session: () => ({ token: '', session_key: '', safe_id: postbox }),
    check: never,
    logout: never,
    postboxes: never,
    accessRights: never,
    search: never,
    folders: async () => {
      await network.at.read?.()
      const folder = { parent_id: null, name: null, unread: null }
      return [
        { id: 'sent', type: 'SENT', ...folder },
        { id: 'outbox', type: 'OUTBOX', ...folder },
      ]
    },
    overview: async (id) => (id === 'sent' ? network.taken : network.outbox),
    message: async (_, id) => {
      const message = network.taken.find(({ message_id }) => message_id === id)
      if (message === undefined) throw new Failure('upstream', 'BEA_GATEWAY_ERROR', 'No such message.')
      return message
    },
    send: async (_, message, beforeLastStep) => {
      await network.at.begin?.()
      await beforeLastStep()
      await network.at.last?.()
      network.sends += 1
      const taken = remoteOf(message, `m-${network.sends}`, network.now())
      network.taken.push(taken)
      const lost = await network.at.answer?.()
      if (lost === 'lost') return { outcome: 'unknown' }
      return { outcome: 'sent', message_id: typeof lost === 'string' ? lost : taken.message_id }
    },
  }
}

/** A sent message, as the network shows it later. */
export function remoteOf(message: OutgoingMessage, message_id: string, at: Date): RemoteMessage {
  const nobody = { name: null, firm: null, city: null, is_active: null }
  return {
    message_id,
    subject: message.subject,
    sender: null,
    recipients: message.receivers.map((safe_id) => ({ safe_id, ...nobody })),
    received_at: null,
    sent_at: at.toISOString(),
    delivered_at: at.toISOString(),
    delivery_status: null,
    reference_sender: message.reference_sender,
    reference_recipient: message.reference_recipient,
    is_confidential: false,
    osci_message_id: null,
    body: message.body,
    is_eeb_requested: message.is_eeb_requested,
    xjustiz_id: null,
    attachments: [
      ...message.attachments.map(({ filename, type, bytes }) => ({
        filename,
        type,
        size_bytes: bytes.length,
        read: async () => bytes,
      })),
      { filename: 'xjustiz_nachricht.xml', type: null, size_bytes: 1, read: async () => new Uint8Array([1]) },
    ],
    proof_of_origin: null,
  }
}
