import type { MessageFacts } from '#triage/facts-schema.ts'
import type { MailReceipt } from './receipt-schema.ts'
import type { Verdicts } from './schema.ts'

/** The provider's results about a message. Checks that it did not make, or that had no result, are `unknown`. */
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
 * The verdict for the triage (I5): the worst result. A failed DMARC check means that the domain of the sender disowns
 * the message. Failed SPF or DKIM alone means nothing: forwarded mail and mailing lists fail one of them. If SPF failed
 * and neither DKIM nor DMARC is known to have passed, no domain vouches for the message. It counts as forged as well,
 * so it is suggested and never filed by itself. `unknown` if nobody looked for spam, viruses or forgery.
 */
export function triageVerdict(verdicts: Verdicts | null): MessageFacts['verdict'] {
  if (verdicts === null) return 'unknown'
  const { spam, virus, spf, dkim, dmarc } = verdicts
  if (virus === 'fail') return 'virus'
  if (spam === 'fail') return 'spam'
  const isVouchedFor = dkim === 'pass' || dmarc === 'pass'
  if (dmarc === 'fail' || (spf === 'fail' && !isVouchedFor)) return 'forged'
  return [spam, virus, dmarc].every((one) => one === 'unknown') ? 'unknown' : 'passed'
}
