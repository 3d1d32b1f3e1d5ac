import type { Plugin } from 'esbuild'
import { inRepository } from '#infra/in-repository.ts'

/**
 * Leaves out of a bundle what ElectroDB loads and our functions never use:
 * - its services and transactions: the stores use entities only,
 * - the SDK's document client: the stores give every entity a client that makes its commands,
 * - the validator of models: the tests make every model with the real one.
 */
export const electroDbAliases: Plugin = {
  name: 'electrodb-aliases',
  setup({ onResolve }) {
    onResolve({ filter: /^electrodb$/ }, () => ({
      path: inRepository('node_modules/electrodb/src/entity.js'),
    }))
    onResolve({ filter: /^jsonschema$/ }, () => ({
      path: inRepository('infra/constructs/aliases/jsonschema.js'),
    }))
    onResolve({ filter: /^@aws-sdk\/(lib|util)-dynamodb$/ }, ({ importer }) =>
      /[\\/]node_modules[\\/]electrodb[\\/]/.test(importer)
        ? { path: inRepository('infra/constructs/aliases/empty.js') }
        : null,
    )
  },
}
