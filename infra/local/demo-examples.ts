import { hexDigest } from '#kernel/hex-digest.ts'
import { isObject } from '#kernel/is-object.ts'
import type { Credentials } from './credentials.ts'
import type { LocalFunction } from './load-functions.ts'

/** The ids in the examples of the OpenAPI document, each with the corresponding id in the demo firms. */
export type DemoIds = ReadonlyMap<string, string>

const documentPath = '/api/v1/openapi.json'
const anyId = /(?<![a-z_])(?:[a-z]+_)*[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/**
 * The functions, with one change: the examples in the served OpenAPI document contain ids of the demo firms. So on this
 * machine an example can be sent as it is.
 */
export function withDemoExamples(
  functions: readonly LocalFunction[],
  demoIds: () => DemoIds,
): LocalFunction[] {
  return functions.map((fn) => {
    if (!fn.paths.includes(documentPath)) return fn
    return {
      ...fn,
      handler: async (event, context) => {
        if (!isForDocument(event)) return fn.handler(event, context)
        const answer = (await fn.handler(withoutCondition(event), context)) as Answer
        if (answer.statusCode !== 200) return answer
        const ids = demoIds()
        const body = answer.body.replaceAll(anyId, (id) => ids.get(id) ?? id)
        const headers = { ...answer.headers, ETag: `"${hexDigest(body)}"` }
        const isKnown = headersOf(event)['if-none-match'] === headers.ETag
        return { ...answer, headers, ...(isKnown ? { statusCode: 304, body: '' } : { body }) }
      },
    }
  })
}

type Answer = { statusCode: number; headers: Record<string, string>; body: string }
type Event = { resource: string; headers: Record<string, string> | null }

function isForDocument(event: unknown): event is Event {
  return isObject(event) && event.resource === documentPath
}

function headersOf({ headers }: Event): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
}

/** The function would compare the ETag of the document without the replaced ids. */
function withoutCondition(event: Event): Event {
  const { 'if-none-match': _, ...headers } = headersOf(event)
  return { ...event, headers, multiValueHeaders: null } as Event
}

/** The shortest time between two look-ups. */
const lookUpMilliseconds = 30_000

/**
 * Looks up the ids with the demo keys. The returned function answers at once with the ids of the last look-up: none
 * until the first look-up has ended. A call after a while starts another look-up, because a record may have been
 * deleted or replaced.
 */
export function lookUpDemoIds(baseUrl: string, workspaces: Credentials['workspaces']): () => DemoIds {
  const ask = async (firm: number, path: string): Promise<unknown> => {
    const key = workspaces[firm]?.users[0]?.api_key
    const answer = await fetch(`${baseUrl}/api/v1${path}`, { headers: { Authorization: `Bearer ${key}` } })
    return answer.ok ? answer.json() : undefined
  }
  const lookUp = async (): Promise<DemoIds> => {
    const found = new Map<string, string>()
    for (const { firm = 0, path, ids } of lookups) {
      const filled = path.replaceAll(
        /\{(\w+)\}/g,
        (_, name: string) => found.get(named[name] ?? '') ?? 'none',
      )
      const answer = await ask(firm, filled)
      for (const [example, place] of Object.entries(ids)) {
        const id = valueAt(answer, place)
        if (typeof id === 'string') found.set(example, id)
      }
    }
    return found
  }

  let known: DemoIds = new Map()
  let lookedUpAt = Number.NEGATIVE_INFINITY
  const refresh = (): void => {
    if (performance.now() - lookedUpAt < lookUpMilliseconds) return
    lookedUpAt = performance.now()
    // If the service is busy or stops, the known ids stay.
    lookUp().then(
      (found) => {
        known = found
      },
      () => undefined,
    )
  }
  refresh()
  return () => {
    refresh()
    return known
  }
}

/** The value at a place such as `data.0.id`; undefined if there is none. */
function valueAt(answer: unknown, place: string): unknown {
  return place
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], answer)
}

/** Ids of the examples that are needed to look up further ids. */
const named: Record<string, string> = {
  case: '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10',
  deadline: 'evt_01993f62-3e5a-7f1c-9d27-8b4a6c0e2f13',
  envelope: 'env_01993f70-1c50-7e94-a6d2-5b8c3f1e7a09',
  beaMessage: 'bea_msg_01993f66-2d18-7c40-b3a9-8e5f1c7d2a64',
}

type Lookup = {
  /** The first firm is the default. beA ids belong to the second, whose postbox is connected. */
  firm?: 1
  path: string
  /** The id in the examples, and the place of the demo id in the answer. */
  ids: Record<string, string>
}

const lookups: readonly Lookup[] = [
  {
    path: '/me',
    ids: {
      'usr_01993f5e-1b07-7e9a-a4d5-6c2e8f1b3d94': 'user.id',
      'ws_01993f5d-4e02-7b1c-9f33-8a5d6c7e2b10': 'workspace.id',
      'ws_01993f5e-0a4c-7b1d-8e2f-3c5d7e9f1a2b': 'workspace.id',
    },
  },
  {
    path: '/users',
    ids: {
      'usr_01993f5e-6b0f-7a1c-9d53-1e0b8d7a3f52': 'data.0.id',
      'usr_01993f61-90d2-7c40-8a15-2e7b4c9d6f08': 'data.1.id',
    },
  },
  { path: '/api-keys', ids: { 'ak_01993f5e-2c18-7f0b-b5e6-7d3f9a2c4e05': 'data.0.id' } },
  { path: '/cases?search=meier+schulze+kauf', ids: { [named.case ?? '']: 'data.0.id' } },
  { path: '/cases?search=okafor', ids: { '01993f5f-02b4-7a6c-8d13-9e4f7b2a5c61': 'data.0.id' } },
  { path: '/cases/{case}/links', ids: { 'link_01993f60-5d20-7b8e-a1f4-3c7d9e2b6a85': 'data.0.id' } },
  { path: '/parties?search=anna+meier', ids: { 'pty_01993f5e-8a11-7c3d-8e21-0d6b7a3f4c52': 'data.0.id' } },
  {
    path: '/documents?search=klageschrift',
    ids: { 'doc_01993f62-4b8e-7f20-8c15-6d9a2e4b7f31': 'data.0.id' },
  },
  { path: '/folders?case_id={case}', ids: { 'fld_01993f61-20c7-7b1e-9d42-5a8e6c3f7b10': 'data.0.id' } },
  {
    path: '/deadlines?case_id={case}',
    ids: { 'evt_01993f62-3e5a-7f1d-b8e4-51c7d9f20a36': 'data.0.id', [named.deadline ?? '']: 'data.1.id' },
  },
  {
    path: '/calendar/fristen?case_id={case}',
    ids: { 'frist_01993f62-3e5a-7f1c-9d27-8b4a6c0e2f13': 'data.1.id' },
  },
  { path: '/deadlines/{deadline}', ids: { 'chain_01993f62-3e5a-7f1b-8f60-7d3e1a9c5b42': 'chain_id' } },
  {
    path: '/events?type=event&case_id={case}',
    ids: { 'evt_01993f62-4a10-7b3c-8d5e-1f2a3b4c5d6e': 'data.0.id' },
  },
  {
    path: '/inbox?kind=correspondence',
    ids: {
      'corr_01993f66-2d18-7c40-b3a9-8e5f1c7d2a64': 'data.0.id',
    },
  },
  { path: '/email/outbound/drafts', ids: { 'draft_01993f65-90c3-7e51-a7b8-4f2d6c8e1b05': 'data.0.id' } },
  {
    path: '/time-entries?case_id={case}',
    ids: { 'time_01993f6a-1c40-7b2e-8d53-9a0e6f4b7c21': 'data.0.id' },
  },
  { path: '/invoices?status=draft', ids: { 'inv_01993f6b-2a5e-7c19-9e36-4d8b0f7a1c52': 'data.0.id' } },
  { path: '/exports/configs', ids: { 'exp_01993f68-1a2b-7c3d-8e4f-5a6b7c8d9e0f': 'data.0.id' } },
  { path: '/signing/envelopes', ids: { [named.envelope ?? '']: 'data.0.id' } },
  {
    path: '/signing/envelopes/{envelope}',
    ids: {
      'signer_01993f70-1c52-7b3a-8d47-2e9f6a0c4b18': 'signers.0.id',
      'sigdoc_01993f70-1c51-7d08-9f35-7a4e2c6b0d81': 'documents.0.id',
    },
  },
  { firm: 1, path: '/cases', ids: { '01993f6a-1d20-7c44-9b31-5e8f0a2c7d16': 'data.0.id' } },
  { firm: 1, path: '/documents', ids: { 'doc_01993f6a-2e31-7d55-8c42-6f9a1b3d8e27': 'data.0.id' } },
  {
    firm: 1,
    path: '/bea/accounts',
    ids: {
      'bea_acc_01993f70-2b3c-7d4e-8f5a-6b7c8d9e0f1a': 'data.0.id',
      'bea_acc_01993f69-2b7d-7a10-8c4f-6e1d3b5a7c90': 'data.0.id',
      'bea_acc_01993f5e-9a22-7b1c-8d43-0e2f4a6c8b10': 'data.0.id',
    },
  },
  { firm: 1, path: '/bea/drafts', ids: { 'bea_draft_01993f6a-41c2-7b60-9d8e-3a5f7c1b2e40': 'data.0.id' } },
  { firm: 1, path: '/bea/messages', ids: { [named.beaMessage ?? '']: 'data.0.id' } },
  {
    firm: 1,
    path: '/bea/messages/{beaMessage}/attachments',
    ids: { 'bea_att_01993f66-2d18-7b33-9d47-3c8e1f5a7b20': 'data.0.id' },
  },
]
