import { externalEvent } from '#audit/schema.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { entriesIn } from '#timeline/schema.ts'
import type {
  AttachableDocument,
  CorrespondenceStore,
  MailDocuments,
  MailFiles,
  MailWorkspaces,
  SharedLink,
} from './ports.ts'
import { sharedLinkDays } from './schema.ts'

export type SharedLinkDeps = {
  store: Pick<CorrespondenceStore, 'find' | 'findLink' | 'recordOpening'>
  documents: MailDocuments
  workspaces: MailWorkspaces
  files: Pick<MailFiles, 'stream'>
  clock: Clock
}

export type SharedLinkPageService = ReturnType<typeof sharedLinkPageService>

/** The content of a link's page. */
export type SharedDocuments = {
  office: string
  time_zone: string
  expires_at: string
  documents: { id: string; filename: string; size_bytes: number }[]
}

/** The page with the documents that a mail links to (M3). Everybody who knows its address may open it. */
export function sharedLinkPageService({ store, documents, workspaces, files, clock }: SharedLinkDeps) {
  const shared = async (link: SharedLink): Promise<AttachableDocument[]> =>
    (await openedBy({ store, documents }, link)).map(({ document }) => document)

  return {
    /** The link with this token. @throws Failure SHARED_LINK_NOT_FOUND if it is unknown, expired or ended */
    async admit(token: string | undefined): Promise<SharedLink> {
      const link = token ? await store.findLink(hexDigest(token)) : undefined
      if (link === undefined || !isLive(link, clock)) throw linkNotFound()
      return link
    },

    /** The content of the page of a link. Opening it is not recorded, because mail scanners open every link. */
    async show(link: SharedLink): Promise<SharedDocuments> {
      const [workspace, present] = await Promise.all([workspaces.find(link.workspace_id), shared(link)])
      if (workspace === undefined) throw linkNotFound()
      return {
        office: workspace.name,
        time_zone: workspace.time_zone,
        expires_at: link.expires_at,
        documents: present.map(({ id, filename, size_bytes }) => ({ id, filename, size_bytes })),
      }
    },

    /**
     * One document of a link. Before a byte is sent, the download is recorded in the timeline of the case, once an
     * hour. The download of a part is recorded, too. Otherwise somebody could fetch all but the first byte unnoticed
     * (M3).
     *
     * @throws Failure DOCUMENT_NOT_FOUND
     */
    async download(link: SharedLink, documentId: string) {
      const isShared = link.documents.some(({ document_id }) => document_id === documentId)
      const document = isShared ? (await shared(link)).find(({ id }) => id === documentId) : undefined
      if (document === undefined) throw notFound('DOCUMENT_NOT_FOUND')
      return {
        filename: document.filename,
        mimeType: document.mime_type,
        sizeBytes: document.size_bytes,
        // Other bytes have another key. The digest does not reveal the key.
        version: hexDigest(document.key),
        open: async (range: { first: number; last: number } | undefined) => {
          await recordDownload(link, document, range !== undefined && range.first > 0)
          return files.stream(document.key, range)
        },
      }
    },
  }

  async function recordDownload(
    link: SharedLink,
    { id, filename }: AttachableDocument,
    isContinued: boolean,
  ): Promise<void> {
    const { workspace_id, case_id, correspondence_id } = link
    const occurred_at = timestamp(clock)
    const timeline = entriesIn(case_id, {
      type: 'mail.document_downloaded',
      occurred_at,
      actor: { type: 'external' as const, id: null, name: 'Link in einer E-Mail' },
      summary: `${isContinued ? 'Weiterer Teil von Dokument' : 'Dokument'} „${filename}“ über den Link in einer E-Mail heruntergeladen`,
      ref: { type: 'document', id },
    })
    const ref = { type: 'correspondence', id: correspondence_id }
    const audit = externalEvent(workspace_id, 'link.opened', ref, null)
    const opened = { document_id: id, hour: occurred_at.slice(0, 'yyyy-mm-ddThh'.length) }
    await store.recordOpening(link, opened, { timeline, audit })
  }
}

/** Whether a link has not expired and was not ended. */
export function isLive({ expires_at, revoked_at }: SharedLink, clock: Clock): boolean {
  return revoked_at === undefined && Date.parse(expires_at) > clock.now().getTime()
}

/** When a link was created. */
export function createdAt({ expires_at }: SharedLink): Date {
  return new Date(Date.parse(expires_at) - sharedLinkDays * 86_400_000)
}

/**
 * The documents that a link opens now, in the order and with the names with which they were sent. A document that was
 * deleted, or moved out of its case since then, is not among them, even if it was moved back. If the mail is no longer
 * in the case in which it was sent, the link opens nothing.
 */
export async function openedBy(
  { store, documents }: { store: Pick<CorrespondenceStore, 'find'>; documents: MailDocuments },
  link: SharedLink,
): Promise<{ document_id: string; filename: string; document: AttachableDocument }[]> {
  const { workspace_id, correspondence_id, case_id, documents: sent } = link
  const ids = sent.map(({ document_id }) => document_id)
  const [mail, present] = await Promise.all([
    store.find(workspace_id, correspondence_id),
    documents.findAll(workspace_id, ids),
  ])
  if (mail === undefined || (case_id !== null && mail.case_id !== case_id)) return []
  const madeAt = createdAt(link).toISOString()
  const hasMoved = ({ left_case_at = '' }: AttachableDocument) => left_case_at > madeAt
  const found = new Map(present.map((one) => [one.id, one]))
  return sent.flatMap((one) => {
    const { document_id, filename } = one
    const document = found.get(document_id)
    if (!document?.is_complete || hasMoved(document) || hasLeft(one, document, case_id)) return []
    return [{ document_id, filename, document: { ...document, filename } }]
  })
}

/**
 * Whether a document is no longer in the case in which it was sent. Links of older releases do not name that case. For
 * them, the document has left its case if it is in another case than the mail.
 */
function hasLeft(
  sent: SharedLink['documents'][number],
  { case_id }: AttachableDocument,
  ofMail: string | null,
): boolean {
  if (sent.case_id === undefined) return ofMail !== null && case_id !== null && case_id !== ofMail
  return sent.case_id !== null && case_id !== sent.case_id
}

function linkNotFound(): Failure {
  return new Failure(
    'not_found',
    'SHARED_LINK_NOT_FOUND',
    'This link is unknown or has expired. Ask whoever sent it for a new one.',
  )
}
