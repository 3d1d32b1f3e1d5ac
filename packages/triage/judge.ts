import { decide } from './decide.ts'
import type { MessageFacts } from './facts-schema.ts'
import type { FindTriageSettings, LookUp, Signals, TriageSettings } from './ports.ts'
import { readSignals } from './read-signals.ts'
import type { Judgement, Teaching } from './schema.ts'
import { senderKindOf } from './sender-domains.ts'

/** Returns the triage of a message: reads it, looks up the records that it names, and decides (I5). */
export function judge({ lookUp, findSettings }: { lookUp: LookUp; findSettings: FindTriageSettings }) {
  return async (workspaceId: string, facts: MessageFacts): Promise<Judgement> => {
    const settings = await findSettings(workspaceId)
    const signals = readSignals(facts, settings)
    const found = await lookUp(workspaceId, signals)
    const { auto_file, ...triage } = decide(signals, found, settings)
    return { triage, auto_file, teaches: teachingOf(facts, signals, settings) }
  }
}

/**
 * The facts that the case of a message learns from it: its sender, and from a court or an authority the references that
 * it gives as its own. References in its text, such as a cited decision, teach nothing. Nothing is learnt from documents,
 * spam, viruses and forged senders, or from our own mailboxes: a colleague forwards mail of every case.
 */
export function teachingOf(
  { kind, verdict }: Pick<MessageFacts, 'kind' | 'verdict'>,
  { sender, court_references, reading }: Signals,
  { own_mailboxes }: TriageSettings,
): Teaching {
  const isRefused = verdict !== 'passed' && verdict !== 'unknown'
  if (kind === 'document' || isRefused || sender === null || own_mailboxes.includes(sender))
    return { references: [], sender: null }
  const writer = senderKindOf(sender, reading.sender?.name ?? null) ?? reading.xjustiz_sender
  const isOfficial = writer === 'court' || writer === 'authority'
  const written = court_references.filter(({ is_own }) => is_own).map(({ key }) => key)
  return { references: isOfficial ? [...new Set(written)] : [], sender }
}
