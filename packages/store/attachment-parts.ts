import { readAll } from './batch.ts'
import type { Db } from './db.ts'
import type { Action } from './transact.ts'

/** An item of attachments has at most so many bytes as JSON; an item of the table may have 400 KB. */
const maxPartBytes = 300_000

/** One item of a message's attachments. `part` counts from 0. */
type PartKey = { workspace_id: string; id: string; part: number }

/** The items of one kind of message that hold its attachments. */
type PartItems<Attachment> = {
  get: (key: PartKey) => { params: () => unknown }
  put: (key: PartKey, attachments: Attachment[]) => Action
  erase: (key: PartKey) => Action
  read: (item: object) => { id: string; part: number; attachments: Attachment[] } | undefined
}

/** Attachments of messages in items of their own, as many for each message as they need. */
export function attachmentParts<Attachment>(db: Db, items: PartItems<Attachment>) {
  return {
    /** The attachments of these messages, by the messages' ids. */
    async findAll(
      workspace_id: string,
      messages: { id: string; attachment_parts: number }[],
    ): Promise<(id: string) => Attachment[]> {
      const gets = messages.flatMap(({ id, attachment_parts }) =>
        Array.from({ length: attachment_parts }, (_, part) => items.get({ workspace_id, id, part })),
      )
      const found = (await readAll(db, gets)).flatMap((item) => items.read(item) ?? [])
      const byMessage = Map.groupBy(
        found.toSorted((one, other) => one.part - other.part),
        ({ id }) => id,
      )
      return (id) => byMessage.get(id)?.flatMap(({ attachments }) => attachments) ?? []
    },

    /** The actions for the parts that are other than before. */
    changes: (
      message: { workspace_id: string; id: string },
      before: Attachment[][],
      after: Attachment[][],
    ): Action[] => {
      const key = (part: number) => ({ workspace_id: message.workspace_id, id: message.id, part })
      return [
        ...after.flatMap((part, at) =>
          JSON.stringify(part) === JSON.stringify(before[at]) ? [] : [items.put(key(at), part)],
        ),
        ...before.slice(after.length).map((_, at) => items.erase(key(after.length + at))),
      ]
    },
  }
}

/** Attachments in groups that fit into an item each. */
export function inParts<Attachment>(attachments: Attachment[]): Attachment[][] {
  const parts: Attachment[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const attachment of attachments) {
    const size = Buffer.byteLength(JSON.stringify(attachment))
    if (bytes + size > maxPartBytes) {
      parts.push([])
      bytes = 0
    }
    parts.at(-1)?.push(attachment)
    bytes += size
  }
  return parts
}
