import { bucketFiles } from '#files/bucket.ts'
import { encryptedCursors } from '#store/cursor.ts'
import { accessReportStore } from '#store/parties/access-report-store.ts'
import type { Base } from './foundation.ts'

/** Reports on parties for every function that uses them: records, files, and the tokens of their links. */
export function accessReportFoundation(base: Base) {
  return { reports: accessReportStore(base), files: bucketFiles(), tokens: encryptedCursors(base.db) }
}
