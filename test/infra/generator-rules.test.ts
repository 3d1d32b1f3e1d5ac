import { describe, expect, it } from 'vitest'
import { serviceDocument } from '#functions/docs/service-document.ts'
import type { Content, OpenApiDocument, Operation, Schema } from '#http/openapi/types.ts'
import { generatorFaults } from '#infra/tools/generator-rules.ts'

const object = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties })
const text: Schema = { type: 'string' }
const json = (schema: Schema, example: unknown = {}): Content => ({ 'application/json': { schema, example } })

const documentOf = (
  schemas: Record<string, Schema>,
  operation: Partial<Operation> = {},
): OpenApiDocument => ({
  openapi: '3.1.1',
  info: { title: '', version: '', description: '', license: { name: '', identifier: '' } },
  servers: [],
  tags: [],
  security: [],
  paths: {
    '/toys': {
      post: { operationId: 'makeToy', tags: [], summary: '', description: '', responses: {}, ...operation },
    },
  },
  components: { securitySchemes: {}, schemas, headers: {}, responses: {} },
})

describe('the rules of generators', () => {
  const chain = object({ first: text })

  it.each([
    [
      'an inline object that is named like a component',
      documentOf({ Toy: object({ chain }), ToyChain: object({ last: text }) }),
      'The object at ToyChain is named like a component.',
    ],
    [
      'the same with a longer name',
      documentOf({ Toy: object({ spare_parts: { type: 'array', items: chain } }), ToySparePartsItem: text }),
      'The object at ToySparePartsItem is named like a component.',
    ],
    [
      'an object that is there twice',
      documentOf(
        { Toy: object({ a: chain }) },
        { requestBody: { required: true, content: json(object({ b: { ...chain, description: 'Same.' } })) } },
      ),
      'ToyA and MakeToyBodyB are one object without a name.',
    ],
    [
      'a choice with an empty constant',
      documentOf({ Toy: object({ id: { anyOf: [{ type: 'string', const: '' }, text] } }) }),
      'ToyId is a choice with a constant.',
    ],
    [
      'a default of null',
      documentOf({ Toy: object({ note: { type: ['string', 'null'], default: null } }) }),
      'ToyNote has the default null.',
    ],
    [
      'a moment of any form',
      documentOf({ Toy: object({ made_at: { anyOf: [text, { type: 'null' }] } }) }),
      'ToyMadeAt does not say its form.',
    ],
    [
      'an id of any form in a query',
      documentOf({}, { parameters: [{ name: 'toy_id', in: 'query', required: false, schema: text }] }),
      'MakeToyToyId does not say its form.',
    ],
    [
      'an error that is not shared',
      documentOf({}, { responses: { 404: { description: '', content: json(text) } } }),
      'makeToy 404 is not a shared answer.',
    ],
    [
      'an answer without an example',
      documentOf(
        {},
        { responses: { 200: { description: '', content: { 'application/json': { schema: chain } } } } },
      ),
      'The answer of makeToy has no example.',
    ],
  ])('find %s', (_, document, fault) => {
    expect(generatorFaults(document)).toEqual([fault])
  })

  it('find nothing if objects are named or occur once', () => {
    const reference = { $ref: '#/components/schemas/Chain' }

    expect(
      generatorFaults(documentOf({ Toy: object({ a: reference, b: reference }), Chain: chain })),
    ).toEqual([])
  })

  it('find nothing in the document of the service', () => {
    expect(generatorFaults(serviceDocument())).toEqual([])
  })
})
