import type { SenderChecks, SenderProof } from '#correspondence/reception-ports.ts'
import { areDomainsOfOneOrganization, domainIn } from './organizations.ts'
import type { SenderClaims } from './sender-claims.ts'

/**
 * Whether the receiving service has proved that a mail comes from the domain in its `From`. This is so if DMARC passed,
 * or if SPF or DKIM passed for a domain of the same organisation (RFC 7489, 3.1).
 *
 * Only the results of the receiving service count. SPF applies to the domain of the envelope sender. DKIM applies to
 * the domains in the service's own `Authentication-Results`. If the service does not write this field (`authserv_id` is
 * null), it is unknown which signature passed, so all signing domains must belong to the organisation of `From`. Fields
 * of other services are ignored. If the service's own field occurs twice, or is not the topmost one, the result is
 * `contradictory`.
 */
export function proveSender(claims: SenderClaims, checks: SenderChecks): SenderProof {
  const { verdicts, envelope_from, authserv_id } = checks
  if ('fault' in claims.from) return refused(claims.from.fault)
  const { domain } = claims.from
  if (verdicts.dmarc === 'fail') return refused('dmarc_failed')
  const results = claims.results.map(resultsIn)
  const own = results.filter(({ authority }) => authserv_id !== null && authority === authserv_id)
  if (own.length > 1 || (own.length === 1 && own[0] !== results[0])) return refused('contradictory')
  if (own[0]?.isUnterminated) return refused('contradictory')
  if (own[0]?.hasFailedDmarc) return refused('dmarc_failed')
  const named = own[0]?.dmarcDomain
  const isAligned = (other: string | undefined) =>
    other !== undefined && areDomainsOfOneOrganization(other, domain)
  if (verdicts.dmarc === 'pass' && named !== undefined && !isAligned(named)) return refused('contradictory')
  const signers = authserv_id === null ? claims.signed_by : passedSigners(claims, own[0])
  const areAligned =
    authserv_id === null ? signers.length > 0 && signers.every(isAligned) : signers.some(isAligned)
  if (
    verdicts.dmarc === 'pass' ||
    (verdicts.spf === 'pass' && isAligned(domainIn(envelope_from ?? ''))) ||
    (verdicts.dkim === 'pass' && areAligned)
  )
    return { sender_verified: true, sender_verified_reason: null }
  const all = [verdicts.spf, verdicts.dkim, verdicts.dmarc]
  if (all.includes('pass')) return refused('not_aligned')
  return refused(all.every((one) => one === 'unknown') ? 'not_checked' : 'not_passed')
}

function refused(reason: NonNullable<SenderProof['sender_verified_reason']>): SenderProof {
  return { sender_verified: false, sender_verified_reason: reason }
}

type Results = {
  authority: string
  /** Whether a comment or a quoted string has no end. It may hide a contradictory result. */
  isUnterminated: boolean
  hasFailedDmarc: boolean
  /** The domain of `From` that passed DMARC. */
  dmarcDomain: string | undefined
  /** The domains with a DKIM signature that passed. */
  passed: string[]
  /** The domains with a DKIM signature that failed, even if the result is in a comment or a quoted string. */
  failed: string[]
}

/**
 * The domains whose signatures the receiver verified. The sender can get text into `Authentication-Results`, for
 * example as the name of its server. So a domain counts only if the message has a signature of this domain, and no such
 * signature failed.
 */
function passedSigners({ signed_by }: SenderClaims, results: Results | undefined): string[] {
  const { passed = [], failed = [] } = results ?? {}
  const names = (domains: string[], signer: string) =>
    domains.some((domain) => domain === signer || domain.endsWith(`.${signer}`))
  return signed_by.filter((signer) => names(passed, signer) && !names(failed, signer))
}

/**
 * Reads a value of `Authentication-Results` (RFC 8601, 2.2). Favourable results count only outside of comments and
 * quoted strings.
 */
function resultsIn(value: string): Results {
  const { text, isUnterminated } = withoutComments(value)
  const [authority = '', ...clauses] = text.split(';')
  const found = clauses.map(clauseIn)
  const domainsOf = (some: Clause[], method: string, isPass: boolean) =>
    some.flatMap((one) =>
      one.method === method && one.domain !== undefined && (one.result === 'pass') === isPass
        ? [one.domain]
        : [],
    )
  return {
    authority: authority.trim().toLowerCase().split(/\s/)[0] ?? '',
    isUnterminated,
    hasFailedDmarc: found.some(({ method, result }) => method === 'dmarc' && result === 'fail'),
    dmarcDomain: domainsOf(found, 'dmarc', true).at(-1),
    passed: domainsOf(found, 'dkim', true),
    failed: domainsOf(value.split(';').map(clauseIn), 'dkim', false),
  }
}

type Clause = { method: string | undefined; result: string | undefined; domain: string | undefined }

function clauseIn(written: string): Clause {
  const clause = written.replace(/\s+/g, ' ').trim().toLowerCase()
  const [, method, result] = /^(dkim|dmarc)\s?=\s?([a-z]+)/.exec(clause) ?? []
  const [, named = ''] = /\sheader\.(?:d|i|from)\s?=\s?([^\s]+)/.exec(clause) ?? []
  return { method, result, domain: domainIn(named.replace(/^@?/, '@')) }
}

/** The text outside comments and quoted strings. Comments may be nested. */
function withoutComments(value: string): { text: string; isUnterminated: boolean } {
  let [text, depth, isQuoted] = ['', 0, false]
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at] ?? ''
    if (character === '\\') at += 1
    else if (isQuoted) isQuoted = character !== '"'
    else if (character === '"') isQuoted = true
    else if (character === '(') depth += 1
    else if (character === ')') depth = Math.max(0, depth - 1)
    else if (depth === 0) text += character
  }
  return { text, isUnterminated: isQuoted || depth > 0 }
}
