import { type Clock, timestamp } from '#kernel/clock.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import type {
  AttachableDocument,
  CorrespondenceStore,
  MailDocuments,
  MailFiles,
  MailWorkspaces,
  SharedLink,
} from './ports.ts'

export type SharedLinkDeps = {
  store: Pick<CorrespondenceStore, 'findLink' | 'recordTimeline'>
  documents: MailDocuments
  workspaces: MailWorkspaces
  files: Pick<MailFiles, 'stream'>
  clock: Clock
}

export type SharedLinkService = ReturnType<typeof sharedLinkService>

/** What the page of a link shows. */
export type SharedDocuments = {
  office: string
  time_zone: string
  expires_at: string
  documents: { id: string; filename: string; size_bytes: number }[]
}

/** Documents that a mail holds addresses of instead of the files (M3). Whoever has the address may fetch them. */
export function sharedLinkService({ store, documents, workspaces, files, clock }: SharedLinkDeps) {
  /** The documents of the link that still exist, in its order, under the names that they were sent with. */
  const shared = async ({ workspace_id, documents: sent }: SharedLink): Promise<AttachableDocument[]> => {
    const ids = sent.map(({ document_id }) => document_id)
    const found = new Map((await documents.findAll(workspace_id, ids)).map((one) => [one.id, one]))
    return sent.flatMap(({ document_id, filename }) => {
      const document = found.get(document_id)
      return document?.is_complete ? [{ ...document, filename }] : []
    })
  }

  return {
    /** The link with this token. @throws Failure SHARED_LINK_NOT_FOUND where it is unknown or has expired */
    async admit(token: string | undefined): Promise<SharedLink> {
      const link = token ? await store.findLink(hexDigest(token)) : undefined
      if (link === undefined || Date.parse(link.expires_at) <= clock.now().getTime()) throw linkNotFound()
      return link
    },

    /** What its page shows. Looking at it is recorded nowhere: mail scanners open every link. */
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
     * One of its documents. Before a byte is sent, the download is recorded in the timeline of the case, also where
     * only a part is asked for: otherwise all but the first byte could be had in secret (M3).
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
        // The key changes with the bytes; its digest reveals nothing of it.
        version: hexDigest(document.key),
        open: async (range: { first: number; last: number } | undefined) => {
          await recordDownload(link, document, range !== undefined && range.first > 0)
          return files.stream(document.key, range)
        },
      }
    },
  }

  async function recordDownload(
    { workspace_id, case_id }: SharedLink,
    { id, filename }: AttachableDocument,
    isContinued: boolean,
  ): Promise<void> {
    if (case_id === null) return
    const entry = {
      id: newId('timelineEntry'),
      type: 'mail.document_downloaded',
      occurred_at: timestamp(clock),
      actor: { type: 'external' as const, id: null, name: 'Link in einer E-Mail' },
      summary: `${isContinued ? 'Weiterer Teil von Dokument' : 'Dokument'} „${filename}“ über den Link in einer E-Mail heruntergeladen`,
      ref: { type: 'document', id },
    }
    await store.recordTimeline(workspace_id, [{ case_id, entry }])
  }
}

function linkNotFound(): Failure {
  return new Failure(
    'not_found',
    'SHARED_LINK_NOT_FOUND',
    'This link is unknown or has expired. Ask whoever sent it for a new one.',
  )
}
