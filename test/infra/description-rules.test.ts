import { describe, expect, it } from 'vitest'
import { serviceDocument } from '#functions/docs/service-document.ts'
import { vocabulary } from '#functions/docs/vocabulary.ts'
import type { OpenApiDocument, Schema } from '#http/openapi/types.ts'
import { describeFields } from '#http/openapi/vocabulary.ts'
import { descriptionFaults } from '#infra/tools/description-rules.ts'

const text: Schema = { type: 'string' }
const object = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties })
const describedBy = (schemas: Record<string, Schema>, inSchema: Record<string, Record<string, string>>) =>
  describeFields({ paths: {}, schemas }, { everywhere: { id: 'Any id.' }, inSchema }).schemas

describe('the descriptions of fields', () => {
  it('are there for every field of the service, without numbers of rules', () => {
    expect(descriptionFaults(serviceDocument())).toEqual([])
  })

  it('that are missing or cite a decision are faults', () => {
    const document: OpenApiDocument = structuredClone(serviceDocument())
    const schemas = document.components.schemas
    schemas.Toy = object({
      parts: { type: 'array', description: 'Parts (F16).', items: object({ size: text }) },
    })

    expect(descriptionFaults(document)).toEqual([
      'Toy.parts.size has no description: add .meta({ description }) to its schema, or describe the name in functions/docs/vocabulary.ts if it means the same everywhere.',
      'The document cites the rule (F16).',
    ])
  })

  it('come from the schema itself, then its object, its noun, and the name', () => {
    const schemas = {
      Toy: object({ id: { ...text, description: 'Own.' }, of: object({ id: text }) }),
      ToyInput: object({ id: text }),
      Box: object({ size: { anyOf: [{ ...text, description: 'Inner.' }, { type: 'null' }] } }),
      Bag: object({ id: text }),
    }

    const described = describedBy(schemas, { Toy: { id: 'Of a toy.' }, 'Toy.of': { id: 'Of its part.' } })

    expect(described.Toy?.properties?.id?.description).toBe('Own.')
    expect(described.Toy?.properties?.of?.properties?.id?.description).toBe('Of its part.')
    expect(described.ToyInput?.properties?.id?.description).toBe('Of a toy.')
    expect(described.Box?.properties?.size?.description).toBe('Inner.')
    expect(described.Bag?.properties?.id?.description).toBe('Any id.')
  })

  it('of the vocabulary are all used', () => {
    const used = JSON.stringify(serviceDocument())
    const isUnused = (description: string) => !used.includes(JSON.stringify(description).slice(1, -1))

    const all = [vocabulary.everywhere, ...Object.values(vocabulary.inSchema)].flatMap(Object.values)

    expect(all.filter(isUnused)).toEqual([])
  })
})
