import type { Scope } from '#kernel/scope.ts'

/** Who may call with an API key: one with this scope, with any one of these scopes, or any valid one. */
export type KeyAccess = Scope | readonly Scope[] | 'any key'

/** What a verifier is told of the request beside the credential: the placeholders of the path, parsed. */
export type CredentialRequest = { params: Record<string, string> }

type Verify<Services, Shown, Caller> = (
  services: Services,
  shown: Shown,
  request: CredentialRequest,
) => Promise<Caller>

/**
 * A credential that takes the place of an API key: where the caller shows it, and who verifies it. `verify` runs
 * before anything else of the request is read but the path, and the form where the credential is in its fields. It
 * refuses with a Failure; what it returns is the handler's `actor`.
 *
 * A credential that is missing, or sent twice, is shown as undefined.
 */
export type Credential<Services, Caller = unknown> = {
  /** Which credential that is and where it comes from, for the documentation: "the token of the address". */
  description: string
  /** What one looks like, for the documentation. */
  example?: string
} & (
  | { in: 'header' | 'query' | 'path'; name: string; verify: Verify<Services, string | undefined, Caller> }
  | {
      in: 'form'
      /** The fields it consists of. */
      names: readonly string[]
      verify: Verify<Services, Record<string, string | undefined>, Caller>
    }
)

/** Who may call: holders of an API key, holders of another credential, or everybody. */
export type Access<Services, Caller = unknown> = KeyAccess | Credential<Services, Caller> | 'public'

/** Whether callers show a credential of another kind than an API key. */
export function isCredential<Services>(access: Access<Services>): access is Credential<Services> {
  return typeof access === 'object' && 'verify' in access
}

/** The scopes of which a key needs one; none where no key or any key will do. */
export function scopesOf<Services>(access: Access<Services>): readonly Scope[] {
  if (access === 'public' || access === 'any key' || isCredential(access)) return []
  return typeof access === 'string' ? [access] : access
}
