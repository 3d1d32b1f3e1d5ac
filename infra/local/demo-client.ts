import { setTimeout } from 'node:timers/promises'

/**
 * Sends JSON or a form to a path below `/api/v1` and returns the answer's JSON. If the user's allowance is used up,
 * it waits as long as the answer says.
 *
 * @throws Error with method, path and answer if the service refuses
 */
export type Client = (
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  body: unknown,
) => Promise<{ id: string }>

/** A client with this API key; without one for calls that are signed. */
export function clientOf(baseUrl: string, apiKey?: string): Client {
  const authorization = apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }
  return async (method, path, body) => {
    const send = () =>
      fetch(`${baseUrl}/api/v1${path}`, {
        method,
        headers: {
          ...authorization,
          ...(!(body instanceof FormData) && { 'Content-Type': 'application/json' }),
        },
        body: body instanceof FormData ? body : JSON.stringify(body),
      })
    let answer = await send()
    while (answer.status === 429) {
      await setTimeout(1_000 * Number(answer.headers.get('retry-after') ?? 1))
      answer = await send()
    }
    const text = await answer.text()
    if (!answer.ok)
      throw new Error(`The demo data was refused: ${method} ${path} answered ${answer.status} ${text}`)
    return JSON.parse(text)
  }
}
