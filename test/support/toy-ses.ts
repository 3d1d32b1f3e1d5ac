import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An accepted message, with the tags that SES returns in its events. */
export type TakenMessage = { id: string; recipients: string[]; tags: Record<string, string> }

/** The treatment of a request: `take` records its message and returns its id. */
export type SesBehaviour = (take: () => string, response: ServerResponse) => void | Promise<void>

/** An SES that does what the test says, and emits no events by itself. */
export type ToySes = {
  endpoint: string
  taken: TakenMessage[]
  /** The number of requests. */
  asked: () => number
  /** Sets the behaviour for the next requests; the last one stays. */
  behave: (...next: SesBehaviour[]) => void
  stop: () => Promise<void>
}

export async function startToySes(): Promise<ToySes> {
  const taken: TakenMessage[] = []
  let behaviours: SesBehaviour[] = [accept]
  let asked = 0
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('latin1')) body += chunk
    const form = new URLSearchParams(body)
    const [behaviour = accept] = behaviours.length > 1 ? behaviours.splice(0, 1) : behaviours
    asked += 1
    const take = () => {
      const id = `toy-${crypto.randomUUID()}`
      taken.push({ id, recipients: membersOf(form, 'Destinations'), tags: tagsOf(form) })
      return id
    }
    await behaviour(take, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    asked: () => asked,
    behave: (...next) => {
      behaviours = next
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const accept: SesBehaviour = (take, response) => {
  response
    .writeHead(200, { 'Content-Type': 'text/xml' })
    .end(
      `<SendRawEmailResponse xmlns="http://ses.amazonaws.com/doc/2010-12-01/"><SendRawEmailResult><MessageId>${take()}</MessageId></SendRawEmailResult><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></SendRawEmailResponse>`,
    )
}

/** Answers an error as SES does. */
export function answerError(status: number, code: string, message: string): SesBehaviour {
  return (_take, response) => {
    response
      .writeHead(status, { 'Content-Type': 'text/xml' })
      .end(
        `<ErrorResponse xmlns="http://ses.amazonaws.com/doc/2010-12-01/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>r</RequestId></ErrorResponse>`,
      )
  }
}

/** Accepts the message, and breaks the connection before the answer. */
export const takeAndBreak: SesBehaviour = (take, response) => {
  take()
  response.destroy()
}

/** Breaks the connection before the message is accepted. */
export const breakOff: SesBehaviour = (_take, response) => {
  response.destroy()
}

/** Accepts the message and never answers. */
export const takeAndHang: SesBehaviour = (take) => {
  take()
}

function membersOf(form: URLSearchParams, name: string): string[] {
  return [...form].flatMap(([key, value]) => (key.startsWith(`${name}.member.`) ? [value] : []))
}

function tagsOf(form: URLSearchParams): Record<string, string> {
  const tags: Record<string, string> = {}
  for (let at = 1; form.has(`Tags.member.${at}.Name`); at += 1)
    tags[form.get(`Tags.member.${at}.Name`) ?? ''] = form.get(`Tags.member.${at}.Value`) ?? ''
  return tags
}
