import { FormatFault } from '#formats/format-fault.ts'
import { readXJustiz } from '#formats/xjustiz.ts'
import type { XJustizFacts } from '#triage/facts-schema.ts'

/** What the triage reads of an XJustiz record; nothing of what is none, or is damaged. */
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
