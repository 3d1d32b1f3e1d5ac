import type { Scope } from './scope.ts'

/** The caller: the user of an API key, in a workspace. Everything they access belongs to this workspace (G4). */
export type Actor = {
  workspace_id: string
  user_id: string
  user_name: string
  key_id: string
  scopes: readonly Scope[]
}
