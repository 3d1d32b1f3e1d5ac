import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { serviceDocument } from '#functions/docs/service-document.ts'
import { allEndpoints } from '#functions/manifest.ts'
import { documented } from '#test/support/documented.ts'

/** What G8 promises of every optional field of a JSON body, by the declarations alone. */
const { bodyFaults } = documented(serviceDocument())

const withJson = allEndpoints.filter(({ endpoint }) => endpoint.body && endpoint.encodings.includes('json'))

/**
 * The fields of a change that a record always has. Null must not reset them to the value of a new one: it would enable an
 * endpoint, or change the region on which deadlines depend.
 */
const lasting: Record<string, string[]> = {
  saveBeaDraft: ['account_id'],
  updateCalendarEvent: ['end', 'start', 'title'],
  updateCase: ['file_number', 'name', 'status'],
  updateDeadline: ['due_at', 'title'],
  updateDocument: ['filename'],
  updateEnvelope: ['title'],
  updateEvent: ['end', 'start', 'title'],
  updateExportConfig: ['format', 'name', 'source'],
  updateFolder: ['name'],
  updateInvoice: ['case_id'],
  updateParty: ['name'],
  updateTimeEntry: ['activity', 'case_id', 'date', 'minutes'],
  updateUser: ['active', 'email', 'name'],
  updateWebhookEndpoint: ['status', 'url'],
  updateWorkspace: ['auto_file', 'holiday_region', 'name', 'time_zone'],
}

describe('every body', () => {
  it.each(
    withJson.map(({ operation, endpoint }) => [operation, endpoint.body as z.ZodType] as const),
  )('of %s takes null for each optional field, as for a missing one', (operation, body) => {
    const refusing = optionalFieldsOf(body)
      .filter(({ schema }) => !schema.safeParse(null).success)
      .map(({ path }) => path)

    expect([...new Set(refusing)].sort()).toEqual(lasting[operation] ?? [])
  })

  it.each(
    withJson.map(({ operation, endpoint }) => [operation, endpoint] as const),
  )('of %s is documented with null where it takes null', (operation, { body, example }) => {
    const given = example.body
    if (!isObject(given) || body === undefined) return
    const withNull = optionalFieldsOf(body)
      .filter(({ path }) => /^\w+$/.test(path))
      .map(({ path }) => ({ ...given, [path]: null }))
      .filter((changed) => body.safeParse(changed).success)

    expect(withNull.flatMap((changed) => bodyFaults(operation, changed))).toEqual([])
  })

  it.each(
    withJson
      // A send names its recipients in one of two fields (M1).
      .filter(({ operation, endpoint }) => endpoint.method === 'POST' && operation !== 'sendMail')
      .filter(({ endpoint }) => endpoint.body?.safeParse({}).success)
      .map(({ operation, endpoint }) => [operation, endpoint.body as z.ZodType] as const),
  )('of %s may be missing, because it may be empty', (_, body) => {
    expect(body.safeParse(undefined).success).toBe(true)
  })
})

describe('the document', () => {
  it.each([
    ['createDraft', { subject: 'x'.repeat(999) }],
    ['updateDocument', { filename: '' }],
    ['grantBeaPermission', { rights: ['31'] }],
    ['createInvoice', { lines: [{ text: 'Beratung', unit_price: '100', tax_rate: '16' }] }],
    ['calculateRvgFees', { vat_rate: '16' }],
    ['calculateRisk', { won_share: '1.5' }],
  ])('refuses for %s what the service refuses: %j', (operation, wrong) => {
    const endpoint = withJson.find((declared) => declared.operation === operation)?.endpoint
    const body = { ...(endpoint?.example.body as object), ...wrong }

    expect(endpoint?.body?.safeParse(body).success).toBe(false)
    expect(bodyFaults(operation, body)).not.toEqual([])
  })

  it.each([
    'fileInboxItem',
    'assignBeaMessage',
    'checkConflicts',
  ])('refuses an empty body of %s, as the service does', (operation) => {
    const endpoint = withJson.find((declared) => declared.operation === operation)?.endpoint

    expect(endpoint?.body?.safeParse({}).success).toBe(false)
    expect(bodyFaults(operation, {})).not.toEqual([])
  })

  it('allows null for each filter of an export, which then has no effect', () => {
    const body = { name: 'Parteien', source: 'parties', format: 'json', filters: { type: null } }

    expect(bodyFaults('createExportConfig', body)).toEqual([])
  })
})

/** The fields of a body that may be missing, at every depth: `lines.*.unit`. */
function optionalFieldsOf(schema: z.core.$ZodType, above = ''): { path: string; schema: z.ZodType }[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([name, field]) => {
        const path = above === '' ? name : `${above}.${name}`
        const isOptional = (field as z.ZodType).safeParse(undefined).success
        const below = optionalFieldsOf(field, path)
        return isOptional ? [{ path, schema: field as z.ZodType }, ...below] : below
      })
    case 'array':
      return optionalFieldsOf(def.element, `${above}.*`)
    case 'union':
      return def.options.flatMap((option) => optionalFieldsOf(option, above))
    case 'pipe':
      return optionalFieldsOf(def.in, above)
    case 'lazy':
      return optionalFieldsOf((schema as z.core.$ZodLazy)._zod.innerType, above)
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return optionalFieldsOf(def.innerType, above)
    default:
      return []
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
