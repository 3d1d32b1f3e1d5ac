import { Failure } from '#kernel/failure.ts'

/**
 * The check of an endpoint's address (E3). Each connection checks the host again, so a name that has no address yet is
 * allowed here.
 *
 * @param deps.mayBeHttp whether http is allowed besides https
 * @param deps.isHostAllowed whether no address of the host is refused; true if the name is unknown
 */
export function endpointUrlCheck(deps: {
  mayBeHttp: boolean
  isHostAllowed: (host: string) => Promise<boolean>
}): (url: string) => Promise<void> {
  return async (text) => {
    if (!URL.canParse(text)) throw urlNotAllowed('This is not an address.')
    const { protocol, username, password, hostname } = new URL(text)
    if (protocol !== 'https:' && !(deps.mayBeHttp && protocol === 'http:'))
      throw urlNotAllowed('The address must begin with https://.')
    if (username !== '' || password !== '')
      throw urlNotAllowed('The address must have no user name or password.')
    if (text.includes('#')) throw urlNotAllowed('The address must have no fragment.')
    if (!(await deps.isHostAllowed(hostname))) throw urlNotAllowed('The address must be public.')
  }
}

function urlNotAllowed(message: string): Failure {
  return new Failure('invalid', 'URL_NOT_ALLOWED', message, { details: [{ path: 'body.url', message }] })
}
