import { randomUUID } from 'node:crypto'
import { escapeHtml } from '#kernel/escape-html.ts'
import type { Protocol } from './signed-server.ts'

/** The Query protocol of AWS: calls are forms with the operation in `Action`, answers and errors are XML. */
export function queryProtocol(namespace: string): Protocol {
  return {
    contentType: 'text/xml',
    // It does not parse the whole form, which may hold megabytes.
    operationOf: (_headers, body) => /(?:^|&)Action=(\w+)/.exec(body.toString('latin1'))?.[1] ?? '',
    errorAnswer: (status, type, message) => ({
      status,
      body: `<ErrorResponse xmlns="${namespace}">
  <Error>
    <Type>${status < 500 ? 'Sender' : 'Receiver'}</Type>
    <Code>${escapeHtml(type)}</Code>
    <Message>${escapeHtml(message)}</Message>
  </Error>
  <RequestId>${randomUUID()}</RequestId>
</ErrorResponse>
`,
    }),
  }
}

/** The answer of an operation: its result as names and texts. */
export function queryResult(namespace: string, operation: string, result: Record<string, string>): string {
  const members = Object.entries(result).map(([name, value]) => `<${name}>${escapeHtml(value)}</${name}>`)
  return `<${operation}Response xmlns="${namespace}">
  <${operation}Result>${members.join('')}</${operation}Result>
  <ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata>
</${operation}Response>
`
}

/** The members of a form. @returns undefined if it is not a form in percent-encoded UTF-8 */
export function readForm(body: Buffer): Map<string, string> | undefined {
  try {
    return new Map(
      body
        .toString('latin1')
        .split('&')
        .map((pair) => {
          const at = pair.indexOf('=')
          const [name, value] = at === -1 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]
          return [decode(name), decode(value)]
        }),
    )
  } catch {
    return undefined
  }
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}
