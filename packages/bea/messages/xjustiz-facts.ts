import { FormatFault } from '#formats/format-fault.ts'
import { readXJustiz } from '#formats/xjustiz.ts'
import type { XJustizFacts } from '#triage/facts-schema.ts'

/** The facts of an XJustiz record for the triage. Empty for a damaged record or another file. */
export function readXJustizFacts(bytes: Uint8Array): XJustizFacts[] {
  try {
    const message = readXJustiz(bytes)
    if (message === undefined) return []
    const { version: _, ...facts } = message
    return [facts]
  } catch (error) {
    if (error instanceof FormatFault) return []
    throw error
  }
}
