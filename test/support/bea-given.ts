import type { Credentials } from '#infra/local/credentials.ts'
import type { Firm } from './firm.ts'
import { sharedService } from './the-shared-service.ts'

type BeaCertificate = NonNullable<Credentials['bea']>[number]

/** The beA demo network for one firm. It has few lawyers, so accounts that are already connected are used again. */
export type BeaGiven = {
  /** Two lawyers with software certificates, and one with a card. */
  certificates: BeaCertificate[]
  /** The account of a lawyer by number, connected if it is not. The first one administers the postbox of an office. */
  connect: (lawyer: number) => Promise<string>
  /** The same, with a session. */
  logIn: (lawyer: number) => Promise<string>
  /** Disconnects the account with this SAFE-ID or this certificate, if there is one. */
  free: (lawyer: number | { safe_id: string }) => Promise<void>
}

const path = '/api/v1/bea/accounts'

/** @param firm the workspace; its owner connects */
export function beaGiven({ owner }: Pick<Firm, 'owner'>): BeaGiven {
  const certificates = sharedService().credentials.bea ?? []
  const certificateOf = (lawyer: number): BeaCertificate => {
    const certificate = certificates[lawyer]
    if (certificate === undefined) throw new Error(`There is no lawyer ${lawyer} in the demo network.`)
    return certificate
  }
  const find = async ({
    safe_id,
    label,
  }: {
    safe_id: string
    label?: string
  }): Promise<string | undefined> => {
    const { data } = (await owner('GET', path)).body
    return data.find(
      (one: { safe_id: string | null; label: string }) => one.safe_id === safe_id || one.label === label,
    )?.id
  }
  const connect = async (lawyer: number): Promise<string> => {
    const { label, certificate_base64, passphrase } = certificateOf(lawyer)
    const id = await find(certificateOf(lawyer))
    if (id !== undefined) return id
    const answer = await owner('POST', path, { body: { label, certificate_base64, passphrase } })
    if (answer.status !== 201) throw new Error(`Not connected: ${JSON.stringify(answer.body)}`)
    return answer.body.id
  }
  return {
    certificates,
    connect,
    logIn: async (lawyer) => {
      const account_id = await connect(lawyer)
      const answer = await owner('POST', '/api/v1/bea/auth/login', { body: { account_id } })
      if (answer.status !== 200) throw new Error(`Not logged in: ${JSON.stringify(answer.body)}`)
      return account_id
    },
    free: async (lawyer) => {
      const id = await find(typeof lawyer === 'number' ? certificateOf(lawyer) : lawyer)
      if (id !== undefined) await owner('DELETE', `${path}/${id}`)
    },
  }
}
