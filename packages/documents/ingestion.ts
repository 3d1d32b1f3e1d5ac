import { createHash, timingSafeEqual } from 'node:crypto'
import { newInboxState } from '#inbox/state-schema.ts'
import { timestamp } from '#kernel/clock.ts'
import { Failure, invalid, notFound } from '#kernel/failure.ts'
import { bareUuid } from '#kernel/id.ts'
import { addDocuments, newRecord } from './new-documents.ts'
import type { DocumentDeps } from './ports.ts'
import { type Ingested, pushedTypes } from './schema.ts'
import { checkFile, requireContent, type SentFile } from './sent-file.ts'

/** A system that pushes documents through the webhook: it acts for a workspace, not for a user. */
export type Pusher = { workspace_id: string }

/** Files that other systems push through the webhook (D11). */
export function ingestion(deps: DocumentDeps) {
  const { store, workspaces, clock } = deps

  return {
    /**
     * Authenticates a system by the webhook token of the workspace, compared in constant time. The refusal depends only
     * on the token, so it does not reveal whether the workspace exists (G4).
     *
     * @throws Failure WEBHOOK_TOKEN_INVALID for a token that no workspace has, WORKSPACE_NOT_FOUND for the token of
     * another workspace
     */
    async admitPusher(workspaceId: string, token: string | undefined): Promise<Pusher> {
      if (token === undefined || token === '') throw tokenRefused()
      const [workspace, owner] = await Promise.all([
        workspaces.find(workspaceId),
        workspaces.findByWebhookToken(token),
      ])
      const digest = (text: string) => createHash('sha256').update(text).digest()
      const isMatch = timingSafeEqual(digest(token), digest(workspace?.webhook_token ?? ''))
      if (workspace !== undefined && isMatch) return { workspace_id: workspace.id }
      throw owner === undefined ? tokenRefused() : notFound('WORKSPACE_NOT_FOUND')
    },

    /** Authenticates a system by the webhook token alone (D14). @throws Failure WEBHOOK_TOKEN_INVALID */
    async admitTokenHolder(token: string | undefined): Promise<Pusher> {
      const workspace = token ? await workspaces.findByWebhookToken(token) : undefined
      if (workspace === undefined) throw tokenRefused()
      return { workspace_id: workspace.id }
    },

    /** Stores a file that another system pushed. @throws Failure VALIDATION_ERROR, UNSUPPORTED_MEDIA_TYPE */
    async ingest(
      { workspace_id }: Pusher,
      file: SentFile,
      fields: {
        folder_id?: string | null | undefined
        metadata?: Record<string, unknown> | null | undefined
      },
    ): Promise<Ingested> {
      requireContent(file, 'body.file')
      const references = { case_id: null, folder_id: fields.folder_id ?? null }
      await store.requireAll(workspace_id, references).catch(asMalformed)
      const { about, bytes } = await checkFile(file, 'body.file', pushedTypes)
      const record = newRecord(clock, workspace_id, {
        ...about,
        ...references,
        metadata: fields.metadata ?? null,
        source: 'webhook',
        inbox: references.folder_id === null ? newInboxState(timestamp(clock)) : null,
      })
      const answer = { status: 'ok' as const, document_id: bareUuid(record.id), filename: record.filename }
      return addDocuments(deps, [{ record, bytes }], answer).catch(asMalformed)
    },
  }
}

function tokenRefused(): Failure {
  return new Failure(
    'unauthenticated',
    'WEBHOOK_TOKEN_INVALID',
    'Send the webhook token of the workspace as X-Service-Token.',
  )
}

/** The webhook answers 404 only for the workspace; an unknown folder is an invalid field of the form (D11). */
function asMalformed(error: unknown): never {
  if (error instanceof Failure && error.code === 'FOLDER_NOT_FOUND') {
    throw invalid('There is no folder with this id in the workspace.', [
      { path: 'body.folder_id', message: 'This folder does not exist.' },
    ])
  }
  throw error
}
