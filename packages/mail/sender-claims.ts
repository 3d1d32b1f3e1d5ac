import type { Email } from 'postal-mime'
import type { MailAddress } from '#correspondence/address-schema.ts'
import { withoutInvisible } from '#kernel/text.ts'
import { areDomainsOfOneOrganization, domainIn } from './organizations.ts'

/** The claims of a message header about its sender. `proveSender` checks whether they are true. */
export type SenderClaims = {
  /** The domain of the address in `From`, in ASCII; or the reason why the sender cannot be verified. */
  from: { domain: string } | { fault: 'no_clear_sender' | 'misleading_name' }
  /** The values of `Authentication-Results`, the topmost first. */
  results: string[]
  /** The domain of each DKIM signature. Empty if one is invalid: then it is unknown which one was verified. */
  signed_by: string[]
}

/** The maximum length (characters) and number of fields that are read. Real headers stay below these limits. */
const limits = { from: 4_000, results: 30, result: 10_000, signatures: 20, signature: 10_000 }

/** Reads the claims from the header fields of a message. `sender` is the sender that the API shows. */
export function senderClaims(headers: Email['headers'], sender: MailAddress | null): SenderClaims {
  const values = (name: string) => headers.filter(({ key }) => key === name).map(({ value }) => value)
  return {
    from: fromOf(values('from'), sender),
    results: values('authentication-results')
      .slice(0, limits.results)
      // A value that is too long is dropped as a whole: its end might contradict its beginning.
      .map((value) => (value.length > limits.result ? '' : value)),
    signed_by: signersOf(values('dkim-signature')),
  }
}

/**
 * The domain of a clear `From`: one field with one address, written so that all programs read the same address, as
 * `a@b.example`, `Name <a@b.example>` or `"Name" <a@b.example>`. A name that shows the domain of another organisation
 * is misleading.
 */
function fromOf([field = '', ...others]: string[], sender: MailAddress | null): SenderClaims['from'] {
  // Many programs write a tab when a field continues on the next line.
  const written = field.replaceAll('\t', ' ')
  const unclear = { fault: 'no_clear_sender' } as const
  if (others.length > 0 || written.length > limits.from || /\p{Cc}/u.test(written)) return unclear
  const value = written.trim()
  const address = /^[^<>]*$/.test(value) ? value : addressAfterName(value)
  if (address === undefined || address !== sender?.email || !isPlain(address)) return unclear
  const domain = domainIn(address)
  if (domain === undefined) return unclear
  return isMisleading(sender.name ?? '', domain) ? { fault: 'misleading_name' } : { domain }
}

/** The address of `Name <address>`; a name without quotes may repeat the address. */
function addressAfterName(value: string): string | undefined {
  const at = value.lastIndexOf('<')
  const [name, address] = [value.slice(0, at).trim(), value.slice(at + 1, -1)]
  const isName = /^(?:"(?:[^"\\]|\\.)*"|[^<>@,;:"\\])*$/.test(name)
  if (!value.endsWith('>') || !(isName || name.toLowerCase() === address.toLowerCase())) return undefined
  return address
}

/** Whether the local part of an address has no quotes, comments or encoded words. */
function isPlain(address: string): boolean {
  return /^[\w!#$%&'*+/=?^`{|}~.-]{1,64}@[^@]+$/.test(address) && !address.includes('=?')
}

/** Whether the name contains an `@` and then the domain of another organisation, or one that cannot be compared. */
function isMisleading(name: string, domain: string): boolean {
  const shown = withoutInvisible(name.normalize('NFKC')).replaceAll('\u3002', '.')
  return [...shown.matchAll(/@ {0,3}([\p{L}\p{M}\p{N}._-]+)/gu)].some(([, written = '']) => {
    const labels = written.split('.').filter((label) => label !== '')
    if (labels.length < 2) return false
    const named = domainIn(`@${labels.join('.')}`)
    return named === undefined || !areDomainsOfOneOrganization(named, domain)
  })
}

/** The signing domains (RFC 6376). Empty if a signature is invalid: a verifier may have skipped it and used another. */
function signersOf(signatures: string[]): string[] {
  if (signatures.length > limits.signatures) return []
  const signers = signatures.map((signature) => {
    const tags = new Map<string, string>()
    for (const tag of signature.slice(0, limits.signature).split(';')) {
      const [name = '', ...value] = tag.split('=')
      tags.set(name.trim(), value.join('=').replace(/\s+/g, ''))
    }
    const isWhole = ['a', 'b', 'bh', 's'].every((name) => tags.get(name)) && tags.get('v') === '1'
    // With `l=` only the beginning of the body is signed, and anybody may append text (RFC 6376, 8.2).
    const signsAll = !tags.has('l')
    const signsFrom = tags.get('h')?.toLowerCase().split(':').includes('from')
    const signer = domainIn(`@${tags.get('d') ?? ''}`)
    const isOfSigner = tags.get('i') === undefined || isWithin(domainIn(tags.get('i') ?? ''), signer)
    return isWhole && signsAll && signsFrom && isOfSigner ? signer : undefined
  })
  return signers.every((signer) => signer !== undefined) ? signers : []
}

/**
 * Whether the user (`i=`) in a signature belongs to the signing domain (RFC 6376, 3.5). Verifiers may report the user
 * instead of the domain.
 */
function isWithin(user: string | undefined, signer: string | undefined): boolean {
  return user !== undefined && (user === signer || user.endsWith(`.${signer}`))
}
