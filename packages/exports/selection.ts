import { canonicalJson } from '#kernel/canonical-json.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import type { ExportConfigRecord } from './config-ports.ts'

/**
 * The digest of what a configuration lets out: source, filters and columns. A stored file whose digest is another one may
 * hold what the firm has taken out since.
 */
export function selectionDigest({
  source,
  filters,
  columns,
}: Pick<ExportConfigRecord, 'source' | 'filters' | 'columns'>): string {
  return hexDigest(Buffer.from(canonicalJson({ source, filters, columns })))
}
