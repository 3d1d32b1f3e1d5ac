import type { Answered } from '#kernel/idempotency.ts'
import type { BeaRight } from './right-schema.ts'

/** The rights that a user was given at an account, each with the time when it ends; null if it does not end. */
export type BeaGrants = {
  workspace_id: string
  account_id: string
  user_id: string
  rights: Partial<Record<BeaRight, string | null>>
}

export type BeaPermissionStore = {
  /** The rights that the user was given, including rights that have ended. */
  find: (workspaceId: string, accountId: string, userId: string) => Promise<BeaGrants['rights']>
  list: (workspaceId: string, accountId: string) => Promise<BeaGrants[]>
  /** Replaces the rights that the user was given with the result of `decide`. */
  change: <Answer>(
    target: Omit<BeaGrants, 'rights'>,
    decide: (current: BeaGrants['rights']) => { rights: BeaGrants['rights']; answer: Answer },
  ) => Promise<Answered<Answer>>
}
