import { isCredential, needsEvery, needsKey, scopesOf } from '../access.ts'
import type { Endpoint } from '../endpoint.ts'
import { answersOf } from './answers.ts'
import type { Components } from './components.ts'
import { errorAnswersOf } from './errors.ts'
import { parametersOf } from './parameters.ts'
import { requestBodyOf } from './request-body.ts'
import type { Operation } from './types.ts'

/** The operation object of an endpoint. */
export function operationOf(
  operation: string,
  endpoint: Endpoint<never>,
  tag: string,
  components: Components,
): Operation {
  const parameters = parametersOf(operation, endpoint, components)
  const requestBody = requestBodyOf(operation, endpoint, components)
  const { access } = endpoint
  const scopes = scopesOf(access)
  return {
    operationId: operation,
    tags: [tag],
    summary: endpoint.summary,
    description: [endpoint.description, accessSentence(access)].filter(Boolean).join('\n\n'),
    ...(!needsKey(access) && { security: [] }),
    ...(scopes.length > 0 && { 'x-required-scope': scopes }),
    ...(isCredential(access) && { 'x-credential': access.in }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: { ...answersOf(operation, endpoint, components), ...errorAnswersOf(endpoint, components) },
  }
}

function accessSentence(access: Endpoint<never>['access']): string {
  if (access === 'public') return 'Needs no key.'
  if (access === 'any key') return 'Needs any valid key.'
  if (isCredential(access)) {
    const place =
      access.in === 'form'
        ? `the form fields ${access.names.map((name) => `\`${name}\``).join(', ')}`
        : `${placeNames[access.in]} \`${access.name}\``
    return `Needs no API key, but ${place}: ${access.description}`
  }
  const scopes = scopesOf(access).map((scope) => `\`${scope}\``)
  if (scopes.length === 1) return `Needs the scope ${scopes[0]}.`
  return needsEvery(access)
    ? `Needs the scopes ${scopes.join(' and ')}.`
    : `Needs one of the scopes ${scopes.join(', ')}.`
}

const placeNames = { header: 'the header', query: 'the query parameter', path: 'the path parameter' }
