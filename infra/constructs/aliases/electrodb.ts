import type { Plugin } from 'esbuild'
import { inRepository } from '#infra/in-repository.ts'

/**
 * Bundles ElectroDB without the parts that our functions never use.
 *
 * - Its services and transactions: the stores use entities only.
 * - The SDK's document client: the stores give every entity a client that makes its commands.
 * - The validator of models: the tests create every model with the real validator.
 */
export const electroDb: Plugin = {
  name: 'electrodb',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^electrodb$/ }, () => ({ path: 'electrodb', namespace: 'electrodb' }))
    onLoad({ filter: /./, namespace: 'electrodb' }, () => ({
      contents: "export { Entity } from './entity.js'; export { CustomAttributeType } from './schema.js'",
      resolveDir: inRepository('node_modules/electrodb/src'),
    }))
    onResolve({ filter: /^jsonschema$/ }, () => ({
      path: inRepository('infra/constructs/aliases/jsonschema.js'),
    }))
    onResolve({ filter: /^@aws-sdk\/(lib|util)-dynamodb$/ }, ({ importer }) =>
      sources.test(importer) ? { path: inRepository('infra/constructs/aliases/empty.js') } : null,
    )
  },
}

const sources = /[\\/]node_modules[\\/]electrodb[\\/]src[\\/]\w+\.js$/
