import { ResponseStream } from '#infra/local/response-stream.ts'
import { contextOf, eventOf } from '#test/bench/requests.ts'

/** Runs the function of the signers' page in this process with an event for this request. */
export async function runSign(
  resource: string,
  params: Record<string, string>,
  {
    form,
    json,
    cookie,
  }: { form?: Record<string, string> | undefined; json?: unknown; cookie?: string | undefined } = {},
): Promise<{ statusCode: number; setCookie: string | undefined }> {
  const { handler } = await import('#functions/sign/index.ts')
  const event = eventOf({ method: form || json ? 'POST' : 'GET', resource, params, body: json })
  const add = (name: string, value: string) => {
    event.headers[name] = value
    event.multiValueHeaders[name] = [value]
  }
  if (form !== undefined) {
    event.body = new URLSearchParams(form).toString()
    add('Content-Type', 'application/x-www-form-urlencoded')
  }
  if (cookie !== undefined) add('Cookie', cookie)
  const stream = new ResponseStream().resume()
  await handler(event, stream, contextOf('sign'))
  const head = await stream.head
  const setCookie = /signing_access=[^;"]+/.exec(JSON.stringify(head))?.[0]
  return { statusCode: head.statusCode, setCookie }
}
