import { reception } from '#correspondence/reception.ts'
import { bucketFiles } from '#files/bucket.ts'
import { readHeader } from '#mail/read-header.ts'
import { receptionStore } from '#store/correspondence/reception-store.ts'
import type { Base } from './foundation.ts'
import { inboxFoundation } from './inbox.ts'

/** The only way to receive mail, for the functions of its entry points (I2). */
export function receptionFoundation(base: Base) {
  inboxFoundation(base)
  return reception({ store: receptionStore(base), files: bucketFiles(), readHeader, clock: base.clock })
}
