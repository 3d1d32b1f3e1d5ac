import type { Scope } from '#kernel/scope.ts'

/** The API keys that may call: keys with this scope, with one of these scopes, with every one of them, or any valid key. */
export type KeyAccess = Scope | readonly Scope[] | { every: readonly Scope[] } | 'any key'

/** The part of the request that a verifier receives besides the credential: the parsed placeholders of the path. */
type CredentialRequest = { params: Record<string, string> }

type Verify<Services, Shown, Caller> = (
  services: Services,
  shown: Shown,
  request: CredentialRequest,
) => Promise<Caller>

/**
 * A credential instead of an API key: its place in the request, and the function that verifies it. `verify` runs before
 * the rest of the request is read: only the path is read before, and the form if it contains the credential. If the
 * credential is missing or sent twice, `verify` receives undefined. It throws a Failure to refuse the request; its
 * result is the handler's `actor`.
 */
export type Credential<Services, Caller = unknown> = {
  /** The credential and its origin, for the documentation: "the token of the address". */
  description: string
  example?: string
} & (
  | { in: 'header' | 'query' | 'path'; name: string; verify: Verify<Services, string | undefined, Caller> }
  | {
      in: 'form'
      /** The fields that make up the credential. */
      names: readonly string[]
      verify: Verify<Services, Record<string, string | undefined>, Caller>
    }
)

/** The permitted callers: holders of an API key, holders of another credential, or everybody. */
export type Access<Services, Caller = unknown> = KeyAccess | Credential<Services, Caller> | 'public'

/** Whether the endpoint expects a credential of another kind than an API key. */
export function isCredential<Services>(access: Access<Services>): access is Credential<Services> {
  return typeof access === 'object' && 'verify' in access
}

/** Whether an API key is needed. Requests with an API key count against the allowance (G17). */
export function needsKey<Services>(access: Access<Services>): access is KeyAccess {
  return access !== 'public' && !isCredential(access)
}

/** The scopes of which a key needs one, or every one (`needsEvery`). Empty if no key is needed, or any key is enough. */
export function scopesOf<Services>(access: Access<Services>): readonly Scope[] {
  if (access === 'public' || access === 'any key' || isCredential(access)) return []
  if (needsEvery(access)) return access.every
  return typeof access === 'string' ? [access] : access
}

/** Whether a key needs every one of the scopes. */
export function needsEvery<Services>(access: Access<Services>): access is { every: readonly Scope[] } {
  return typeof access === 'object' && 'every' in access && !Array.isArray(access)
}

/** The message that refuses a key with these scopes, and names the missing ones (G11); undefined if it may call. */
export function scopeRefusal(access: KeyAccess, held: readonly Scope[]): string | undefined {
  const needed = scopesOf(access)
  const lacking = needed.filter((scope) => !held.includes(scope))
  if (needsEvery(access))
    return lacking.length === 0
      ? undefined
      : `This needs the ${lacking.length === 1 ? 'scope' : 'scopes'} ${lacking.join(' and ')}.`
  return lacking.length < needed.length || needed.length === 0
    ? undefined
    : `This needs the scope ${needed.join(' or ')}.`
}
