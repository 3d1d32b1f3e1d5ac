import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '#kernel/clock.ts'
import { conflict, Failure } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import type { EnvelopeRecord, EnvelopeStore, SignerRecord, SigningWorkspaces } from '../ports.ts'
import { isLinkEnded, isLocked, signerState } from './signer-state.ts'

/** A request through a magic link: the signer, and the envelope as it was when the request came. */
export type Visit = {
  workspace_id: string
  envelope: EnvelopeRecord
  signer: SignerRecord
  office: { name: string; time_zone: string }
  /** The token of the link. It is never stored or logged. */
  token: string
}

type SigningLinkDeps = {
  store: Pick<EnvelopeStore, 'find' | 'findLink'>
  workspaces: SigningWorkspaces
  clock: Clock
}

/** 256 bits in base64url. Other tokens are refused without a read. */
const tokenPattern = /^[\w-]{43}$/

/** Magic links: authentication and permissions (S4, S5). */
export function signingLinks({ store, workspaces, clock }: SigningLinkDeps) {
  return {
    /**
     * The signer and the envelope of this token.
     *
     * @throws Failure SIGNING_LINK_NOT_FOUND if it is malformed, unknown or was replaced
     */
    async admit(token: string | undefined): Promise<Visit> {
      if (token === undefined || !tokenPattern.test(token)) throw linkNotFound()
      const sha256 = hexDigest(token)
      const link = await store.findLink(sha256)
      if (link === undefined) throw linkNotFound()
      const { workspace_id, envelope_id, signer_id } = link
      const [envelope, office] = await Promise.all([
        store.find(workspace_id, envelope_id),
        workspaces.find(workspace_id),
      ])
      const signer = envelope?.signers.find(({ id }) => id === signer_id)
      if (envelope === undefined || office === undefined || signer?.link_sha256 !== sha256)
        throw linkNotFound()
      return { workspace_id, envelope, signer, office, token }
    },

    /**
     * Lets a visitor see the page, or the form for the access code instead.
     *
     * @throws Failure SIGNING_LINK_ENDED, SIGNING_LINK_LOCKED
     */
    permitPage({ envelope, signer }: Visit): void {
      requireLink(envelope, signer, clock.now())
    },

    /**
     * Lets a visitor use forms and documents.
     *
     * @throws Failure as `permitPage`, and ACCESS_CODE_REQUIRED
     */
    permit(visit: Visit, cookie: string | undefined): void {
      requireLink(visit.envelope, visit.signer, clock.now())
      if (isUnlocked(visit, cookie)) return
      throw new Failure(
        'forbidden',
        'ACCESS_CODE_REQUIRED',
        'Enter the access code on the page of this link.',
      )
    },
  }
}

/** @throws Failure SIGNING_LINK_ENDED, SIGNING_LINK_LOCKED */
export function requireLink(envelope: EnvelopeRecord, signer: SignerRecord, now: Date): void {
  if (isLinkEnded(signerState(envelope, signer, now)))
    throw new Failure('gone', 'SIGNING_LINK_ENDED', 'This envelope has ended: there is nothing left to do.')
  if (isLocked(signer)) throw linkLocked()
}

/** The name of the cookie that remembers the access code. */
export const accessCookie = 'signing_access'

/**
 * The value of the cookie which proves that the access code was entered: HMAC-SHA256 with the token as key. A new link
 * or a new code invalidates it. It reveals neither.
 */
export function accessCookieOf({ token, signer }: Pick<Visit, 'token' | 'signer'>): string {
  return createHmac('sha256', token)
    .update(`access to signing\n${signer.access_code_hash}`)
    .digest('base64url')
}

/** Whether the visitor may see the content: the link has no access code, or the cookie proves that it was entered. */
export function isUnlocked(visit: Visit, cookie: string | undefined): boolean {
  if (visit.signer.access_code_hash === null) return true
  const [expected, shown] = [accessCookieOf(visit), cookie ?? ''].map((text) => Buffer.from(text))
  return shown?.length === expected?.length && timingSafeEqual(shown as Buffer, expected as Buffer)
}

export function linkNotFound(): Failure {
  return new Failure(
    'not_found',
    'SIGNING_LINK_NOT_FOUND',
    'This link is unknown or was replaced by a newer one. Ask the office for a new one.',
  )
}

export function linkLocked(): Failure {
  return conflict(
    'SIGNING_LINK_LOCKED',
    'The access code was wrong too often. Ask the office for a new link.',
  )
}
