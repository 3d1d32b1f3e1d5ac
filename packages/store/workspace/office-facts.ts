import type { SigningWorkspaces } from '#signing/ports.ts'
import { type Db, strongly } from '../db.ts'
import { workspaceEntity } from './workspace-entity.ts'

/**
 * The facts of an office that signers may see. It reads nothing else of the workspace, whose token would let one send
 * documents.
 */
export function officeFacts(db: Db): SigningWorkspaces {
  const workspaces = workspaceEntity(db)
  return {
    find: async (id) => {
      const { data } = await workspaces.get({ id }).go({ ...strongly, attributes: ['name', 'time_zone'] })
      return data ?? undefined
    },
  }
}
