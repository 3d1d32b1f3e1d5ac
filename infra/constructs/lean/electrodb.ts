import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'
import { inRepository } from '#infra/in-repository.ts'

/**
 * ElectroDB in a bundle: its entities alone, as ES modules, without the clients that it could make itself and
 * without the validator that checks models when they are made (the tests make every model with the real one).
 *
 * It is written in CommonJS. Bundled as that, its 160 KB are read once to find out where they end and again when
 * they run, which takes a function that starts four milliseconds, and the SDK's packages that it requires cannot
 * be taken apart.
 */
export const leanElectroDb: Plugin = {
  name: 'lean-electrodb',
  setup(build) {
    build.onResolve({ filter: /^electrodb$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: inRepository('node_modules/electrodb/src/entity.js') } : null,
    )
    build.onResolve({ filter: /^(jsonschema|@aws-sdk\/(lib|util)-dynamodb)$/ }, ({ path, importer }) => {
      if (!sources.test(importer)) return null
      return { path: inRepository(`infra/constructs/lean/${path === 'jsonschema' ? path : 'nothing'}.js`) }
    })
    build.onLoad({ filter: sources }, async ({ path }) => ({
      contents: asModule(await readFile(path, 'utf8')),
    }))
  },
}

const sources = /[\\/]node_modules[\\/]electrodb[\\/]src[\\/]\w+\.js$/

/** The three ways in which ElectroDB requires, and the one in which it exports, as an ES module says it. */
function asModule(source: string): string {
  const module = source
    .replaceAll(/^const (\w+) = require\(("[^"]+")\);$/gm, 'import * as $1 from $2;')
    .replaceAll(
      /^const \{([^{}]+)\} = require\(("[^"]+")\);$/gm,
      (_, names: string, from: string) => `import {${names.replaceAll(':', ' as ')}} from ${from};`,
    )
    .replaceAll(/^const (\w+) = require\(("[^"]+")\)\.\1;$/gm, 'import { $1 } from $2;')
    .replace(
      /^module\.exports = \{([^{}]+)\};$/m,
      (_, names: string) => `export {${names.replaceAll(/(\w+): (\w+)/g, '$2 as $1')}};`,
    )
  if (/\brequire\(|\bmodule\.exports\b/.test(module)) throw new Error('ElectroDB is written in another way.')
  return module
}
