import { canonicalJson } from '#kernel/canonical-json.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import type { ExportConfigRecord } from './config-ports.ts'

/**
 * The digest of a configuration's source, filters and columns. A stored file with another digest may contain data that
 * the firm has removed since.
 */
export function selectionDigest(
  selection: Pick<ExportConfigRecord, 'source' | 'filters' | 'columns'>,
): string {
  const { source, filters, columns } = selection
  return hexDigest(Buffer.from(canonicalJson({ source, filters, columns })))
}
