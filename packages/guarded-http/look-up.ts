import { lookup, NODATA, NOTFOUND, Resolver } from 'node:dns/promises'

/** An IP address of a host name. */
export type Address = { address: string; family: 4 | 6 }

/** A name server that does not answer is asked twice, the second time with a longer time limit. */
const attempts = { timeout: 2_000, tries: 2 }

/**
 * The addresses of a name. This asks the name servers directly. Look-ups by the system share a few threads, so a few
 * slow ones would delay all others. The system, which also reads `/etc/hosts`, only looks up names without a dot, names
 * below `localhost`, and names for which the name servers have no address.
 *
 * @param servers the name servers to ask, as `address:port`; default: the name servers of the system
 * @throws the error of the look-up
 */
export async function lookUp(name: string, servers?: readonly string[]): Promise<Address[]> {
  if (isLocal(name)) return bySystem(name)
  const resolver = new Resolver(attempts)
  if (servers !== undefined) resolver.setServers(servers)
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = answers.flatMap((answer, at) =>
    answer.status === 'fulfilled'
      ? answer.value.map((address): Address => ({ address, family: at === 0 ? 4 : 6 }))
      : [],
  )
  if (found.length > 0) return found
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  const failure = errors.find(({ code }) => !withoutAddress.includes(code))
  if (failure !== undefined) throw failure
  return bySystem(name)
}

/** The errors for an unknown name, and for a name without an address record of this kind. */
const withoutAddress = [NOTFOUND, NODATA]

async function bySystem(name: string): Promise<Address[]> {
  return (await lookup(name, { all: true, verbatim: true })) as Address[]
}

function isLocal(name: string): boolean {
  return !name.replace(/\.$/, '').includes('.') || /\.localhost\.?$/i.test(name)
}
