import type { MessageFacts } from '#triage/facts-schema.ts'
import type { MailReceipt } from './receipt-schema.ts'
import type { Verdicts } from './schema.ts'

/** The provider's verdicts on a message. A check that was not made, or had no result, is `unknown`. */
export function verdictsOf({ receipt }: Pick<MailReceipt, 'receipt'>): Verdicts {
  return {
    spam: known(receipt.spamVerdict),
    virus: known(receipt.virusVerdict),
    spf: known(receipt.spfVerdict),
    dkim: known(receipt.dkimVerdict),
    dmarc: known(receipt.dmarcVerdict),
  }
}

function known(verdict: { status: string } | undefined): Verdicts['spam'] {
  if (verdict?.status === 'PASS') return 'pass'
  if (verdict?.status === 'FAIL') return 'fail'
  return verdict?.status === 'GRAY' ? 'gray' : 'unknown'
}

/**
 * The verdict for the triage (I5): the worst result. A failed DMARC check means that the domain of the sender rejects
 * the message. A failed SPF or DKIM check alone means nothing, because forwarded mail and mailing lists fail one of
 * them. But if SPF failed, and neither DKIM nor DMARC passed, no domain confirms the message. Then it counts as forged,
 * too: the triage only suggests a case. `unknown` if nothing checked for spam, viruses or forgery.
 */
export function triageVerdict(verdicts: Verdicts | null): MessageFacts['verdict'] {
  if (verdicts === null) return 'unknown'
  const { spam, virus, spf, dkim, dmarc } = verdicts
  if (virus === 'fail') return 'virus'
  if (spam === 'fail') return 'spam'
  const isConfirmed = dkim === 'pass' || dmarc === 'pass'
  if (dmarc === 'fail' || (spf === 'fail' && !isConfirmed)) return 'forged'
  return [spam, virus, dmarc].every((one) => one === 'unknown') ? 'unknown' : 'passed'
}
