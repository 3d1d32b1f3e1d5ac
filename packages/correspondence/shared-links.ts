import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { notFound, required } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { derivedIdAt } from '#kernel/id.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { entryOf } from '#timeline/schema.ts'
import { messageKey } from './keys.ts'
import type {
  CorrespondenceRecord,
  CorrespondenceStore,
  MailDocuments,
  MessageFiles,
  SharedLink,
} from './ports.ts'
import { type SharedLinkSummary, sharedLinkDays } from './schema.ts'
import { createdAt, isLive, openedBy } from './shared-link-page.ts'

export type SharedLinkService = ReturnType<typeof sharedLinkService>

/** Lists the links to documents in the mails of an office, and ends them (M3). */
export function sharedLinkService(deps: {
  store: Pick<CorrespondenceStore, 'find' | 'findLink' | 'pageLinks' | 'findLinkOf' | 'replaceLink'>
  documents: MailDocuments
  files: Pick<MessageFiles, 'read' | 'head'>
  /** The tokens of shared links in a message. */
  tokensIn: (message: Uint8Array) => string[]
  clock: Clock
}) {
  const { store, documents, files, tokensIn, clock } = deps
  const requireMail = async ({ workspace_id }: Actor, id: string): Promise<CorrespondenceRecord> => {
    return required(await store.find(workspace_id, id), 'CORRESPONDENCE_NOT_FOUND')
  }

  const requireDocument = async ({ workspace_id }: Actor, id: string): Promise<void> => {
    if ((await documents.findAll(workspace_id, [id])).length === 0) throw notFound('DOCUMENT_NOT_FOUND')
  }

  /** The link in a mail of an older release, which did not list its links. Its token is only in the message. */
  const unlisted = async (mail: CorrespondenceRecord): Promise<SharedLink[]> => {
    const oldest = clock.now().getTime() - sharedLinkDays * 86_400_000
    if (mail.direction === 'inbound' || mail.attachments.length === 0) return []
    if (Date.parse(mail.created_at) < oldest || (await files.head(messageKey(mail))) === undefined) return []
    const tokens = tokensIn(await files.read(messageKey(mail)))
    const found = await Promise.all(tokens.map((token) => store.findLink(hexDigest(token))))
    return found.filter(
      (link) => link?.correspondence_id === mail.id && link.id === undefined,
    ) as SharedLink[]
  }

  const shown = async (links: SharedLink[]): Promise<SharedLinkSummary[]> => {
    const live = await Promise.all(
      links.map(async (link) => {
        if (!isLive(link, clock)) return undefined
        const opened = await openedBy({ store, documents }, link)
        return opened.length === 0 ? undefined : summaryOf(link, opened)
      }),
    )
    return live.filter((link) => link !== undefined)
  }

  const end = async (
    actor: Actor,
    linkOf: () => Promise<SharedLink | undefined>,
    documentId: string | undefined,
  ): Promise<void> => {
    for (;;) {
      const before = await linkOf()
      const isOf = before?.documents.some(
        ({ document_id }) => documentId === undefined || document_id === documentId,
      )
      if (before === undefined || !isOf || !isLive(before, clock)) throw notFound('SHARED_LINK_NOT_FOUND')
      const left = before.documents.filter(({ document_id }) => document_id !== documentId)
      const isEnded = documentId === undefined || left.length === 0
      const after = isEnded ? { ...before, revoked_at: timestamp(clock) } : { ...before, documents: left }
      const names = before.documents
        .filter((one) => isEnded || !left.includes(one))
        .map(({ filename }) => filename)
      if (await store.replaceLink(before, after, entriesOf(actor, before, names))) return
    }
  }

  const entriesOf = (actor: Actor, { case_id, correspondence_id }: SharedLink, names: string[]) => {
    if (case_id === null) return []
    const [first = '', ...others] = names
    const more = others.length === 0 ? '' : ` und ${others.length} weiteren`
    const summary = `Link in einer E-Mail zu „${first}“${more} beendet`
    const ref = { type: 'correspondence', id: correspondence_id }
    return [{ case_id, entry: entryOf(clock, actor, { type: 'mail.link_ended', summary, ref }) }]
  }

  return {
    /** The links of a mail that open at least one document now. @throws Failure CORRESPONDENCE_NOT_FOUND */
    async ofMail(actor: Actor, id: string, request: PageRequest): Promise<Page<SharedLinkSummary>> {
      const mail = await requireMail(actor, id)
      const { data, pagination } = await store.pageLinks(actor.workspace_id, id, request)
      const earlier = data.length === 0 ? await unlisted(mail) : []
      return { data: await shown([...data, ...earlier]), pagination }
    },

    /** The links that open a document now. @throws Failure DOCUMENT_NOT_FOUND */
    async ofDocument(actor: Actor, id: string, request: PageRequest): Promise<Page<SharedLinkSummary>> {
      await requireDocument(actor, id)
      const { data, pagination } = await store.pageLinks(actor.workspace_id, id, request)
      const links = await shown(data)
      return {
        data: links.filter((link) => link.documents.some(({ document_id }) => document_id === id)),
        pagination,
      }
    },

    /** Ends a link. @throws Failure CORRESPONDENCE_NOT_FOUND, SHARED_LINK_NOT_FOUND */
    async endOfMail(actor: Actor, id: string, linkId: string): Promise<void> {
      const mail = await requireMail(actor, id)
      const found = async () =>
        (await store.findLinkOf(actor.workspace_id, id, linkId)) ??
        (await unlisted(mail)).find((link) => idOfLink(link) === linkId)
      await end(actor, found, undefined)
    },

    /** Removes a document from a link. @throws Failure DOCUMENT_NOT_FOUND, SHARED_LINK_NOT_FOUND */
    async endOfDocument(actor: Actor, id: string, linkId: string): Promise<void> {
      await requireDocument(actor, id)
      await end(actor, () => store.findLinkOf(actor.workspace_id, id, linkId), id)
    },
  }
}

/** A link of an older release has no stored id. Its id is derived from the digest of its token. */
function idOfLink(link: SharedLink): string {
  return link.id ?? derivedIdAt('sharedLink', link.token_sha256, createdAt(link))
}

function summaryOf(link: SharedLink, documents: SharedLinkSummary['documents']): SharedLinkSummary {
  const { correspondence_id, case_id, expires_at } = link
  return {
    id: idOfLink(link),
    correspondence_id,
    case_id,
    documents: documents.map(({ document_id, filename }) => ({ document_id, filename })),
    created_at: createdAt(link).toISOString(),
    expires_at,
  }
}
