import type { AuditEvent } from '#audit/schema.ts'
import type { ExportAudit } from './config-ports.ts'

/** The file, with an audit entry recorded before its bytes are opened. HEAD and 304 open no bytes (R7). */
export function fetchedFile<Part extends unknown[], Bytes, File>(
  file: File & { open: (...part: Part) => Promise<Bytes> },
  audit: ExportAudit,
  event: AuditEvent,
): File & { open: (...part: Part) => Promise<Bytes> } {
  return {
    ...file,
    open: async (...part) => {
      await audit.record(event)
      return file.open(...part)
    },
  }
}
