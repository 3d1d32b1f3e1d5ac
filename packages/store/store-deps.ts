import type { Cursors } from './cursor.ts'
import type { Db } from './db.ts'
import type { Outbox } from './outbox.ts'

/** The dependencies of a store: the table, the cursors of its lists, and the outbox for its changes. */
export type StoreDeps = { db: Db; cursors: Cursors; outbox: Outbox }
