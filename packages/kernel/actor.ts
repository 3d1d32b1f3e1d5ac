import type { Scope } from './scope.ts'

/** Who acts: the user of an API key, in the workspace that everything they touch belongs to (G4). */
export type Actor = {
  workspace_id: string
  user_id: string
  user_name: string
  key_id: string
  scopes: readonly Scope[]
}
