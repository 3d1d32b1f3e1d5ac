import { lookup, NODATA, NOTFOUND, Resolver } from 'node:dns/promises'

/** An IP address of a host name. */
export type Address = { address: string; family: 4 | 6 }

/** A name server that does not answer is asked twice, the second time for longer. */
const attempts = { timeout: 2_000, tries: 2 }

/**
 * The addresses of a name. It asks the name servers itself: the look-ups of the system share a few threads, so a few that
 * hang would delay all others. The system, which also reads `/etc/hosts`, looks up only names without a dot, names below
 * `localhost`, and names for which the name servers have no address.
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

/** The answers of a name server that there is no such name, and that the name has no such record. */
const withoutAddress = [NOTFOUND, NODATA]

async function bySystem(name: string): Promise<Address[]> {
  return (await lookup(name, { all: true, verbatim: true })) as Address[]
}

function isLocal(name: string): boolean {
  return !name.replace(/\.$/, '').includes('.') || /\.localhost\.?$/i.test(name)
}
