import type { Actor } from './actor.ts'
import { Failure } from './failure.ts'
import type { Scope } from './scope.ts'

/**
 * Requires a scope that only some requests to an endpoint need, depending on their content.
 *
 * @param why the reason, as the beginning of a sentence: `Sending documents`
 * @throws Failure AUTH_INSUFFICIENT_SCOPE
 */
export function requireScope({ scopes }: Pick<Actor, 'scopes'>, scope: Scope, why: string): void {
  if (scopes.includes(scope)) return
  throw new Failure('forbidden', 'AUTH_INSUFFICIENT_SCOPE', `${why} needs the scope ${scope}.`)
}
