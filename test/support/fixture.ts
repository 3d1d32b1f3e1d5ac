import { globSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Endpoint } from '#http/endpoint.ts'
import type { Send } from './api.ts'
import { type BeaGiven, beaGiven } from './bea-given.ts'
import { beaOffice } from './bea-office.ts'
import { form, type Part, upload } from './documents.ts'
import type { Firm } from './firm.ts'
import { signMail } from './signed-mail.ts'

/** The data that a request needs to succeed in one workspace. */
export type Prepared = {
  /** The placeholders of the path. */
  params?: Record<string, string>
  /** Replaces the values of the example with the same names. */
  query?: Record<string, string>
  /** Replaces the values of the example with the same names. */
  body?: Record<string, unknown>
  /** The files of a form, if an arbitrary text is not enough. */
  files?: Record<string, Part>
  /** A credential of this workspace, if the endpoint takes one that is not an API key; for a form, its fields. */
  credential?: string | Record<string, string>
  /** Text of this workspace in the answer, which a credential of another workspace must not reveal. */
  shows?: string
}

/** Creates in a workspace the records on which the endpoint works. */
export type Fixture = (given: Given) => Prepared | Promise<Prepared>

/**
 * The data that the tests of every endpoint need to send the examples of a group, by operation: for each operation with
 * placeholders, a credential, or ids in its example.
 */
export type Fixtures<Group> = { [Operation in keyof Group]?: Fixture }

/** The helpers of fixtures. Each call creates a new record and returns its id. */
export type Given = {
  firm: Firm
  /** The address of a calendar server that accepts everything. */
  caldavUrl: string
  bea: BeaGiven
  makeCase: () => Promise<string>
  makeParty: () => Promise<string>
  makeDocument: () => Promise<string>
  makeFolder: () => Promise<string>
  makeEvent: () => Promise<string>
  /** A deadline that a colleague has entered, so that the owner may verify it. */
  makeDeadline: () => Promise<string>
  /** A beA message with an attachment, at an account that the owner has connected, and that has a session. */
  makeBeaMessage: () => Promise<{ account_id: string; message_id: string; attachment_id: string }>
  /** The fields with which the mail service signs a call. */
  signMail: () => Record<'timestamp' | 'token' | 'signature', string>
}

export function given(firm: Firm, caldavUrl: string): Given {
  const { owner, colleague } = firm
  const make = async (path: string, body?: unknown) => (await owner('POST', path, { body })).body.id as string
  const makeCase = () => make('/api/v1/cases', { name: 'Meier ./. Schulze' })
  return {
    firm,
    caldavUrl,
    bea: beaGiven(firm),
    makeCase,
    makeParty: () => make('/api/v1/parties', { name: 'Anna Meier' }),
    makeDocument: async () => (await upload(owner)).body.id,
    makeFolder: () => make('/api/v1/folders', { name: 'Ordner' }),
    makeEvent: () => {
      const times = { start: '2031-04-16T09:00:00Z', end: '2031-04-16T10:00:00Z' }
      return make('/api/v1/events', { title: 'Termin', ...times, allow_conflict: true })
    },
    makeDeadline: async () => {
      const body = { title: 'Berufung', case_id: await makeCase(), due_at: '2031-04-16' }
      return (await (await colleague()).api('POST', '/api/v1/deadlines', { body })).body.id
    },
    makeBeaMessage: async () => {
      const office = await beaOffice(firm)
      await office.openSession()
      const message_id = await office.receive()
      const record = await office.store.find(firm.workspace.id, message_id)
      return {
        account_id: office.account.id,
        message_id,
        attachment_id: record?.attachments[0]?.id ?? '',
      }
    },
    signMail: () => signMail(),
  }
}

const functions = fileURLToPath(new URL('../../functions', import.meta.url))

/** The fixtures of all groups, by operation: the export `fixtures` of each `functions/<group>/fixtures.ts`. */
export async function allFixtures(): Promise<Record<string, Fixture>> {
  const files = globSync('*/fixtures.ts', { cwd: functions })
  const groups = await Promise.all(
    files.map(async (file): Promise<Record<string, Fixture>> => {
      const { fixtures } = await import(pathToFileURL(join(functions, file)).href)
      if (fixtures === undefined)
        throw new Error(`functions/${dirname(file)}/${basename(file)} exports no fixtures.`)
      return fixtures
    }),
  )
  return Object.assign({}, ...groups)
}

const missing = '01993f5e-0000-7000-8000-000000000000'

/** The endpoint's path with these values; missing values are replaced by an id that does not exist. */
export function pathOf(endpoint: Endpoint<never>, { params = {} }: Prepared = {}): string {
  return endpoint.path.replace(/\{([^}]+)\}/g, (_, name: string) => params[name] ?? missing)
}

/** The path with the query of the example. */
export function pathWithQuery(endpoint: Endpoint<never>, prepared: Prepared): string {
  const example = endpoint.example.query as Record<string, string> | undefined
  const query = new URLSearchParams({ ...example, ...prepared.query }).toString()
  return query === '' ? pathOf(endpoint, prepared) : `${pathOf(endpoint, prepared)}?${query}`
}

/** The body of the example as the endpoint accepts it; a form has a file under each required name. */
export function sendOf(endpoint: Endpoint<never>, prepared: Prepared = {}): Send {
  const { encodings, example } = endpoint
  if (example.body === undefined && prepared.body === undefined && encodings.includes('json')) return {}
  const body = { ...(example.body as object | undefined), ...prepared.body }
  if (encodings.includes('json')) return { body }
  const fields = body as Record<string, string | string[]>
  if (!encodings.includes('form')) return { raw: new URLSearchParams(fields as Record<string, string>) }
  const required = Object.keys(endpoint.files).filter((name) => !endpoint.files[name]?.optional)
  const texts = Object.fromEntries(required.map((name) => [name, { bytes: 'Ein Text.' }]))
  return { raw: form({ ...texts, ...prepared.files }, fields) }
}
