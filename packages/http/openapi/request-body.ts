import { isCredential } from '../access.ts'
import type { FileField } from '../declaration.ts'
import type { Endpoint } from '../endpoint.ts'
import { urlencodedType } from '../urlencoded.ts'
import type { Components } from './components.ts'
import type { Operation, Schema } from './types.ts'

const mediaTypes = { form: 'multipart/form-data', urlencoded: urlencodedType } as const

/** The request body in each declared encoding; undefined if the endpoint takes no body. */
export function requestBodyOf(
  operation: string,
  endpoint: Endpoint<never>,
  components: Components,
): Operation['requestBody'] {
  const { body, encodings, example } = endpoint
  const forms = encodings.filter((encoding) => encoding !== 'json')
  if (forms.length > 0) {
    const contents = forms.map((encoding) => [
      mediaTypes[encoding],
      {
        schema: formSchemaOf(operation, endpoint, encoding === 'form', components),
        example: formExampleOf(endpoint, encoding === 'form'),
      },
    ])
    return { required: true, content: Object.fromEntries(contents) }
  }
  if (body === undefined) return undefined
  const schema = components.schemaOf(body, 'input', `the body of ${operation}`)
  return {
    required: !body.safeParse(undefined).success,
    content: {
      'application/json': { schema, ...(example.body !== undefined && { example: example.body }) },
    },
  }
}

/** The schema of a form: its files, the fields of the credential, and the fields of the body's schema. */
function formSchemaOf(
  operation: string,
  { access, body, files }: Endpoint<never>,
  takesFiles: boolean,
  components: Components,
): Schema {
  const fields = body && components.schemaOf(body, 'input', `the fields of ${operation}`)
  const fileFields = takesFiles ? Object.entries(files) : []
  const credential = isCredential(access) && access.in === 'form' ? access.names : []
  const named = fileFields
    .filter(([, { named }]) => named !== '*')
    .map(([name, field]) => [field.named ?? name, field] as const)
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(named.map(([name, field]) => [name, fileSchemaOf(field)])),
      ...Object.fromEntries(credential.map((name) => [name, { type: 'string' }])),
      ...fields?.properties,
    },
    required: [
      ...new Set([
        ...named.filter(([, { optional }]) => !optional).map(([name]) => name),
        ...credential,
        ...(fields?.required ?? []),
      ]),
    ],
  }
}

/** The fields of the example, a text for each required file, and `…` for each field of the credential. */
function formExampleOf({ access, example, files }: Endpoint<never>, takesFiles: boolean): unknown {
  const credential = isCredential(access) && access.in === 'form' ? access.names : []
  const needed = Object.entries(files).filter(([, { optional, named }]) => !optional && named !== '*')
  const texts = needed.map(([name, { max, named }]) => [
    named ?? name,
    max === 1 || named !== undefined ? fileExample : [fileExample],
  ])
  return {
    ...(takesFiles && Object.fromEntries(texts)),
    ...Object.fromEntries(credential.map((name) => [name, '…'])),
    ...(example.body as object | undefined),
  }
}

const fileExample = 'Ein Text.'

function fileSchemaOf({ max, optional, named, description }: FileField): Schema {
  const file = { type: 'string', format: 'binary', ...(description && { description }) }
  if (named !== undefined) {
    const count = `N is a number; up to ${max} files.`
    return { ...file, description: [description, count].filter(Boolean).join(' ') }
  }
  return max === 1 ? file : { type: 'array', items: file, minItems: optional ? 0 : 1, maxItems: max }
}
