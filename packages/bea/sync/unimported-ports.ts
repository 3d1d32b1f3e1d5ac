import type { BeaAccountRecord } from '../ports.ts'

/**
 * A message of the network that could not be imported. `first_seen_at`: when the import first failed. `is_told`: its
 * alarm was raised after a day.
 */
export type Unimported = {
  remote_id: string
  first_seen_at: string
  is_too_large: boolean
  is_told: boolean
  /** For a message that is too large: the time of the last attempt. */
  tried_at?: string | undefined
}

/** Its postbox. */
type Postbox = Pick<BeaAccountRecord, 'workspace_id'> & { postbox_safe_id: string }

/**
 * The messages of each postbox that could not be imported yet. The items expire long after the network has deleted the
 * message.
 */
export type UnimportedStore = {
  list: (postbox: Postbox) => Promise<Unimported[]>
  put: (postbox: Postbox, message: Unimported) => Promise<void>
  remove: (postbox: Postbox, remoteId: string) => Promise<void>
}
