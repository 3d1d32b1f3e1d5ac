import type * as z from 'zod'

/** The general part of the document. */
export type ServiceInfo = {
  title: string
  version: string
  description: string
  license: { name: string; identifier: string }
  /** Name and meaning of each group of endpoints, by the first segment of its paths (`cases`, `api-keys`). */
  groups: Groups
  /** The messages that the service sends. */
  webhooks?: readonly WebhookInfo[]
  /** Descriptions of fields whose schemas do not describe them. */
  vocabulary: Vocabulary
}

/** Descriptions of fields by their names: for all schemas, and for one schema or an object within it. */
export type Vocabulary = {
  everywhere: Readonly<Record<string, string>>
  inSchema: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** A message that the service sends to other systems by itself. */
export type WebhookInfo = {
  name: string
  /** When it is sent. */
  description: string
  /** The schema of its body. */
  payload: z.ZodType
  example: unknown
}

export type Groups = Record<string, { name: string; description: string }>

/** The JSON Schema (2020-12) that zod creates, as far as this document and the client use it. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  prefixItems?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  description?: string
  default?: unknown
  [keyword: string]: unknown
}

export type Reference = { $ref: string }
export type Content = Record<
  string,
  { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
>
export type Header = { description: string; schema: Schema }

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
  example?: unknown
}

export type Answer = { description: string; headers?: Record<string, Reference>; content?: Content }

export type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security?: []
  'x-required-scope'?: readonly string[]
  /** The place of a credential that replaces an API key. */
  'x-credential'?: 'header' | 'query' | 'path' | 'form'
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Answer | Reference>
}

export type Webhook = Pick<Operation, 'summary' | 'description' | 'requestBody'> & {
  operationId: string
  security: []
  parameters: Parameter[]
  responses: Record<string, Answer>
}

export type OpenApiDocument = {
  openapi: '3.1.1'
  info: Pick<ServiceInfo, 'title' | 'version' | 'description' | 'license'>
  servers: { url: string; description?: string }[]
  tags: { name: string; description?: string }[]
  security: Record<string, []>[]
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, { post: Webhook }>
  components: {
    securitySchemes: Record<string, Record<string, string>>
    schemas: Record<string, Schema>
    headers: Record<string, Header>
    responses: Record<string, Answer>
  }
}
