import type { BeaAccountRecord } from '../ports.ts'

/**
 * A message of the network that could not be imported. `first_seen_at`: when the import first failed. `is_told`: the
 * alarm was raised, because the message has failed for a day.
 */
export type Unimported = {
  remote_id: string
  first_seen_at: string
  is_too_large: boolean
  is_told: boolean
  /** The time of the last attempt; only for a message that is too large. */
  tried_at?: string | undefined
}

/** The postbox of such a message. */
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
