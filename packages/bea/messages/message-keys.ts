import { derivedIdAt } from '#kernel/id.ts'

type Named = { workspace_id: string; id: string }

/**
 * The id of an imported message. It is always the same for the same message of a postbox, so a repeated import stores
 * the same objects. Ids contain the time of the message and sort by it.
 */
export function messageIdOf(
  { workspace_id, postbox_safe_id }: { workspace_id: string; postbox_safe_id: string },
  remoteId: string,
  at: Date,
): string {
  return derivedIdAt('beaMessage', JSON.stringify([workspace_id, postbox_safe_id, remoteId]), at)
}

/** The key of a message's content without its attachments, as JSON: `BeaContent`. */
export function contentKey({ workspace_id, id }: Named): string {
  return `bea/${workspace_id}/${id}/content.json`
}

/** The key of a message's text, if the text was read from the network's PDF (`textFileOf`). */
export function textKey({ workspace_id, id }: Named): string {
  return `bea/${workspace_id}/${id}/text.txt`
}

export function attachmentKey({ workspace_id, id }: Named, { sha256 }: { sha256: string }): string {
  return `bea/${workspace_id}/${id}/${sha256}`
}
